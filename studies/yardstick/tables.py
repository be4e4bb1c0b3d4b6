"""Tables of the yardstick study: means over splits beside the published values."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import studies
from studies.comparison import Cell, Table

PUBLISHED = studies.HOME.parent / "yardstick" / "bogatinovski2022.csv"
# What a learner is asked to maximise for each published measure.
MEASURES = {
    "micro-f": "micro-f",
    "macro-f": "macro-f",
    "sample-f": "sample-f",
    "hamming-loss": "micro-accuracy",
}
TOLERANCE = 0.01
# Measures whose corrected value counts every cell as the published measure does.
COMPARED = ("micro-f", "hamming-loss")


def published() -> dict[tuple[str, str], dict[str, float]]:
    """Return the value of each method by set and measure; 0 means that it did not finish."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    with PUBLISHED.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            value = float(row["value"])
            if value:
                found.setdefault((row["dataset"], row["measure"]), {})[row["method"]] = value
    return found


def best_published(values: Mapping[str, float], measure: str) -> float:
    """Return the best value of all methods: the lowest loss, the highest F."""
    return (min if measure == "hamming-loss" else max)(values.values())


def tables_of(
    found: Mapping[str, Sequence[Mapping[str, float]]], most_seconds: Mapping[str, float]
) -> Table:
    """Return the tables of measured splits; `most_seconds` limits the candidates of large sets."""
    printed = published()
    runs = ", ".join(f"{name} {len(splits)}" for name, splits in found.items())
    minutes = ", ".join(
        f"{name} {np.mean([one['seconds'] for one in splits]) / 60:.1f}"
        for name, splits in found.items()
    )
    limits = ", ".join(f"{name} {most:.0f}" for name, most in most_seconds.items())
    words = (
        "Means over iteratively stratified 60/40 splits beside the best of 28 published methods "
        f"(one split, read to about 0.02). Number of splits: {runs}. For micro F and macro F the "
        f"aim is at least the best minus {TOLERANCE}; sample F and Hamming loss are shown. "
        "`BestLearner` chooses one candidate for the measure of the column, `blend` may average "
        "the best few. An F of 0/0 counts 0, as in the publication. On large sets, candidates are "
        f"left out whose fits are predicted to take more seconds together: {limits}. Minutes of "
        f"one core for a split, with all candidates and all measures: {minutes}."
    )
    cells = [cell for name, splits in found.items() for cell in _cells(name, splits, printed)]
    keys = ("dataset", "learner", "measure")
    others = (
        single_methods(found, printed),
        candidates_table(found),
        bias_table(found),
        corrected_table(found),
    )
    return Table("yardstick", "best_of_28", "best of 28 methods", words, keys, cells, others)


def _cells(
    name: str, splits: Sequence[Mapping[str, float]], printed: Mapping[Any, Any]
) -> list[Cell]:
    cells = []
    for title in ("BestLearner", "blend"):
        for measure in MEASURES:
            best = best_published(printed[name, measure], measure)
            mean = float(np.mean([one[f"{measure}/{title}"] for one in splits]))
            aim = "at least" if measure in ("micro-f", "macro-f") else "shown"
            cells.append(Cell((name, title, measure), f"{best:.3f}", mean, TOLERANCE, aim))
    return cells


def single_methods(
    found: Mapping[str, Sequence[Mapping[str, float]]], printed: Mapping[Any, Any]
) -> Table:
    """Return means over the sets beside the published method with the best mean."""
    cells, best_names = [], []
    for title in ("BestLearner", "blend"):
        for measure in MEASURES:
            of_methods: dict[str, list[float]] = {}
            for name in found:
                for method, value in printed[name, measure].items():
                    of_methods.setdefault(method, []).append(value)
            means = {
                method: float(np.mean(values))
                for method, values in of_methods.items()
                if len(values) == len(found)
            }
            is_loss = measure == "hamming-loss"
            best = (min if is_loss else max)(means, key=lambda method: means[method])
            best_names.append(f"{best} for {measure}")
            ours = [np.mean([one[f"{measure}/{title}"] for one in s]) for s in found.values()]
            aim = "at most" if is_loss else "at least"
            where = (title, measure)
            cells.append(Cell(where, f"{means[best]:.4f}", float(np.mean(ours)), 0.0, aim))
    words = (
        f"Means over {len(found)} sets beside the published method with the best mean over the "
        f"same sets ({', '.join(dict.fromkeys(best_names))}), which finished on all of them."
    )
    keys = ("learner", "measure")
    return Table("yardstick", "single_methods", "best single method", words, keys, cells)


def candidates_table(found: Mapping[str, Sequence[Mapping[str, float]]]) -> Table:
    """Return the mean test value of each candidate by itself, and how often it was chosen."""
    cells = []
    for name, splits in found.items():
        titles = [key.split("/")[1] for key in splits[0] if key.startswith("micro-f/")]
        titles = [title for title in dict.fromkeys(titles) if title != "chosen"]
        for number, title in enumerate(titles):
            for measure in MEASURES:
                mean = float(np.mean([one[f"{measure}/{title}"] for one in splits]))
                cells.append(Cell((name, title, measure), "", mean))
            times = sum(one["micro-f/chosen"] == number - 2 for one in splits)
            if number >= 2:
                cells.append(Cell((name, title, "chosen for micro-f"), "", float(times)))
    words = (
        "Means over the splits of each candidate by itself, tuned for the measure of the column, "
        "and in how many splits `BestLearner` chose it for micro F."
    )
    keys = ("dataset", "learner", "measure")
    return Table("yardstick", "candidates", "single candidates", words, keys, cells)


def corrected_table(found: Mapping[str, Sequence[Mapping[str, float]]]) -> Table:
    """Return the corrected value of the choice and its test value, for every run."""
    cells = [
        Cell((title, measure, name, str(number), column), "", value)
        for title in ("BestLearner", "blend")
        for measure in COMPARED
        for name, splits in found.items()
        for number, one in enumerate(splits)
        for column, value in (
            ("corrected", _corrected(one, measure, title)),
            ("test", one[f"{measure}/{title}"]),
        )
    ]
    words = (
        "Corrected value of the chosen learner, from the training rows, and its value on the test "
        "rows, split by split. Macro F and sample F are left out, because the corrected value "
        "counts an undefined F otherwise."
    )
    keys = ("learner", "measure", "dataset", "split", "value")
    return Table("yardstick", "corrected", "corrected and test value", words, keys, cells)


def bias_table(found: Mapping[str, Sequence[Mapping[str, float]]]) -> Table:
    """Return the mean of corrected value minus test value: it should be within 0.01 of 0."""
    cells = []
    for title in ("BestLearner", "blend"):
        for measure in COMPARED:
            runs = [one for splits in found.values() for one in splits]
            bias = [_corrected(one, measure, title) - one[f"{measure}/{title}"] for one in runs]
            cells.append(Cell((title, measure), "0.000", float(np.mean(bias)), TOLERANCE))
    words = (
        "Mean over all runs of the corrected value of the chosen learner minus its value on the "
        "test rows, which should be 0 within 0.01. The learner with the highest of several values "
        "is chosen, which makes it too high; models of the folds have a fifth fewer rows, which "
        "makes it too low."
    )
    keys = ("learner", "measure")
    return Table("yardstick", "bias", "bias of corrected values", words, keys, cells)


def _corrected(one: Mapping[str, float], measure: str, title: str) -> float:
    """Return the corrected value as the measure is published: a loss instead of an accuracy."""
    corrected = one[f"{measure}/{title}/corrected"]
    return 1 - corrected if measure == "hamming-loss" else corrected
