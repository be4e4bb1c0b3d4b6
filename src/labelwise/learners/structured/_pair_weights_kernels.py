"""Kernels of the structured hinge loss with learned weights of pairs.

Here the height of a plane is the loss of its label set alone, and the gains of its pairs are added
at the present weights. The gain of a pair is its scale times its weight, and no weight is below 0:
a negative `free` weight, the sum that the planes give, counts as 0.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit
from labelwise.learners.structured._hinge_loss_kernels import (
    _ROUNDING,
    _SHIFTS,
    _SOLVED,
    _add_plane,
    _drop_idle,
    _ends,
    _move_weights,
    _n_different,
    _value,
    f_loss,
    row_scores,
)


class PairWeights(NamedTuple):
    """Pairs of labels with a gain for each that is learned."""

    places: np.ndarray  # (n_pairs, 2)
    scales: np.ndarray
    free: np.ndarray  # the weights, before negative ones count as 0


@njit(inner=True, nogil=True)
def _gains(pairs):
    """Return the gain of each pair."""
    return pairs.scales * np.maximum(pairs.free, 0.0)


@njit(inner=True, nogil=True)
def _total(labels, places, gains):
    """Sum the gains of the pairs within a label set."""
    total = 0.0
    for p in range(gains.size):
        if labels[places[p, 0]] and labels[places[p, 1]]:
            total += gains[p]
    return total


@njit(inner=True, nogil=True)
def _find_values(planes, i, scores, places, gains, less):
    """Compute the value of each plane of a row, less a constant."""
    k = planes.first[i]
    while k >= 0:
        labels = planes.labels[k]
        planes.values[k] = planes.heights[k] + _value(scores, labels)
        planes.values[k] += _total(labels, places, gains) - less
        k = planes.following[k]


@njit(cache=True, nogil=True)
def row_pair_gaps(scores, truths, found, heights, planes, pairs, start, gaps):
    """Write the duality gap of each row, as `row_gaps` does; `heights` include gains of pairs."""
    gains = _gains(pairs)
    for i in range(scores.shape[0]):
        of_truth = _total(truths[i], pairs.places, gains)
        _find_values(planes, start + i, scores[i], pairs.places, gains, of_truth)
        best, _, mean = _ends(planes, start + i)
        highest = max(planes.values[best], heights[i] + _value(scores[i], found[i]))
        gaps[start + i] = max(0.0, highest - mean)


@njit(inner=True, nogil=True)
def _shift(planes, scores, pairs, gains, ends, rates, apart):
    """Shift weight from the worst plane to the best, and change scores and gains of pairs.

    The curvature is that without the bound of the weights of pairs, which is at least the true one:
    the dual value rises.
    """
    best, worst = planes.labels[ends[0]], planes.labels[ends[1]]
    stiffness, rate = rates
    curvature = stiffness * _n_different(best, worst)
    change = np.zeros(gains.size)
    for p in range(gains.size):
        one, other = pairs.places[p]
        change[p] += worst[one] and worst[other]
        change[p] -= best[one] and best[other]
        curvature += rate * (pairs.scales[p] * change[p]) ** 2
    amount = min(planes.weights[ends[1]], apart / curvature)
    planes.weights[ends[1]] -= amount
    planes.weights[ends[0]] += amount
    for j in range(scores.size):
        scores[j] += stiffness * amount * (np.int64(worst[j]) - np.int64(best[j]))
    for p in range(gains.size):
        pairs.free[p] += rate * pairs.scales[p] * amount * change[p]
        gains[p] = pairs.scales[p] * max(0.0, pairs.free[p])


@njit(cache=True, nogil=True)
def visit_pair_row(rows, W, planes, i, truth, found, weight, rate, pairs):
    """Optimise the dual of one row with weights of pairs, given a violating set; return its gap."""
    before = row_scores(rows, W, i)
    scores, gains = before.copy(), _gains(pairs)
    _find_values(planes, i, scores, pairs.places, gains, 0.0)
    loss = f_loss((truth & found).sum(), truth.sum(), found.sum(), weight)
    value = loss + _value(scores, found) + _total(found, pairs.places, gains)
    _add_plane(planes, i, found, loss, value)
    best, worst, mean = _ends(planes, i)
    gap = max(0.0, planes.values[best] - mean)
    for _ in range(_SHIFTS):
        apart = planes.values[best] - planes.values[worst]
        if gap <= _ROUNDING or apart <= 2 * _SOLVED * gap or best == worst:
            break
        _shift(planes, scores, pairs, gains, (best, worst), (rate * rows.squares[i], rate), apart)
        _find_values(planes, i, scores, pairs.places, gains, 0.0)
        best, worst, _ = _ends(planes, i)
    _drop_idle(planes, i)
    _move_weights(rows, W, i, before, scores)
    return gap
