"""Local optima over samples: each sample gets its best labels while all others stay."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from labelwise.decisions.at_k._at_k_kernels import (
    Climb,
    Decisions,
    Ratios,
    add_up,
    improve_rows,
    top_of_rows,
)
from labelwise.decisions.at_k._bounds import bound_of_sum
from labelwise.decisions.at_k._expected_measures import Expected, linear_terms, values_of

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
