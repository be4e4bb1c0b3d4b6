"""Local optima of measures of expected counts, and upper bounds of the value of any decisions.

Each sample in turn gets its best labels of at most k, while all other samples stay. How far the
local optimum may be from the best decisions is bounded by Lagrange multipliers. A measure is a
quotient of linear functions of a label's expected hits and decisions, or the coverage of labels.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    add_up,
    best_less_prices,
    cells_of_labels,
    improve_rows,
    prices_of_rows,
    top_of_rows,
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


# The most passes over all samples, and the least relative gain of a pass that another one follows.
_MOST_PASSES, _LEAST_GAIN = 100, 1e-7
# Further starts gain less than this share of the value if the bound is as near.
_NEAR = 1e-3


def ascend(expected: Expected, ratios: Ratios, k: int) -> tuple[np.ndarray, float, float]:
    """Return the best of the local optima from several starts, its value, and an upper bound.

    The starts are the most probable labels, those with the highest probabilities relative to the
    expected positives of the label, and no labels. If the first comes near the bound, it is the
    only one.
    """
    starts = _starts(expected, expected.most_of(k))
    first = _climb(expected, ratios, next(starts))
    value, bound = _value(ratios, first), bound_of_sum(expected, ratios, first, k)
    best = first
    if bound - value > _NEAR * abs(value):
        others = (_climb(expected, ratios, picked) for picked in starts)
        best = max((first, *others), key=lambda one: _value(ratios, one))
    if best is not first:
        value, bound = _value(ratios, best), min(bound, bound_of_sum(expected, ratios, best, k))
    return best.chosen, value / expected.n_labels, max(value, bound) / expected.n_labels


def top_entries(expected: Expected, terms: np.ndarray, k: int) -> np.ndarray:
    """Return the numbers of the cells with the k largest gains above 0 of each row."""
    return _entries(top_of_rows(expected.cells, terms, expected.most_of(k)))


def _entries(picked: np.ndarray) -> np.ndarray:
    return picked[picked >= 0]


def _starts(expected: Expected, k: int) -> Iterator[np.ndarray]:
    positives = np.where(expected.positives > 0, expected.positives, 1.0)
    yield top_of_rows(expected.cells, linear_terms(np.ones(positives.size)), k)
    yield top_of_rows(expected.cells, linear_terms(1 / positives), k)
    yield np.full((expected.n_samples, k), -1)


def _climb(expected: Expected, ratios: Ratios, picked: np.ndarray) -> Decisions:
    """Improve rows while a pass gains more than nearly nothing; `picked` is overwritten."""
    n_labels = expected.n_labels
    state = Climb(picked, np.zeros(n_labels), np.zeros(n_labels), np.zeros((n_labels, 4)))
    add_up(expected.cells, ratios, state)
    value = _value(ratios, state)
    for _ in range(_MOST_PASSES):
        n_changed = improve_rows(expected.cells, ratios, state)
        # Sums of many changes collect rounding errors: they are added up again.
        add_up(expected.cells, ratios, state)
        before, value = value, _value(ratios, state)
        if n_changed == 0 or value - before <= _LEAST_GAIN * abs(value):
            break
    return Decisions(_entries(picked), state.hits, state.decided)


def _value(ratios: Ratios, state: Climb | Decisions) -> float:
    return float(values_of(ratios, state).sum())


# A sum of n terms is wrong by at most n/2 of this share of the sum of their sizes. Values are made
# of a few such sums, and of few other steps.
_EPSILON, _FEW_SUMS, _FEW_STEPS = 2.0**-52, 4, 64


def rounded_outward(bound: float, n_values: int, n_terms: Any, size: Any = 1.0) -> float:
    """Raise an upper bound of a sum of values by more than its rounding errors.

    Each of the `n_values` values is at most 1, and is computed from sums of `n_terms` terms, the
    largest of which is about `size`.
    """
    error = _FEW_SUMS * _EPSILON * np.mean((np.asarray(n_terms) + _FEW_STEPS) * (1 + size))
    return max(bound, min(bound + float(error) * (abs(bound) + n_values), float(n_values)))


def bound_of_sum(expected: Expected, ratios: Ratios, best: Decisions, k: int) -> float:
    """Return an upper bound of the sum of the labels' values.

    For F, precision and coverage, each decision of a sample is charged a price (a Lagrange
    multiplier): for any prices of at least 0, the sum over labels of the best value less prices,
    plus k times the prices, is a bound. The prices are those at which the given decisions are
    nearly best. For other measures each label gets its best samples, without a limit.
    """
    if ratios.factors.size == 0:
        bound = _coverage_bound(expected, best, k)
    elif ratios.factors[:, [0, 2, 4]].any():
        bound = _without_limit(expected, ratios)
    else:
        bound = _fractional_bound(expected, ratios, best, k)
    n_cells = np.bincount(expected.cells.labels, minlength=1).max()
    return rounded_outward(bound, expected.n_labels, n_cells)


def _coverage_bound(expected: Expected, best: Decisions, k: int) -> float:
    """Bound the chance of a hit, concave in the sum of the amounts, by its tangents."""
    cells, slope = expected.cells, np.exp(-best.hits)
    by_amount = cells._replace(proba=cells.amounts)
    prices, excess = prices_of_rows(by_amount, linear_terms(slope), expected.most_of(k))
    touching = 1 - slope - slope * best.hits
    return float(touching.sum() + excess + k * prices.sum())


def _fractional_bound(expected: Expected, ratios: Ratios, best: Decisions, k: int) -> float:
    """Bound values ``b·hits / (d + f·decided)`` by the best set of each label less prices."""
    _, rise, _, constant, _, step = ratios.factors.T
    below = constant + step * best.decided
    size = np.where(below > 0, below, step)
    fall = rise * best.hits * step / size**2
    cells, terms = expected.cells, linear_terms(rise / size, -fall)
    prices, _ = prices_of_rows(cells, terms, expected.most_of(k))
    rows = np.searchsorted(cells.starts, best.chosen, side="right") - 1
    paid = np.bincount(cells.labels[best.chosen], prices[rows], minlength=expected.n_labels)
    # No slope is higher than that of a single decision.
    scale, least = float(rise[0] / step[0]), constant / step
    columns = cells_of_labels(cells, prices, scale / (least + 1))
    found = np.maximum(rise * best.hits / size - paid, 0.0)
    best_less_prices(columns, scale, least, found)
    is_empty = constant <= 0
    found = np.where(is_empty, np.maximum(found, ratios.when_empty), found)
    return float(found.sum() + k * prices.sum())


def _without_limit(expected: Expected, ratios: Ratios) -> float:
    """Return the sum of the best values of all labels, each with as many samples as it likes."""
    labels, proba = _falling_by_label(expected)
    is_first = np.diff(labels, prepend=-1) > 0
    starts = np.flatnonzero(is_first)
    number = np.cumsum(is_first) - 1
    sums = np.append(0.0, np.cumsum(proba))
    decided = np.arange(1.0, labels.size + 1) - starts[number]
    nobody = np.zeros(0, dtype=np.int64)
    at = Decisions(nobody, sums[1:] - sums[starts][number], decided)
    best = values_of(ratios, Decisions(nobody, *np.zeros((2, expected.n_labels))))
    values = values_of(ratios._replace(factors=ratios.factors[labels]), at)
    if starts.size:
        best[labels[starts]] = np.maximum(best[labels[starts]], np.maximum.reduceat(values, starts))
    return float(best.sum()) + 1e-9 * expected.n_labels


def _falling_by_label(expected: Expected) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells as labels and falling probabilities, which are rounded up to 32 bits.

    A label and a probability in one integer are sorted many times faster than two arrays.
    """
    levels = np.ceil(expected.cells.proba * 2.0**32).astype(np.int64)
    keys = (expected.cells.labels.astype(np.int64) << 33) + (2**32 - levels)
    keys.sort()
    return keys >> 33, 1 - (keys & (2**33 - 1)) * 2.0**-32
