"""Thresholds with the highest measure of expected counts: one level for all labels, or for each.

Adapted probabilities rise with the score, so that the expected curve of each label is its own
concave hull, and the best decisions for any number of them are those with the highest adapted
probabilities. Every measure that rises with true positives and not with other decisions is
therefore highest if labels are decided from one level of the adapted probability on. (Equal
probabilities are decided together; for measures that are not quotients of linear functions of the
counts, deciding those of one label only may be better.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import Measure, counts_of
from labelwise.decisions.label_shift._expected_counts import ExpectedCounts, at_priors, rounded_up
from labelwise.decisions.objectives._choice import first_best
from labelwise.decisions.objectives._linear_fractional import certificate_of, least_certificate

# A level whose value bounds the best level from below, so that not all probabilities are sorted.
_TRIED = 0.25
# Relative rounding error of a bound that is allowed for.
_SLACK = 1e-9
# Probabilities that differ relatively by less are equal but for rounding, and decided together.
_ROUNDING = 1e-12


def micro_thresholds(expected: ExpectedCounts, measure: Measure) -> np.ndarray:
    """Find the thresholds of all labels with the highest micro average."""
    n_labels = expected.old.size
    sums = np.zeros((3, n_labels))

    def add(j: int, _: np.ndarray, adapted: np.ndarray) -> None:
        tried = adapted[adapted >= _TRIED]
        sums[:, j] = tried.size, tried.sum(), adapted.sum()

    expected.for_each_label(add)
    decided, hits, n_positive = map(float, sums.sum(axis=1))
    n_cells = expected.proba.n_samples * int(expected.labels.sum())
    value = float(measure(rounded_up(counts_of(decided, hits, n_positive, n_cells))))
    bound = least_certificate(measure, value, n_positive, n_cells) or 0.0
    floor = bound * (1 - _SLACK)
    kept: list[np.ndarray] = [np.zeros(0)] * n_labels

    def keep(j: int, _: np.ndarray, adapted: np.ndarray) -> None:
        kept[j] = adapted[adapted >= floor]

    expected.for_each_label(keep)
    curve = ExpectedCurve(np.concatenate(kept), n_positive, n_cells, floor)
    return _at_level(curve.best_level(measure), expected.old, expected.new)


def macro_thresholds(
    expected: ExpectedCounts, measure: Measure, thresholds: np.ndarray
) -> np.ndarray:
    """Replace the thresholds of the chosen labels by those with the highest measure."""
    levels = np.zeros(thresholds.size)
    n_samples = expected.proba.n_samples

    def choose(j: int, _: np.ndarray, adapted: np.ndarray) -> None:
        levels[j] = ExpectedCurve(adapted, float(adapted.sum()), n_samples).best_level(measure)

    expected.for_each_label(choose)
    chosen = _at_level(levels, expected.old, expected.new)
    return np.where(expected.labels, chosen, thresholds)


class ExpectedCurve(NamedTuple):
    """Adapted probabilities of one label or of all labels; those below `floor` are left out."""

    adapted: np.ndarray
    n_positive: float
    n_cells: int
    floor: float = 0.0

    def best_level(self, measure: Measure) -> float:
        """Return the level of the probability from which on decisions have the highest value.

        For quotients of linear functions of the counts, the level is the certificate λ of the
        best value, which lies between two successive probabilities; for other measures it is
        halfway between them.
        """
        falling = np.sort(self.adapted)[::-1]
        hits = np.concatenate(([0.0], np.cumsum(falling)))
        decided = np.arange(hits.size)
        values = measure(rounded_up(counts_of(decided, hits, self.n_positive, self.n_cells)))
        bounds = np.concatenate(([1.0], falling, [self.floor]))
        is_cut = bounds[1:] < bounds[:-1] * (1 - _ROUNDING)
        # No decision is always possible, and so is deciding all, even at the floor itself.
        is_cut[[0, -1]] = True
        best = first_best(values, is_cut)
        upper, lower = bounds[best], bounds[best + 1]
        level = certificate_of(measure, float(values[best]), self.n_positive, self.n_cells)
        # Away from both probabilities, since rounding of thresholds must not change decisions.
        margin = (upper - lower) / 8
        middle = (upper + lower) / 2
        return float(np.clip(middle if level is None else level, lower + margin, upper - margin))


def _at_level(level: Any, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return the thresholds at which adapted probabilities reach a level."""
    thresholds = at_priors(np.broadcast_to(level, old.shape), new, old)
    return np.where(new > 0, thresholds, np.inf)
