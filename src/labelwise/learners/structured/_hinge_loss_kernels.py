"""Structured hinge loss row by row: the most violating label set, and steps of the dual.

A plane of a row is a label set y' with its height ℓ_F(y, y') + pairs(y') - pairs(y), so that its
value under the scores is height + Σ_{j in y'} scores_j. The row's hinge loss is the highest value
of all sets, less that of y itself, whose height is 0.

The last rows of W are intercepts and drift, the weights of features W[:-2] - mean ⊗ drift: a visit
moves them along x - mean, and changes few rows of W where x is sparse.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit

# The row's problem counts as solved when so small a part of its gap is left.
_SOLVED = 0.05
_ROUNDING = 1e-12
_SEARCHES = 3  # for a new plane in one visit
_SHIFTS = 10  # of weight after each search


class CentredRows(NamedTuple):
    """Features x of samples as a CSR matrix, and what makes them x - c with a constant κ."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    along: np.ndarray  # x · c
    lift: np.ndarray  # κ² - (x - c) · c: what a unit step along (x - c, κ) adds to the intercept
    squares: np.ndarray  # ‖x - c‖² + κ²


class Planes(NamedTuple):
    """The planes of all rows, a chain for each; those not in use form a chain, too."""

    labels: np.ndarray  # bool (n_planes, n_labels)
    heights: np.ndarray
    weights: np.ndarray  # of a row sum to 1
    values: np.ndarray  # under the scores of the last visit
    following: np.ndarray  # the next plane of the chain, -1 at its end
    first: np.ndarray  # (n_rows,)
    unused: np.ndarray  # the first that is not in use, and their number


@njit(cache=True, nogil=True)
def _f_loss(n_hits, n_sizes):
    """1 - F of two sets from their intersection and the sum of their sizes; both empty: 0."""
    return 1.0 - 2.0 * n_hits / n_sizes if n_sizes > 0 else 0.0


@njit(cache=True, nogil=True)
def _n_different(one, other):
    """Count the labels in one of the sets only."""
    n_different = 0
    for j in range(one.size):
        n_different += one[j] != other[j]
    return n_different


@njit(cache=True, nogil=True)
def _value(scores, labels):
    """Sum of the scores of a set."""
    total = 0.0
    for j in range(scores.size):
        if labels[j]:
            total += scores[j]
    return total


@njit(cache=True, nogil=True)
def _ranked(scores, truth, is_true, least):
    """Labels of one kind whose score is above `least`, highest first, ties in their order.

    Sorted by merging, here, since numba takes seconds to build its own sort.
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
def most_violating_set(scores, truth, found):
    """Write the set of the highest value into `found`, and return its height.

    With a hits and b misses the best are those of the highest scores. Given a, the value is
    concave in b: b grows while that gains. No miss gains more by its size than `most`.
    """
    hits = _ranked(scores, truth, True, -np.inf)
    n_true = hits.size
    most = 1.0 if n_true == 0 else 0.0
    for a in range(1, n_true + 1):
        most = max(most, 2.0 * a / ((n_true + a) * (n_true + a + 1)))
    misses = _ranked(scores, truth, False, -most)
    best, best_a, best_b = -np.inf, 0, 0
    of_hits = 0.0
    for a in range(n_true + 1):
        of_hits += scores[hits[a - 1]] if a > 0 else 0.0
        b, of_misses = 0, 0.0
        value = _f_loss(a, n_true + a)
        while b < misses.size:
            more = of_misses + scores[misses[b]]
            larger = _f_loss(a, n_true + a + b + 1) + more
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
    return _f_loss(best_a, n_true + best_a + best_b)


@njit(cache=True, nogil=True)
def most_violating_sets(scores, truths, found, heights):
    """Write the set of the highest value, and its height, for each row."""
    for i in range(scores.shape[0]):
        heights[i] = most_violating_set(scores[i], truths[i], found[i])


@njit(cache=True, nogil=True)
def _find_values(planes, i, scores):
    """Find the values of the row's planes under new scores."""
    k = planes.first[i]
    while k >= 0:
        planes.values[k] = planes.heights[k] + _value(scores, planes.labels[k])
        k = planes.following[k]


@njit(cache=True, nogil=True)
def _ends(planes, i):
    """Return the row's best plane, its worst that has weight, and the mean value."""
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
    """Write how far each row's hinge loss lies above its dual, for a block of rows from `start`."""
    for i in range(scores.shape[0]):
        _find_values(planes, start + i, scores[i])
        best, _, mean = _ends(planes, start + i)
        highest = max(planes.values[best], heights[i] + _value(scores[i], found[i]))
        gaps[start + i] = max(0.0, highest - mean)


@njit(cache=True, nogil=True)
def _add_plane(planes, i, labels, height, value):
    """Chain a plane without weight to a row, unless the row has it."""
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


@njit(cache=True, nogil=True)
def _drop_idle(planes, i):
    """Give back the planes of a row that have no weight."""
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


@njit(cache=True, nogil=True)
def _shift_pair(planes, i, scores, ends, change):
    """Change the scores by which two planes differ, and the values of all planes of the row."""
    sign = planes.labels[ends[1]].astype(np.int8) - planes.labels[ends[0]].astype(np.int8)
    scores += change * sign
    k = planes.first[i]
    while k >= 0:
        n_more = 0
        for j in range(scores.size):
            n_more += planes.labels[k, j] * sign[j]
        planes.values[k] += change * n_more
        k = planes.following[k]


@njit(cache=True, nogil=True)
def _shift_weight(planes, i, scores, stiffness, slack):
    """Shift weight from the row's worst plane to its best until they differ by `slack` at most.

    Each shift is the best one of the two: the scores of labels in which they differ change by
    `stiffness` times the weight, which brings the values together.
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


@njit(cache=True, nogil=True)
def _raise_dual(planes, i, scores, found, height, stiffness):
    """Shift weight to the set that was found, and return the gap that the row had before."""
    _add_plane(planes, i, found, height, height + _value(scores, found))
    best, _, mean = _ends(planes, i)
    gap = max(0.0, planes.values[best] - mean)
    if gap > _ROUNDING:
        _shift_weight(planes, i, scores, stiffness, 2 * _SOLVED * gap)
    return gap


@njit(cache=True, nogil=True)
def row_scores(rows, W, i):
    """Scores of a row's labels."""
    scores = W[-2] - rows.along[i] * W[-1]
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        feature, weights = rows.values[e], W[rows.indices[e]]
        for j in range(scores.size):
            scores[j] += feature * weights[j]
    return scores


@njit(cache=True, nogil=True)
def _move_weights(rows, W, i, before, scores):
    """Step along (x - c, κ) of a row until the scores that it had before are these."""
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
    """Solve one row for its planes' weights, given a set of high value; return its gap before."""
    before = row_scores(rows, W, i)
    scores = before.copy()
    _find_values(planes, i, scores)
    gap = _raise_dual(planes, i, scores, found, height, rate * rows.squares[i])
    _drop_idle(planes, i)
    _move_weights(rows, W, i, before, scores)
    return gap


@njit(cache=True, nogil=True)
def visit_rows(rows, Y, W, planes, order, rate, gaps):
    """Solve one row after the other for its planes' weights, keeping W in step; without pairs.

    `rate` is 1/(λn): the weights are rate · Σ_i (x_i - c, κ) ⊗ (y_i - mean set of row i). Returns
    how many rows of `order` were visited before unused planes became too few for another.
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
            height = most_violating_set(scores, Y[i], found)
            gap = _raise_dual(planes, i, scores, found, height, rate * rows.squares[i])
            if search == 0:
                gaps[i] = gap
            if gap <= _SOLVED * gaps[i]:
                break
        _drop_idle(planes, i)
        _move_weights(rows, W, i, before, scores)
    return order.size
