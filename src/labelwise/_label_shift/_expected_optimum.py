"""Thresholds with the highest measure of expected counts, at new frequencies of the labels.

In expected counts, each new sample counts as positive with its adapted probability
(`ExpectedCounts`). Adapted probabilities rise with the score, so that the expected curve of each
label is its own concave hull, and the best decisions for any number of them are those with the
highest adapted probabilities. Every measure that rises with true positives and not with other
decisions is therefore highest if labels are decided from one level of the adapted probability on:
of all labels for the micro average, of each label for the macro average. (Equal probabilities are
decided together; for measures that are not quotients of linear functions of the counts, deciding
those of one label only may be better.) One threshold for all labels is a level of the scores
instead, and is found by trying all of them (`shared_threshold`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._counts import Measure, counts_of
from labelwise._curves import halfway
from labelwise._label_shift._label_priors import for_each_label
from labelwise._tuning.objectives._choice import first_best
from labelwise._tuning.objectives._linear_fractional import certificate_of, least_certificate
from labelwise.measures import Counts

# A level whose value bounds the best level from below, so that not all probabilities are sorted.
_TRIED = 0.25
# Relative rounding error of a bound that is allowed for.
_SLACK = 1e-9
# Probabilities that differ relatively by less are equal but for rounding, and decided together.
_ROUNDING = 1e-12


def at_priors(p: Any, old: Any, new: Any) -> Any:
    """Return what probabilities become if the frequency of the label is `new` instead of `old`.

    With the frequencies exchanged, this is the inverse function.
    """
    positive = p * new * (1 - old)
    negative = (1 - p) * (1 - new) * old
    total = positive + negative
    return np.divide(positive, total, out=np.array(p, dtype=np.float64), where=total > 0)


@dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """Expected counts of decisions on new samples, whose labels have new frequencies."""

    proba: Any  # probabilities of new samples, dense or CSC
    old: np.ndarray
    new: np.ndarray
    labels: np.ndarray  # mask of the labels whose thresholds are chosen

    @property
    def n_samples(self) -> int:
        """Number of new samples."""
        return int(self.proba.shape[0])

    def for_each_chosen(self, work: Callable[[int, np.ndarray, np.ndarray], None]) -> None:
        """Call `work` with each chosen label, its probabilities and the adapted ones."""

        def on_column(j: int, column: np.ndarray) -> None:
            if self.labels[j]:
                work(j, column, at_priors(column, self.old[j], self.new[j]))

        for_each_label(self.proba, on_column)

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the expected counts of each label at its threshold."""
        decided, hits, positives = np.zeros((3, thresholds.size))

        def add(j: int, column: np.ndarray) -> None:
            adapted = at_priors(column, self.old[j], self.new[j])
            reached = column >= thresholds[j]
            decided[j] = np.count_nonzero(reached)
            hits[j], positives[j] = adapted[reached].sum(), adapted.sum()

        for_each_label(self.proba, add)
        return _expected(decided, hits, positives, self.n_samples)


def _expected(decided: Any, hits: Any, positives: Any, n_cells: int) -> Counts:
    """Return expected counts, of which rounding has made none negative."""
    return Counts(*(np.maximum(part, 0.0) for part in counts_of(decided, hits, positives, n_cells)))


def micro_thresholds(expected: ExpectedCounts, measure: Measure) -> np.ndarray:
    """Find the thresholds of all labels with the highest micro average."""
    n_labels = expected.old.size
    sums = np.zeros((3, n_labels))

    def add(j: int, _: np.ndarray, adapted: np.ndarray) -> None:
        tried = adapted[adapted >= _TRIED]
        sums[:, j] = tried.size, tried.sum(), adapted.sum()

    expected.for_each_chosen(add)
    decided, hits, n_positive = map(float, sums.sum(axis=1))
    n_cells = expected.n_samples * int(expected.labels.sum())
    value = float(measure(_expected(decided, hits, n_positive, n_cells)))
    bound = least_certificate(measure, value, n_positive, n_cells) or 0.0
    floor = bound * (1 - _SLACK)
    kept: list[np.ndarray] = [np.zeros(0)] * n_labels

    def keep(j: int, _: np.ndarray, adapted: np.ndarray) -> None:
        kept[j] = adapted[adapted >= floor]

    expected.for_each_chosen(keep)
    level = _best_level(measure, np.concatenate(kept), n_positive, n_cells, floor)
    return _at_level(level, expected.old, expected.new)


def macro_thresholds(
    expected: ExpectedCounts, measure: Measure, thresholds: np.ndarray
) -> np.ndarray:
    """Replace the thresholds of the chosen labels by those with the highest measure."""
    levels = np.zeros(thresholds.size)
    n_samples = expected.n_samples

    def choose(j: int, _: np.ndarray, adapted: np.ndarray) -> None:
        levels[j] = _best_level(measure, adapted, float(adapted.sum()), n_samples)

    expected.for_each_chosen(choose)
    chosen = _at_level(levels, expected.old, expected.new)
    return np.where(expected.labels, chosen, thresholds)


def _best_level(
    measure: Measure, adapted: np.ndarray, n_positive: float, n_cells: int, floor: float = 0.0
) -> float:
    """Return the level of the probability from which on decisions have the highest value.

    `adapted` are the probabilities of one label or of all labels, without those below `floor`. For
    quotients of linear functions of the counts, the level is the certificate λ of the best value,
    which lies between two successive probabilities; for other measures it is halfway between them.
    """
    falling = np.sort(adapted)[::-1]
    hits = np.concatenate(([0.0], np.cumsum(falling)))
    values = measure(_expected(np.arange(hits.size), hits, n_positive, n_cells))
    bounds = np.concatenate(([1.0], falling, [floor]))
    is_cut = bounds[1:] < bounds[:-1] * (1 - _ROUNDING)
    # No decision is always possible, and so is deciding all, even at the floor itself.
    is_cut[[0, -1]] = True
    best = first_best(values, is_cut)
    upper, lower = bounds[best], bounds[best + 1]
    level = certificate_of(measure, float(values[best]), n_positive, n_cells)
    # Away from both probabilities, since rounding of thresholds must not change decisions.
    margin = (upper - lower) / 8
    middle = (upper + lower) / 2
    return float(np.clip(middle if level is None else level, lower + margin, upper - margin))


def _at_level(level: Any, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return the thresholds at which adapted probabilities reach a level."""
    thresholds = at_priors(np.broadcast_to(level, old.shape), new, old)
    return np.where(new > 0, thresholds, np.inf)


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
    n_cells = expected.n_samples * int(expected.labels.sum())
    counts = _expected(np.arange(hits.size), hits, hits[-1], n_cells)
    return falling, np.asarray(measure(counts))


def _macro_values(expected: ExpectedCounts, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return the same for the sum over labels; NaN where more labels than needed have no value."""

    def values_of(hits: np.ndarray) -> np.ndarray:
        counts = _expected(np.arange(hits.size), hits, hits[-1], expected.n_samples)
        values = np.asarray(measure(counts))
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

    expected.for_each_chosen(add)
    found = [curve for curve in curves if curve is not None]
    order = np.argsort(-np.concatenate(scores), kind="stable")
    steps = np.concatenate([np.diff(curve) for curve in found], axis=1)[:, order]
    start = sum(curve[:, :1] for curve in found)
    return np.concatenate(scores)[order], np.cumsum(np.hstack((start, steps)), axis=1)
