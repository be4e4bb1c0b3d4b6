"""Thresholds after a shift of label frequencies: kept, adapted without labels, and tuned again.

Scores are those of `scored_sets`, calibrated by isotonic regression of each label on the rows for
tuning. The test rows are resampled by one label: three quarters of the rows without it are left out
("more"), or three quarters of those with it ("less"). Frequencies of other labels move along.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.isotonic import IsotonicRegression

from benchmarks.scored_sets import HOME, Holdout, holdout
from labelwise._io import written_whole
from labelwise.decisions import Thresholds, adapt_thresholds, best_thresholds
from labelwise.measures import Counts, count, f_measure, macro, micro

SETS = ("scene", "yeast", "enron", "tmc2007-500")
RESAMPLED = "F of the label by which rows were resampled"
# What is measured, and the average that thresholds are tuned for.
VIEWS = {"Micro F": "micro", "Macro F": "macro", RESAMPLED: "macro"}
CHOICES = ("old", "adapted", "one adapted", "all adapted", "tuned again")
HEADS = ("set", "rows by one label", "labels moved", *CHOICES)
N_HOLDOUTS = 5
N_LABELS = 5
# Part of the documentation.
PAGE = Path(__file__).with_suffix(".md")


class Rows(NamedTuple):
    """Probabilities and labels of the test rows after a shift."""

    shift: str
    label: int | None  # by which rows were resampled
    proba: np.ndarray
    Y: np.ndarray


def calibrated(data: Holdout) -> tuple[np.ndarray, np.ndarray]:
    """Return the calibrated scores of the rows for tuning and of those for testing."""
    found = []
    for scores, y, new in zip(data.scores.T, data.Y.toarray().T, data.scores_test.T, strict=True):
        model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, y)
        found.append((model.predict(scores), model.predict(new)))
    tuning, testing = zip(*found, strict=True)
    return np.column_stack(tuning), np.column_stack(testing)


def shifted(proba: np.ndarray, Y: np.ndarray, random: np.random.Generator) -> Iterator[Rows]:
    """Yield the test rows as they are, then resampled by some of the frequent labels."""
    yield Rows("none", None, proba, Y)
    share = Y.mean(axis=0)
    frequent = np.flatnonzero((share > 0.05) & (share < 0.6))
    for label in random.permutation(frequent)[:N_LABELS]:
        for shift, dropped in (("more", Y[:, label] == 0), ("less", Y[:, label] == 1)):
            kept = ~dropped | (random.random(len(Y)) < 0.25)
            yield Rows(shift, int(label), proba[kept], Y[kept])


def values(tuned: Thresholds, rows: Rows, view: str) -> list[float]:
    """Return the number of labels that moved, and F of each choice of thresholds."""
    adapted = adapt_thresholds(tuned, rows.proba)
    labels = [] if rows.label is None else [rows.label]
    everywhere = adapt_thresholds(tuned, rows.proba, alpha=1)
    one_label = adapt_thresholds(tuned, rows.proba, labels=labels)
    again = best_thresholds(rows.proba, rows.Y, maximize=f"{tuned.evidence.average}-f")
    found = [adapted.moved.sum()]
    results = (adapted, one_label, everywhere)
    for one in (tuned, *(result.thresholds for result in results), again):
        counts = count(rows.Y, one.decide(rows.proba))
        if view == RESAMPLED:
            found.append(f_measure(Counts(*(part[rows.label] for part in counts))))
        else:
            found.append((micro if tuned.evidence.average == "micro" else macro)(f_measure, counts))
    return [float(value) for value in found]


def measured_on(name: str, n_holdouts: int) -> dict[str, dict[str, np.ndarray]]:
    """Return the means for each view and shift."""
    found: dict[str, dict[str, list[list[float]]]] = {view: {} for view in VIEWS}
    for number in range(n_holdouts):
        data = holdout(name, number)
        tuning, testing = calibrated(data)
        Y_test = data.Y_test.toarray()
        for view, average in VIEWS.items():
            tuned = best_thresholds(tuning, data.Y, maximize=f"{average}-f")
            for rows in shifted(testing, Y_test, np.random.default_rng(number)):
                if view != RESAMPLED or rows.label is not None:
                    found[view].setdefault(rows.shift, []).append(values(tuned, rows, view))
    return {
        view: {shift: np.mean(rows, axis=0) for shift, rows in by_shift.items()}
        for view, by_shift in found.items()
    }


def table(view: str, results: dict[str, dict[str, dict[str, np.ndarray]]]) -> str:
    """Return one table for a page."""
    lines = [f"| {' | '.join(HEADS)} |", f"|---|---|{'--:|' * (len(HEADS) - 2)}"]
    for name, result in results.items():
        for shift, (n_moved, *f) in result[view].items():
            cells = [name, shift, f"{n_moved:.1f}", *(f"{value:.4f}" for value in f)]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([f"{view}:", "", *lines])


def main() -> None:
    """Measure all sets, or those named in BENCH_SETS, on BENCH_HOLDOUTS holdouts."""
    if not HOME.is_dir():
        print(f"label_shift: no benchmark sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    chosen = os.environ.get("BENCH_SETS", ",".join(SETS)).split(",")
    n_holdouts = int(os.environ.get("BENCH_HOLDOUTS", N_HOLDOUTS))
    results = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has ")
        for name in chosen:
            results[name] = measured_on(name, n_holdouts)
            print(f"{name}: {n_holdouts} holdouts done.", flush=True)
    tables = "\n\n".join(table(view, results) for view in VIEWS)
    print(tables)
    if chosen == list(SETS) and n_holdouts == N_HOLDOUTS:
        with written_whole(PAGE) as stream:
            stream.write(f"{tables}\n".encode())
        print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
