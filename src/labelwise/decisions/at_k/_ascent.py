"""Local optima over samples: each sample gets its best labels while all others stay."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from labelwise.decisions.at_k._at_k_kernels import Decisions, Ratios, improve_rows, top_of_rows
from labelwise.decisions.at_k._expected_measures import Expected, values_of

# Passes over all samples to compare starts, the most to improve the best of them, and the least
# relative gain of a pass that another one follows.
_FEW_PASSES, _MOST_PASSES = 2, 100
_LEAST_GAIN = 1e-7


def ascend(expected: Expected, ratios: Ratios, k: int) -> Decisions:
    """Return the best of the local optima from several starts.

    The starts are the most probable labels, those with the highest probabilities relative to the
    expected positives of the label, and no labels.
    """
    found = [_climb(expected, ratios, start, k, _FEW_PASSES) for start in _starts(expected, k)]
    best = max(found, key=lambda one: float(values_of(ratios, one).sum()))
    return _climb(expected, ratios, best.chosen, k, _MOST_PASSES)


def _starts(expected: Expected, k: int) -> Iterator[np.ndarray]:
    cells = expected.cells
    yield top_of_rows(cells.starts, cells.proba, k)
    yield top_of_rows(cells.starts, cells.proba / expected.positives[cells.labels], k)
    yield np.zeros(cells.proba.size, dtype=bool)


def _climb(
    expected: Expected, ratios: Ratios, chosen: np.ndarray, k: int, n_passes: int
) -> Decisions:
    """Improve rows, forwards and backwards in turn, while a pass gains more than nearly nothing."""
    state = expected.decisions(chosen)
    value = float(values_of(ratios, state).sum())
    for number in range(n_passes):
        n_changed = improve_rows(expected.cells, ratios, state, k, number % 2 == 1)
        # Sums of many changes collect rounding errors: they are added up again.
        state = expected.decisions(state.chosen)
        before, value = value, float(values_of(ratios, state).sum())
        if n_changed == 0 or value - before <= _LEAST_GAIN * abs(value):
            break
    return state
