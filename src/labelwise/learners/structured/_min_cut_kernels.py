"""Label sets by minimum cuts: the best of a row, and those that violate its margin, with pairs.

Gains of pairs are not negative, so Σ scores + Σ gains of pairs that a set holds is supermodular:
its maximum is a minimum cut. Flow is pushed along shortest paths.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit


class PairGains(NamedTuple):
    """Gains of pairs of labels, each pair once in either direction, by the first label."""

    indptr: np.ndarray
    others: np.ndarray
    gains: np.ndarray
    reverse: np.ndarray  # where the same pair stands in the other direction


@njit(cache=True, nogil=True)
def _push(left, residual, pairs, entered, end):
    """Push what fits along the path to `end`, and leave nothing of the narrowest place."""
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


@njit(cache=True, nogil=True)
def _cut(left, residual, pairs, reached):
    """Push flow along shortest paths until none is left, and mark the smallest source side.

    `left` is what the source can still give a label (positive) or the label the sink (negative),
    `residual` what each direction of a pair can still carry. Both are kept for a next call, in
    which `left` may have been raised: the flow stays one, and the source side can only grow.
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


@njit(cache=True, nogil=True)
def _terminals(scores, pairs):
    """Capacities of a cut that maximises Σ scores + gains, as 2ab = a + b - |a - b| for bits."""
    left = scores.copy()
    for j in range(scores.size):
        for e in range(pairs.indptr[j], pairs.indptr[j + 1]):
            left[j] += pairs.gains[e] / 2
    return left


@njit(cache=True, nogil=True)
def best_sets(scores, pairs, decided):
    """Mark for each row the smallest of the sets of the highest Σ scores + gains of pairs."""
    for i in range(scores.shape[0]):
        _cut(_terminals(scores[i], pairs), pairs.gains / 2, pairs, decided[i])


@njit(cache=True, nogil=True)
def _pair_gains(decided, pairs):
    """Sum of the gains of all pairs that are decided whole."""
    total = 0.0
    for j in range(decided.size):
        if decided[j]:
            for e in range(pairs.indptr[j], pairs.indptr[j + 1]):
                if decided[pairs.others[e]]:
                    total += pairs.gains[e]
    return total / 2


@njit(cache=True, nogil=True)
def _height(truth, decided, pairs):
    """F-loss of a set that is not empty or whose truth is not, plus its gains of pairs."""
    n_sizes = truth.sum() + decided.sum()
    return 1.0 - 2.0 * (truth & decided).sum() / n_sizes + _pair_gains(decided, pairs)


@njit(cache=True, nogil=True)
def _keep_better(scores, truth, pairs, tried, found, kept):
    """Write the tried set into `found`, its height and value into `kept`, if it has more value."""
    height = _height(truth, tried, pairs) - _pair_gains(truth, pairs)
    value = height + scores[tried].sum()
    if value > kept[1]:
        kept[0], kept[1] = height, value
        found[:] = tried


@njit(cache=True, nogil=True)
def _try_fixed_sizes(scores, truth, pairs, found, kept):
    """Try the best sets as if they had size k: a true label then loses 2/(|y| + k).

    The terms rise with k, so the flow for k is a start for k + 1, and sets grow.
    """
    n_true = truth.sum()
    left, residual = _terminals(scores, pairs), pairs.gains / 2
    reached = np.empty(scores.size, np.bool_)
    n_reached, term = -1, 0.0
    for k in range(scores.size + 1):
        rise = term - 2.0 / (n_true + k)
        term -= rise
        for j in range(scores.size):
            left[j] += rise if truth[j] else 0.0
        _cut(left, residual, pairs, reached)
        if reached.sum() != n_reached:
            n_reached = reached.sum()
            _keep_better(scores, truth, pairs, reached, found, kept)


@njit(cache=True, nogil=True)
def _try_tangents(scores, truth, pairs, found, kept):
    """Try the best sets for the loss's tangent at all true labels and k labels altogether.

    With t true labels and a hits, 1 - 2a/(t + k) changes by 2t/(t + k)² with each further label,
    and by 2/(t + k) less with each hit.
    """
    n_true = truth.sum()
    reached = np.empty(scores.size, np.bool_)
    for k in range(n_true, scores.size + 1):
        left = _terminals(scores, pairs)
        more = 2.0 * n_true / (n_true + k) ** 2
        for j in range(scores.size):
            left[j] += more - 2.0 / (n_true + k) if truth[j] else more
        _cut(left, pairs.gains / 2, pairs, reached)
        _keep_better(scores, truth, pairs, reached, found, kept)


@njit(cache=True, nogil=True)
def violating_set(scores, truth, pairs, found):
    """Write a set of high value into `found`, at least as high as the truth; return its height.

    A cut maximises what is linear but for pairs: the loss is made so at every size k.
    """
    found[:] = truth
    kept = np.array([0.0, scores[truth].sum()])
    if truth.any():
        _try_fixed_sizes(scores, truth, pairs, found, kept)
        _try_tangents(scores, truth, pairs, found, kept)
        return kept[0]
    # Every set but the empty one loses 1: the best of all, or the best single label, is tried.
    reached = np.empty(scores.size, np.bool_)
    _cut(_terminals(scores, pairs), pairs.gains / 2, pairs, reached)
    if not reached.any():
        reached[np.argmax(scores)] = True
    _keep_better(scores, truth, pairs, reached, found, kept)
    return kept[0]


@njit(cache=True, nogil=True)
def violating_sets(scores, truths, pairs, found, heights):
    """Write a set of high value, and its height, for each row."""
    for i in range(scores.shape[0]):
        heights[i] = violating_set(scores[i], truths[i], pairs, found[i])
