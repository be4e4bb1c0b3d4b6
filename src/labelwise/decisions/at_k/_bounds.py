"""Upper bounds of the expected value over all decisions of at most k labels a sample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.decisions.at_k._at_k_kernels import (
    Decisions,
    Ratios,
    best_less_prices,
    top_of_rows,
)
from labelwise.decisions.at_k._expected_measures import Expected, values_of

# Sums of many values are rounded; a bound must not be below the value because of it.
_ROUNDING = 1e-12


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
    return bound * (1 + _ROUNDING)


def _coverage_bound(expected: Expected, best: Decisions, k: int) -> float:
    """Bound the chance of a hit, concave in the sum of the amounts, by its tangents."""
    cells, slope = expected.cells, np.exp(-best.hits)
    gains = slope[cells.labels] * cells.amounts
    prices = _prices(expected, gains, k)
    excess = np.maximum(gains - np.repeat(prices, np.diff(cells.starts)), 0.0)
    touching = 1 - slope - slope * best.hits
    return float(touching.sum() + excess.sum() + k * prices.sum())


def _fractional_bound(expected: Expected, ratios: Ratios, best: Decisions, k: int) -> float:
    """Bound values ``b·hits / (d + f·decided)`` by the best set of each label less prices."""
    _, rise, _, constant, _, step = ratios.factors.T
    below = constant + step * best.decided
    size = np.where(below > 0, below, step)
    fall = rise * best.hits * step / size**2
    labels = expected.cells.labels
    prices = _prices(expected, (rise / size)[labels] * expected.cells.proba - fall[labels], k)
    price = np.repeat(prices, np.diff(expected.cells.starts))
    paid = np.bincount(labels[best.chosen], price[best.chosen], minlength=expected.n_labels)
    found = best_less_prices(
        _columns(expected, price),
        float(rise[0] / step[0]),
        constant / step,
        fall,
        rise * best.hits / size - paid,
    )
    is_empty = constant <= 0
    found = np.where(is_empty, np.maximum(found, ratios.when_empty), found)
    return float(found.sum() + k * prices.sum())


def _prices(expected: Expected, gains: np.ndarray, k: int) -> np.ndarray:
    """Return a price for each sample: halfway between its k-th gain and the one after it."""
    starts = expected.cells.starts
    chosen = top_of_rows(starts, gains, k)
    rows = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    least = np.full(starts.size - 1, np.inf)
    np.minimum.at(least, rows[chosen], gains[chosen])
    following = np.zeros(starts.size - 1)
    np.maximum.at(following, rows[~chosen], gains[~chosen])
    # With fewer than k gains above 0, one decision more costs nothing.
    is_full = np.bincount(rows[chosen], minlength=starts.size - 1) == k
    return np.where(is_full & (following > 0), (np.where(is_full, least, 0.0) + following) / 2, 0.0)


class _CandidatesOfLabels(NamedTuple):
    """The cells of each label, with a number for each."""

    starts: np.ndarray
    proba: np.ndarray
    numbers: np.ndarray


def _columns(expected: Expected, numbers: np.ndarray) -> _CandidatesOfLabels:
    """Return the cells label by label, with the numbers that belong to them."""
    cells, shape = expected.cells, (expected.n_samples, expected.n_labels)
    parts = (
        sparse.csr_array((values, cells.labels, cells.starts), shape=shape).tocsc()
        for values in (cells.proba, numbers)
    )
    proba, others = parts
    return _CandidatesOfLabels(proba.indptr.astype(np.int64), proba.data, others.data)


def _without_limit(expected: Expected, ratios: Ratios) -> float:
    """Return the sum of the best values of all labels, each with as many samples as it likes."""
    order = np.lexsort((-expected.cells.proba, expected.cells.labels))
    labels = expected.cells.labels[order]
    starts = np.searchsorted(labels, np.arange(expected.n_labels))
    sums = np.append(0.0, np.cumsum(expected.cells.proba[order]))
    decided = np.arange(1.0, labels.size + 1) - starts[labels]
    nobody = np.zeros(0, dtype=bool)
    at = Decisions(nobody, sums[1:] - sums[starts][labels], decided)
    best = values_of(ratios, Decisions(nobody, *np.zeros((2, expected.n_labels))))
    np.maximum.at(best, labels, values_of(ratios._replace(factors=ratios.factors[labels]), at))
    return float(best.sum()) + 1e-9 * expected.n_labels
