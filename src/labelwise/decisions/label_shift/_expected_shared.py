"""The common threshold of all labels with the highest measure of expected counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelwise._counts import Measure, counts_of
from labelwise._curves import halfway
from labelwise.decisions.label_shift._expected_counts import ExpectedCounts, rounded_up
from labelwise.decisions.objectives._choice import first_best


def shared_threshold(expected: ExpectedCounts, measure: Measure, average: str) -> float:
    """Find the common threshold with the highest micro or macro average."""
    find = _micro_values if average == "micro" else _macro_values
    falling, values = find(expected, measure)
    uppers, lowers = np.append(np.inf, falling), np.append(falling, -np.inf)
    best = first_best(values, uppers > lowers)
    return float(halfway(uppers[[best]], lowers[[best]])[0])


def _micro_values(expected: ExpectedCounts, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return all scores in falling order, and the micro average after 0, 1, 2, ... decisions."""
    falling, (hits,) = _summed_curves(expected, lambda hits: hits[None])
    n_cells = expected.proba.n_samples * int(expected.labels.sum())
    counts = counts_of(np.arange(hits.size), hits, hits[-1], n_cells)
    return falling, np.asarray(measure(rounded_up(counts)))


def _macro_values(expected: ExpectedCounts, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return the same for the sum over labels; NaN where more labels than needed have no value."""

    def values_of(hits: np.ndarray) -> np.ndarray:
        counts = counts_of(np.arange(hits.size), hits, hits[-1], expected.proba.n_samples)
        values = np.asarray(measure(rounded_up(counts)))
        return np.stack((np.isnan(values), np.nan_to_num(values)))

    falling, (undefined, values) = _summed_curves(expected, values_of)
    return falling, np.where(undefined > undefined.min(), np.nan, values)


def _summed_curves(
    expected: ExpectedCounts, curves_of: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return all scores in falling order, and sums over labels after 0, 1, 2, ... decisions.

    `curves_of` takes the expected hits of a label after 0, 1, 2, ... decisions, and returns rows
    of the same length.
    """
    n_labels = expected.old.size
    scores: list[np.ndarray] = [np.zeros(0)] * n_labels
    curves: list[np.ndarray | None] = [None] * n_labels

    def add(j: int, column: np.ndarray, adapted: np.ndarray) -> None:
        order = np.argsort(-column, kind="stable")
        scores[j] = column[order]
        curves[j] = curves_of(np.append(0.0, np.cumsum(adapted[order])))

    expected.for_each_label(add)
    found = [curve for curve in curves if curve is not None]
    order = np.argsort(-np.concatenate(scores), kind="stable")
    steps = np.concatenate([np.diff(curve) for curve in found], axis=1)[:, order]
    start = sum(curve[:, :1] for curve in found)
    return np.concatenate(scores)[order], np.cumsum(np.hstack((start, steps)), axis=1)
