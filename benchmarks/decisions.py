"""Thresholds on unseen data: what each tuning method is worth on the benchmark sets.

Scores are those of logistic binary relevance (see `scored_sets`); thresholds are tuned on 5-fold
scores of two thirds of the rows and measured on the other third, as means over ten holdouts. All
methods get the same scores. EFP is not among them: it needs joint probabilities, which these
scores are not. Sets of real scores (see `real_scores`) are split likewise, by patient where there
are patients, and have a page of their own.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks import real_scores
from benchmarks.scored_sets import HOME, N_HOLDOUTS, SETS, Holdout, holdout
from labelwise._io import written_whole
from labelwise.decisions import best_thresholds, maximize_expected_f_independent
from labelwise.measures import count, f_measure, macro, micro

AVERAGES = {"micro": micro, "macro": macro}
# Part of the documentation.
PAGE = Path(__file__).with_suffix(".md")
REAL_PAGE = PAGE.with_name("decisions_real.md")
SETTLED = ("shared", "exact", "FBR.1")


def decide_by_tuning(data: Holdout, **wish: object) -> np.ndarray:
    """Return the decisions on the test rows of thresholds that were tuned on the others."""
    tuned = best_thresholds(data.scores, data.Y, random_state=0, **wish)
    return np.asarray(tuned.decide(data.scores_test))


def decide_by_grid(data: Holdout) -> np.ndarray:
    """Return the decisions of the best of 100 thresholds of each label, evenly spaced."""
    truth = data.Y.toarray().astype(bool)
    thresholds = []
    for column, positive in zip(data.scores.T, truth.T, strict=True):
        grid = np.linspace(column.min(), column.max(), 100)
        decided = column[:, None] >= grid
        hits = (decided & positive[:, None]).sum(axis=0)
        f = 2 * hits / np.maximum(1, decided.sum(axis=0) + positive.sum())
        thresholds.append(grid[np.argmax(f)])
    return (data.scores_test >= np.array(thresholds)).astype(np.int8)


def ways(average: str) -> dict[str, Callable[[Holdout], np.ndarray]]:
    """Return the decision rules that are compared under one average."""
    return {
        "0.5": lambda data: (data.scores_test >= 0.5).astype(np.int8),
        "grid": decide_by_grid,
        "SCut": lambda data: decide_by_tuning(data, maximize="macro-f"),
        "LFP": lambda data: maximize_expected_f_independent(data.scores_test)[0],
        "FBR.1": lambda data: decide_by_tuning(data, maximize=f"{average}-f", fbr=("auto", 1)),
        "shared": lambda data: decide_by_tuning(data, maximize=f"{average}-f", shared=True),
        "exact": lambda data: decide_by_tuning(data, maximize=f"{average}-f"),
        "auto": lambda data: decide_by_tuning(data, maximize=f"{average}-f", shrink="auto"),
    }


def rows_held_out(name: str, number: int) -> Holdout:
    """Return the scores of one holdout of a set."""
    if name not in real_scores.SETS:
        return holdout(name, number)
    tuning, testing = real_scores.scored_rows(name).split(number, 2 / 3)
    scores, Y = tuning.scores, sparse.csc_array(tuning.Y)
    return Holdout(Y, scores, sparse.csc_array(testing.Y), testing.scores)


def measured(name: str, n_holdouts: int) -> dict[str, dict[str, float]]:
    """Return the mean test value of each decision rule under each average."""
    found: dict[str, dict[str, list[float]]] = {
        average: {way: [] for way in ways(average)} for average in AVERAGES
    }
    for number in range(n_holdouts):
        data = rows_held_out(name, number)
        known: dict[str, np.ndarray] = {}
        for average, joined in AVERAGES.items():
            for way, decide in ways(average).items():
                # What does not depend on the average is decided once.
                key = way if way in ("0.5", "grid", "SCut", "LFP") else f"{average} {way}"
                decided = known[key] if key in known else known.setdefault(key, decide(data))
                value = joined(f_measure, count(data.Y_test, decided))
                found[average][way].append(float(value))
    return {
        average: {way: float(np.mean(values)) for way, values in by_way.items()}
        for average, by_way in found.items()
    }


def show(average: str, results: dict[str, dict[str, dict[str, float]]]) -> str:
    """Print the table of one average, and return it for a page.

    The last column is what "auto" gains on the better of shared and exact.
    """
    names = list(ways(average))
    rows = {name: result[average] for name, result in results.items()}
    rows["mean"] = {way: float(np.mean([row[way] for row in rows.values()])) for way in names}
    gains = {name: row["auto"] - max(row["shared"], row["exact"]) for name, row in rows.items()}
    table = Table(title=f"Test {average} F, means over holdouts")
    heads = ("set", *names, "auto - better end")
    for heading in heads:
        table.add_column(heading, justify="left" if heading == "set" else "right")
    lines = [f"| {' | '.join(heads)} |", f"|---|{'--:|' * (len(heads) - 1)}"]
    for name, row in rows.items():
        cells = [name, *(f"{row[way]:.4f}" for way in names), f"{gains[name]:+.4f}"]
        table.add_row(*cells, end_section=name == list(rows)[-2])
        lines.append(f"| {' | '.join(cells)} |")
    Console(width=120).print(table)
    margins = (f"{rows['mean']['auto'] - rows['mean'][way]:+.4f} over {way}" for way in SETTLED)
    least = min(gain for name, gain in gains.items() if name != "mean")
    said = f"auto: {', '.join(margins)}; at worst {least:+.4f} beside the better end of a set."
    print(said)
    return "\n".join([f"Test {average} F:", "", *lines, "", said])


def main() -> None:
    """Measure all sets, or those named in BENCH_SETS, on BENCH_HOLDOUTS holdouts."""
    if not HOME.is_dir():
        print(f"decisions: no benchmark sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    every = ",".join((*real_scores.SETS, *SETS))
    chosen = os.environ.get("BENCH_SETS", every).split(",")
    n_holdouts = int(os.environ.get("BENCH_HOLDOUTS", N_HOLDOUTS))
    results = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has no positives")
        for name in chosen:
            results[name] = measured(name, n_holdouts)
            print(f"{name}: {n_holdouts} holdouts done.", flush=True)
    for names, page in ((real_scores.SETS, REAL_PAGE), (SETS, PAGE)):
        part = {name: results[name] for name in names if name in results}
        tables = [show(average, part) for average in AVERAGES if part]
        if len(part) == len(names) and n_holdouts == N_HOLDOUTS:
            with written_whole(page) as stream:
                stream.write(("\n\n".join(tables) + "\n").encode())
            print(f"written to {page}")


if __name__ == "__main__":
    main()
