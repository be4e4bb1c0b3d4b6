"""Kernels that find label sets by minimum cuts: best sets, and violating sets, with pairs.

Gains of pairs are not negative, so that Σ scores + Σ gains of pairs within a set is a supermodular
function of the set: a minimum cut maximises it. Flow is augmented along shortest paths.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit
from labelwise.learners.structured._hinge_loss_kernels import f_loss


class PairGains(NamedTuple):
    """Gains of pairs, stored in both directions and sorted by the first label."""

    indptr: np.ndarray
    others: np.ndarray
    gains: np.ndarray
    reverse: np.ndarray  # index of the same pair in the other direction


@njit(inner=True, nogil=True)
def _push(left, residual, pairs, entered, end):
    """Augment the flow along the path to `end` by its smallest capacity."""
    amount, j = -left[end], end
    while entered[j] >= 0:
        amount = min(amount, residual[entered[j]])
        j = pairs.others[pairs.reverse[entered[j]]]
    amount = min(amount, left[j])
    left[j] -= amount
    left[end] += amount
    j = end
    while entered[j] >= 0:
        residual[entered[j]] -= amount
        residual[pairs.reverse[entered[j]]] += amount
        j = pairs.others[pairs.reverse[entered[j]]]


@njit(inner=True, nogil=True)
def _cut(left, residual, pairs, reached):
    """Find a maximum flow, and mark the smallest source side in `reached`.

    `left` is the remaining capacity from the source to a label (positive) or from the label to the
    sink (negative), `residual` that of each direction of a pair. A later call may go on with both
    after `left` has been raised: the flow stays feasible, and the source side can only grow.
    """
    queue = np.empty(left.size, np.int64)
    entered = np.empty(left.size, np.int64)
    while True:
        n_queued, k, end = 0, 0, -1
        for j in range(left.size):
            reached[j] = left[j] > 0
            if reached[j]:
                queue[n_queued], entered[j] = j, -1
                n_queued += 1
        while k < n_queued and end < 0:
            j = queue[k]
            k += 1
            for e in range(pairs.indptr[j], pairs.indptr[j + 1]):
                other = pairs.others[e]
                if residual[e] > 0 and not reached[other]:
                    reached[other], entered[other] = True, e
                    queue[n_queued] = other
                    n_queued += 1
                    if left[other] < 0:
                        end = other
                        break
        if end < 0:
            return
        _push(left, residual, pairs, entered, end)


@njit(inner=True, nogil=True)
def _terminals(scores, pairs):
    """Return the capacities of source and sink whose cut maximises the value.

    A gain is split by 2ab = a + b - |a - b| for a, b in {0, 1}.
    """
    left = scores.copy()
    for j in range(scores.size):
        for e in range(pairs.indptr[j], pairs.indptr[j + 1]):
            left[j] += pairs.gains[e] / 2
    return left


@njit(cache=True, nogil=True)
def best_sets(scores, pairs, decided):
    """Mark the set of the highest Σ scores + gains per row; the smallest of ties."""
    for i in range(scores.shape[0]):
        _cut(_terminals(scores[i], pairs), pairs.gains / 2, pairs, decided[i])


@njit(inner=True, nogil=True)
def _pair_gains(decided, pairs):
    """Sum the gains of pairs with both labels decided."""
    total = 0.0
    for j in range(decided.size):
        if decided[j]:
            for e in range(pairs.indptr[j], pairs.indptr[j + 1]):
                if decided[pairs.others[e]]:
                    total += pairs.gains[e]
    return total / 2


@njit(inner=True, nogil=True)
def _keep_better(scores, truth, weight, pairs, tried, found, kept):
    """Keep the tried set, its height and its value if its value is higher."""
    height = f_loss((truth & tried).sum(), truth.sum(), tried.sum(), weight)
    height = height + _pair_gains(tried, pairs) - _pair_gains(truth, pairs)
    value = height + scores[tried].sum()
    if value > kept[1]:
        kept[0], kept[1] = height, value
        found[:] = tried


@njit(inner=True, nogil=True)
def _try_fixed_sizes(scores, truth, weight, pairs, found, kept):
    """Try the best sets of a loss that is linear for a fixed size k.

    Deciding a true label then lowers the loss by (1 + β²)/(β²|y| + k). This term falls with k, so
    that the flow for k is a feasible start for k + 1, and sets grow.
    """
    n_true = truth.sum()
    left, residual = _terminals(scores, pairs), pairs.gains / 2
    reached = np.empty(scores.size, np.bool_)
    n_reached, term = -1, 0.0
    for k in range(scores.size + 1):
        rise = term - (1.0 + weight) / (weight * n_true + k)
        term -= rise
        for j in range(scores.size):
            left[j] += rise if truth[j] else 0.0
        _cut(left, residual, pairs, reached)
        if reached.sum() != n_reached:
            n_reached = reached.sum()
            _keep_better(scores, truth, weight, pairs, reached, found, kept)


@njit(inner=True, nogil=True)
def _try_tangents(scores, truth, weight, pairs, found, kept):
    """Try the best sets of tangents of the loss at all true and k labels.

    With t true labels, all of them hit, 1 - (1 + β²)a/(β²t + k) rises by (1 + β²)t/(β²t + k)² with
    each further label, and falls by (1 + β²)/(β²t + k) with each hit a.
    """
    n_true = truth.sum()
    reached = np.empty(scores.size, np.bool_)
    for k in range(n_true, scores.size + 1):
        left = _terminals(scores, pairs)
        total = weight * n_true + k
        more = (1.0 + weight) * n_true / total**2
        for j in range(scores.size):
            left[j] += more - (1.0 + weight) / total if truth[j] else more
        _cut(left, pairs.gains / 2, pairs, reached)
        _keep_better(scores, truth, weight, pairs, reached, found, kept)


@njit(cache=True, nogil=True)
def violating_set(scores, truth, weight, pairs, found):
    """Write a violating set into `found`, and return its height.

    Its value is at least that of the truth, but need not be the highest of all: a cut maximises
    functions that are linear apart from pairs, so that linear approximations of the loss are tried
    at every size k.
    """
    found[:] = truth
    kept = np.array([0.0, scores[truth].sum()])
    if truth.any():
        _try_fixed_sizes(scores, truth, weight, pairs, found, kept)
        _try_tangents(scores, truth, weight, pairs, found, kept)
        return kept[0]
    # Every set but the empty one has loss 1, so that the set of the highest score is tried, or
    # the label of the highest score if that set is empty.
    reached = np.empty(scores.size, np.bool_)
    _cut(_terminals(scores, pairs), pairs.gains / 2, pairs, reached)
    if not reached.any():
        reached[np.argmax(scores)] = True
    _keep_better(scores, truth, weight, pairs, reached, found, kept)
    return kept[0]


@njit(cache=True, nogil=True)
def violating_sets(scores, truths, weight, pairs, found, heights):
    """Write a violating set of each row, and its height."""
    for i in range(scores.shape[0]):
        heights[i] = violating_set(scores[i], truths[i], weight, pairs, found[i])
