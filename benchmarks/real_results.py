"""Decisions on scores of two real networks: at 0.5, tuned, and certified, on the other half.

nih-chestxray is split by patient and ptbxl by record, twenty times. Thresholds are tuned on half of
the patients or records, and measured on the others. A precision is asked for without and with a
guarantee; every patient counts the same, in the guarantee and in the measured rates, unless a line
says otherwise. "kept" counts the splits in which the other half has at least the precision that was
asked for, among those in which thresholds were found. The page goes into the docs, and README has
some of its lines.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.real_scores import ScoredRows, scored_rows
from benchmarks.scored_sets import HOME
from labelwise.decisions import Certify, best_thresholds, certified_frontier
from labelwise.measures import count

PAGE = Path(__file__).with_suffix(".md")
N_SPLITS = 20
LEVEL = 0.95
ASKED = {"nih-chestxray": 0.4, "ptbxl": 0.9}
BY_ROW = "every image counts the same"
HEAD = ("decided", "found", "precision", "recall", "micro F", "kept", "lowest", "worst slice")


class Rates(NamedTuple):
    """Micro precision, recall and F on new rows, and the lowest precision of a slice."""

    precision: float
    recall: float
    f: float
    worst: float


def weights_of(rows: ScoredRows) -> np.ndarray:
    """Return weights of the rows with which every group counts the same."""
    _, number, sizes = np.unique(rows.groups, return_inverse=True, return_counts=True)
    return np.asarray(1 / sizes[number])


def rates(rows: ScoredRows, decided: np.ndarray, by_row: bool) -> Rates:
    """Return the rates where every group counts the same, the mean over its rows, or every row."""
    weights = np.ones(len(rows.Y)) if by_row else weights_of(rows)
    tp, fp, fn, _ = count(rows.Y, decided, by="sample")
    hits, n_decided, positives = (weights * part for part in (tp, tp + fp, tp + fn))
    sums = [
        [part[rows.slices == one].sum() for one in np.unique(rows.slices)]
        for part in (hits, n_decided)
    ]
    by_slice = [hit / total for hit, total in zip(*sums, strict=True) if total]
    total = n_decided.sum()
    return Rates(
        hits.sum() / total if total else np.nan,
        hits.sum() / positives.sum(),
        2 * hits.sum() / (total + positives.sum()),
        min(by_slice, default=np.nan),
    )


def ways(name: str) -> dict[str, Callable[[ScoredRows, ScoredRows], Any]]:
    """Return what is compared: functions of tuning and new rows that return decisions."""
    asked = ASKED[name]
    is_grouped = name == "nih-chestxray"

    def tuned(guarantee: Any = None, by_slice: bool = False, **options: Any) -> Any:
        def decide(tuning: ScoredRows, new: ScoredRows) -> Any:
            given = {"groups": tuning.groups} if is_grouped else {}
            slices = {"slices": tuning.slices} if by_slice else {}
            options.setdefault("random_state", 0)
            if guarantee is not None:
                options["guarantee"] = guarantee
            elif is_grouped:
                given["sample_weight"] = weights_of(tuning)
            rule = best_thresholds(tuning.scores, tuning.Y, **given, **slices, **options)
            return rule.decide(new.scores, **({"slices": new.slices} if by_slice else {}))

        return decide

    def on_line(tuning: ScoredRows, new: ScoredRows) -> Any:
        given = {"groups": tuning.groups} if is_grouped else {}
        level = Certify(LEVEL, weigh=weigh)
        line = certified_frontier(tuning.scores, tuning.Y, level=level, random_state=0, **given)
        return line.at(line.find(min_precision=asked)).decide(new.scores)

    weigh = "group" if is_grouped else "sample"
    least = {"min_precision": asked}
    found = {
        "at 0.5": lambda _, new: (new.scores >= 0.5).astype(np.int8),
        "tuned for micro F": tuned(shrink="auto"),
        f"precision {asked}": tuned(**least),
        f"precision {asked}, certified": tuned(Certify(LEVEL, weigh=weigh), **least),
        f"precision {asked}, any point of a certified line": on_line,
    }
    if is_grouped:
        found[f"precision {asked}, certified, {BY_ROW}"] = tuned(LEVEL, **least)
        found[f"precision {asked}, by slice"] = tuned(by_slice=True, **least)
        in_all = Certify(LEVEL, weigh=weigh, across="slices")
        found[f"precision {asked}, certified in every slice"] = tuned(in_all, True, **least)
    return found


def line(words: str, found: list[Rates], asked: float) -> str:
    """Return a line of the table."""
    if not found:
        return f"| {words} | 0 of {N_SPLITS} | - | - | - | - | - | - |"
    means = np.mean(found, axis=0)
    precisions = [one.precision for one in found]
    n_kept = sum(value >= asked for value in precisions)
    cells = [words, f"{len(found)} of {N_SPLITS}", *(f"{value:.3f}" for value in means[:3])]
    cells += [f"{n_kept} of {len(found)}", f"{min(precisions):.3f}", f"{means[3]:.3f}"]
    return f"| {' | '.join(cells)} |"


def table(name: str) -> list[str]:
    """Return the table of a set, and print it line by line."""
    rows, lines = scored_rows(name), [f"| {' | '.join(HEAD)} |", f"|---|{'--:|' * 7}"]
    for words, decide in ways(name).items():
        found = []
        for number in range(N_SPLITS):
            tuning, new = rows.split(number)
            try:
                found.append(rates(new, np.asarray(decide(tuning, new)), BY_ROW in words))
            except ValueError:
                continue
        lines.append(line(words, found, ASKED[name]))
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Measure both sets, print the tables, and write them for the docs."""
    if not HOME.is_dir():
        print(f"real_results: no sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    warnings.filterwarnings("ignore", message="Y has no positives|Constraints that new|.*in slices")
    parts = []
    for name, asked in ASKED.items():
        parts += [f"{name}, precision {asked} asked for:", *table(name)]
    text = "\n".join(parts).replace(":\n|", ":\n\n|").replace("|\nptbxl", "|\n\nptbxl")
    PAGE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
