"""Local optima over samples: each sample gets its best labels while all others stay."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from labelwise.decisions.at_k._at_k_kernels import Decisions, Ratios, improve_rows, top_of_rows
from labelwise.decisions.at_k._expected_measures import Expected, values_of

# Passes over all samples, and the least relative gain of a pass that another one follows: to
# compare starts, and to improve the best of them.
_MOST_PASSES = 100
_COARSE, _FINE = 1e-4, 1e-7


def ascend(expected: Expected, ratios: Ratios, k: int) -> Decisions:
    """Return the best of the local optima from several starts.

    The starts are the most probable labels, those with the highest probabilities relative to the
    expected positives of the label, and no labels.
    """
    found = [_climb(expected, ratios, start, k, _COARSE) for start in _starts(expected, k)]
    best = max(found, key=lambda one: float(values_of(ratios, one).sum()))
    return _climb(expected, ratios, best.chosen, k, _FINE)


def _starts(expected: Expected, k: int) -> Iterator[np.ndarray]:
    cells = expected.cells
    yield top_of_rows(cells.starts, cells.proba, k)
    yield top_of_rows(cells.starts, cells.proba / expected.positives[cells.labels], k)
    yield np.zeros(cells.proba.size, dtype=bool)


def _climb(
    expected: Expected, ratios: Ratios, chosen: np.ndarray, k: int, least_gain: float
) -> Decisions:
    """Improve rows, forwards and backwards in turn, until a pass gains nearly nothing."""
    state = expected.decisions(chosen)
    value = float(values_of(ratios, state).sum())
    for number in range(_MOST_PASSES):
        n_changed = improve_rows(expected.cells, ratios, state, k, number % 2 == 1)
        # Sums of many changes collect rounding errors: they are added up again.
        state = expected.decisions(state.chosen)
        before, value = value, float(values_of(ratios, state).sum())
        if n_changed == 0 or value - before <= least_gain * abs(value):
            break
    return state
