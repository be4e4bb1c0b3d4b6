"""Kernels of the structured hinge loss: most violating label sets, and steps of the dual.

A row is a sample. A plane of a row is a label set y' with its height, which is
ℓ_F(y, y') + pairs(y') - pairs(y). Its value at given scores is height + Σ_{j in y'} scores_j. The
hinge loss of the row is the highest value of all sets, less the value of the true set y, whose
height is 0.

The last two rows of W are intercepts and drift; the weights of features are W[:-2] - mean ⊗ drift.
A visit of a sample moves them along x - mean, and so changes few rows of W if x is sparse.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit

# A row is solved when at most this part of its gap is left.
_SOLVED = 0.05
_ROUNDING = 1e-12
_SEARCHES = 3  # most searches for a new plane in one visit
_SHIFTS = 10  # most shifts of weight after each search


class CentredRows(NamedTuple):
    """Features x as CSR, with sums that give products with (x - c, κ)."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    along: np.ndarray  # x · c
    lift: np.ndarray  # κ² - (x - c) · c: change of the intercept in a unit step along (x - c, κ)
    squares: np.ndarray  # ‖x - c‖² + κ²


class Planes(NamedTuple):
    """Planes of all rows as linked lists: one per row, one of unused planes."""

    labels: np.ndarray  # bool (n_planes, n_labels)
    heights: np.ndarray
    weights: np.ndarray  # dual variables; those of a row sum to 1
    values: np.ndarray  # at the scores of the last visit
    following: np.ndarray  # the next plane of the list, -1 at its end
    first: np.ndarray  # (n_rows,), first plane of each row
    unused: np.ndarray  # first unused plane, and number of unused planes


@njit(inner=True, nogil=True)
def f_loss(n_hits, n_true, n_decided, weight):
    """Return 1 - F from sizes of the intersection and of both sets; `weight` of recall is β²."""
    if n_true + n_decided == 0:
        return 0.0
    return 1.0 - (1.0 + weight) * n_hits / (weight * n_true + n_decided)


@njit(inner=True, nogil=True)
def _n_different(one, other):
    """Count the labels that are in exactly one of two sets."""
    n_different = 0
    for j in range(one.size):
        n_different += one[j] != other[j]
    return n_different


@njit(cache=True, nogil=True)
def _value(scores, labels):
    """Sum the scores of a label set."""
    total = 0.0
    for j in range(scores.size):
        if labels[j]:
            total += scores[j]
    return total


@njit(cache=True, nogil=True)
def _ranked(scores, truth, is_true, least):
    """Sort the true or the other labels with scores above `least`, descending.

    Ties stay in the order of labels. A merge sort of our own, as numba's takes seconds to compile.
    """
    ranked, merged = np.empty(scores.size, np.int64), np.empty(scores.size, np.int64)
    n_ranked = 0
    for j in range(scores.size):
        if truth[j] == is_true and scores[j] > least:
            ranked[n_ranked] = j
            n_ranked += 1
    width = 1
    while width < n_ranked:
        for start in range(0, n_ranked, 2 * width):
            left, right = start, min(start + width, n_ranked)
            middle, end = right, min(start + 2 * width, n_ranked)
            for place in range(start, end):
                is_left = left < middle
                if is_left and right < end:
                    is_left = scores[ranked[left]] >= scores[ranked[right]]
                merged[place] = ranked[left] if is_left else ranked[right]
                left, right = left + is_left, right + (not is_left)
        ranked, merged = merged, ranked
        width *= 2
    return ranked[:n_ranked]


@njit(cache=True, nogil=True)
def most_violating_set(scores, truth, weight, found):
    """Write the set of the highest value into `found`, and return its height.

    Of all sets with a true and b other labels, the one with the highest scores is best. For given
    a, the value is concave in b, so that b grows while the value does. A further label that is not
    true raises the loss by at most `most`, so that labels with scores below -most are left out.
    """
    hits = _ranked(scores, truth, True, -np.inf)
    n_true = hits.size
    most = 1.0 if n_true == 0 else 0.0
    for a in range(1, n_true + 1):
        total = weight * n_true + a
        most = max(most, (1.0 + weight) * a / (total * (total + 1.0)))
    misses = _ranked(scores, truth, False, -most)
    best, best_a, best_b = -np.inf, 0, 0
    of_hits = 0.0
    for a in range(n_true + 1):
        of_hits += scores[hits[a - 1]] if a > 0 else 0.0
        b, of_misses = 0, 0.0
        value = f_loss(a, n_true, a, weight)
        while b < misses.size:
            more = of_misses + scores[misses[b]]
            larger = f_loss(a, n_true, a + b + 1, weight) + more
            if larger <= value:
                break
            b, of_misses, value = b + 1, more, larger
        if of_hits + value > best:
            best, best_a, best_b = of_hits + value, a, b
    found[:] = False
    for a in range(best_a):
        found[hits[a]] = True
    for b in range(best_b):
        found[misses[b]] = True
    return f_loss(best_a, n_true, best_a + best_b, weight)


@njit(cache=True, nogil=True)
def most_violating_sets(scores, truths, weight, found, heights):
    """Write the most violating set of each row, and its height."""
    for i in range(scores.shape[0]):
        heights[i] = most_violating_set(scores[i], truths[i], weight, found[i])


@njit(inner=True, nogil=True)
def _find_values(planes, i, scores):
    """Compute the values of the planes of a row at new scores."""
    k = planes.first[i]
    while k >= 0:
        planes.values[k] = planes.heights[k] + _value(scores, planes.labels[k])
        k = planes.following[k]


@njit(cache=True, nogil=True)
def _ends(planes, i):
    """Find a row's best plane, its worst plane with weight, and the mean value."""
    best, worst, mean = -1, -1, 0.0
    k = planes.first[i]
    while k >= 0:
        mean += planes.weights[k] * planes.values[k]
        if best < 0 or planes.values[k] > planes.values[best]:
            best = k
        if planes.weights[k] > 0 and (worst < 0 or planes.values[k] < planes.values[worst]):
            worst = k
        k = planes.following[k]
    return best, worst, mean


@njit(cache=True, nogil=True)
def row_gaps(scores, found, heights, planes, start, gaps):
    """Write the duality gap of each row, for a block of rows from `start`."""
    for i in range(scores.shape[0]):
        _find_values(planes, start + i, scores[i])
        best, _, mean = _ends(planes, start + i)
        highest = max(planes.values[best], heights[i] + _value(scores[i], found[i]))
        gaps[start + i] = max(0.0, highest - mean)


@njit(inner=True, nogil=True)
def _add_plane(planes, i, labels, height, value):
    """Add a plane without weight to a row, unless the row has it."""
    k = planes.first[i]
    while k >= 0:
        if _n_different(planes.labels[k], labels) == 0:
            return
        k = planes.following[k]
    k = planes.unused[0]
    planes.unused[0] = planes.following[k]
    planes.unused[1] -= 1
    for j in range(labels.size):
        planes.labels[k, j] = labels[j]
    planes.heights[k], planes.weights[k], planes.values[k] = height, 0.0, value
    planes.following[k], planes.first[i] = planes.first[i], k


@njit(inner=True, nogil=True)
def _drop_idle(planes, i):
    """Return the planes of a row that have no weight to the unused ones."""
    before, k = -1, planes.first[i]
    while k >= 0:
        following = planes.following[k]
        if planes.weights[k] > 0:
            before = k
        else:
            if before < 0:
                planes.first[i] = following
            else:
                planes.following[before] = following
            planes.following[k], planes.unused[0] = planes.unused[0], k
            planes.unused[1] += 1
        k = following


@njit(inner=True, nogil=True)
def _shift_pair(planes, i, scores, ends, change):
    """Change the scores of labels in which two planes differ; update values."""
    sign = planes.labels[ends[1]].astype(np.int8) - planes.labels[ends[0]].astype(np.int8)
    scores += change * sign
    k = planes.first[i]
    while k >= 0:
        n_more = 0
        for j in range(scores.size):
            n_more += planes.labels[k, j] * sign[j]
        planes.values[k] += change * n_more
        k = planes.following[k]


@njit(inner=True, nogil=True)
def _shift_weight(planes, i, scores, stiffness, slack):
    """Shift weight from the worst plane to the best until they nearly agree.

    They agree when values differ by at most `slack`. Each shift is the optimal one for its two
    planes: the scores of labels in which they differ change by `stiffness` times the weight, which
    makes the two values equal unless the weight is used up before.
    """
    for _ in range(_SHIFTS):
        best, worst, _ = _ends(planes, i)
        apart = planes.values[best] - planes.values[worst]
        n_different = _n_different(planes.labels[best], planes.labels[worst])
        if apart <= slack or n_different == 0:
            return
        amount = min(planes.weights[worst], apart / (stiffness * n_different))
        planes.weights[worst] -= amount
        planes.weights[best] += amount
        _shift_pair(planes, i, scores, (best, worst), stiffness * amount)


@njit(inner=True, nogil=True)
def _raise_dual(planes, i, scores, found, height, stiffness):
    """Shift weight to the set found; return the gap of the row before."""
    _add_plane(planes, i, found, height, height + _value(scores, found))
    best, _, mean = _ends(planes, i)
    gap = max(0.0, planes.values[best] - mean)
    if gap > _ROUNDING:
        _shift_weight(planes, i, scores, stiffness, 2 * _SOLVED * gap)
    return gap


@njit(cache=True, nogil=True)
def row_scores(rows, W, i):
    """Score the labels of a row."""
    scores = W[-2] - rows.along[i] * W[-1]
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        feature, weights = rows.values[e], W[rows.indices[e]]
        for j in range(scores.size):
            scores[j] += feature * weights[j]
    return scores


@njit(inner=True, nogil=True)
def _move_weights(rows, W, i, before, scores):
    """Move W along (x - c, κ) of a row, so that its scores change as given."""
    step = (scores - before) / rows.squares[i]
    for j in range(step.size):
        W[-2, j] += rows.lift[i] * step[j]
        W[-1, j] += step[j]
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        feature, weights = rows.values[e], W[rows.indices[e]]
        for j in range(scores.size):
            weights[j] += feature * step[j]


@njit(cache=True, nogil=True)
def visit_row(rows, W, planes, i, found, height, rate):
    """Optimise the dual of one row, given a violating set; return its old gap."""
    before = row_scores(rows, W, i)
    scores = before.copy()
    _find_values(planes, i, scores)
    gap = _raise_dual(planes, i, scores, found, height, rate * rows.squares[i])
    _drop_idle(planes, i)
    _move_weights(rows, W, i, before, scores)
    return gap


@njit(cache=True, nogil=True)
def visit_rows(rows, Y, weight, W, planes, order, rate, gaps):
    """Optimise the dual of one row after the other, updating W; without pairs.

    `rate` is 1/(λn): the weights are rate · Σ_i (x_i - c, κ) ⊗ (y_i - mean set of row i). Returns
    the number of visited rows, which is below ``order.size`` if unused planes ran out.
    """
    found = np.empty(Y.shape[1], np.bool_)
    for place in range(order.size):
        if planes.unused[1] < _SEARCHES:
            return place
        i = order[place]
        before = row_scores(rows, W, i)
        scores = before.copy()
        _find_values(planes, i, scores)
        for search in range(_SEARCHES):
            height = most_violating_set(scores, Y[i], weight, found)
            gap = _raise_dual(planes, i, scores, found, height, rate * rows.squares[i])
            if search == 0:
                gaps[i] = gap
            if gap <= _SOLVED * gaps[i]:
                break
        _drop_idle(planes, i)
        _move_weights(rows, W, i, before, scores)
    return order.size
