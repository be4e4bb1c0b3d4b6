"""Measures of expected counts: which of them are linear, quotients, or the coverage of labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import average_and_measure, record_of, with_beta
from labelwise.decisions.at_k._at_k_kernels import (
    BASE,
    SLOPE,
    CandidateCells,
    Climb,
    Decisions,
    Ratios,
)
from labelwise.measures import Counts


class Expected(NamedTuple):
    """Probabilities by row, and the expected positives and negatives of each label."""

    cells: CandidateCells
    positives: np.ndarray
    negatives: np.ndarray
    n_samples: int

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.positives.size)

    def most_of(self, k: int) -> int:
        """Return k, or the largest number of cells of a row if k is more."""
        return min(k, max(1, int(np.diff(self.cells.starts).max(initial=1))))

    def counts(self, chosen: np.ndarray) -> Counts:
        """Return the expected counts of each label, given the numbers of the decided cells.

        Every count is a sum of terms that are not negative: its relative error is that of rounding,
        also for probabilities next to 1, of which differences of sums would leave nothing.
        """
        labels, proba = self.cells.labels, self.cells.proba
        is_decided = np.zeros(proba.size, dtype=bool)
        is_decided[chosen] = True

        def sums(terms: np.ndarray) -> np.ndarray:
            return np.bincount(labels, terms, minlength=self.n_labels)

        n_absent = self.n_samples - np.bincount(labels, minlength=self.n_labels)
        return Counts(
            sums(is_decided * proba),
            sums(is_decided * (1 - proba)),
            sums(~is_decided * proba),
            n_absent + sums(~is_decided * (1 - proba)),
        )


def check_goal(maximize: Any, beta: float) -> tuple[str, Any]:
    """Return the average and the measure of a name such as "macro-f"; None for the coverage.

    Measures that cannot be maximised are refused.
    """
    if maximize == "coverage":
        return "macro", None
    average, function = average_and_measure(maximize)
    found = record_of(function)
    if average == "sample":
        raise ValueError(
            'maximize must be a micro or macro average or "coverage", '
            f"got {maximize!r}; maximize_expected_f_independent maximises sample-f."
        )
    if average == "macro" and (found is None or found[0].weights is None):
        raise ValueError(
            f"maximize must be a quotient of linear functions of the counts, got {maximize!r}."
        )
    return average, with_beta(function, beta)


def ratios_of(measure: Any, expected: Expected) -> Ratios:
    """Return the values of labels as quotients of linear functions of hits and decisions.

    The coverage (None) has no such form, and no factors.
    """
    found = record_of(measure)
    if found is None:
        return Ratios(np.zeros((0, 6)), 0.0)
    record, beta = found
    weights_of: Any = record.weights
    weights = weights_of(beta, expected.positives, expected.negatives)
    planes = [_plane(part, expected.positives, expected.negatives) for part in weights]
    factors = np.ascontiguousarray(np.concatenate(planes).T)
    return Ratios(factors, 1.0 if record.empty_is_one else 0.0)


def _plane(weights: Any, positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """Return weighted counts as a constant and the factors of hits and of decisions, by label."""
    tp, fp, fn, tn = (np.broadcast_to(weight, positives.shape) for weight in weights)
    return np.stack([fn * positives + tn * negatives, tp - fp - fn + tn, fp - tn]).astype(float)


def values_of(ratios: Ratios, decisions: Decisions | Climb) -> np.ndarray:
    """Return the value of each label."""
    if ratios.factors.size == 0:
        return np.asarray(-np.expm1(-decisions.hits))
    of_above, of_below = ratios.factors.T[:3], ratios.factors.T[3:]
    above, below = (
        part[0] + part[1] * decisions.hits + part[2] * decisions.decided
        for part in (of_above, of_below)
    )
    is_empty = below <= 0
    return np.where(is_empty, ratios.when_empty, above / np.where(is_empty, 1.0, below))


def gain_lines(
    ratios: Ratios, expected: Expected, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return slopes and prices of the gain of one decision more, ``slope·proba - price``.

    Half a decision is added to the counts of each label: the gain lies between that of one more
    and of one less, and is finite for a label with hardly any positives.
    """
    labels = expected.cells.labels[chosen]
    hits = np.bincount(labels, expected.cells.amounts[chosen], minlength=expected.n_labels)
    if ratios.factors.size == 0:
        return np.exp(-hits), np.zeros(hits.size)
    decided = np.bincount(labels, minlength=hits.size)
    a, b, c, d, e, f = ratios.factors.T
    below = d + e * hits + f * decided
    value = np.where(below > 0, (a + b * hits + c * decided) / np.where(below > 0, below, 1.0), 0.0)
    size = below + f / 2
    size = np.where(size > 0, size, np.inf)
    return (b - value * e) / size, (value * f - c) / size


def linear_terms(slope: np.ndarray, base: np.ndarray | float = 0.0) -> np.ndarray:
    """Return the terms of gains ``base + slope·proba``, a row for each label."""
    terms = np.zeros((slope.size, 4))
    terms[:, BASE], terms[:, SLOPE] = base, slope
    return terms
