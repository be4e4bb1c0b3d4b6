"""Structured hinge loss row by row: the most violating label sets, and steps of the dual.

A plane of a row is a label set y' with its height ℓ_F(y, y') + pairs(y') - pairs(y), so that its
value under the scores is height + Σ_{j in y'} scores_j. The row's hinge loss is the highest value
of all sets, less that of y itself, whose height is 0.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

# The row's problem counts as solved when so small a part of its gap is left.
_SOLVED = 0.05
_ROUNDING = 1e-12
# Searches for a new plane in one visit: those by cuts cost more than the visit.
_SEARCHES = 3
_SEARCHES_BY_CUTS = 1
_MOST_STEPS = 50


class Rows(NamedTuple):
    """A CSR matrix of features, the constant one included."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray


class Pairs(NamedTuple):
    """Gains of pairs of labels, each pair once in either direction, by the first label."""

    indptr: np.ndarray
    others: np.ndarray
    gains: np.ndarray
    reverse: np.ndarray  # where the same pair stands in the other direction


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
def _n_both(one, other):
    """Count the labels in both sets."""
    n_both = 0
    for j in range(one.size):
        n_both += one[j] and other[j]
    return n_both


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
    """Labels of one kind whose score is above `least`, highest first, ties in their order."""
    ranked = np.empty(scores.size, np.int64)
    n_ranked = 0
    for j in range(scores.size):
        if truth[j] == is_true and scores[j] > least:
            place = n_ranked
            while place > 0 and scores[ranked[place - 1]] < scores[j]:
                ranked[place] = ranked[place - 1]
                place -= 1
            ranked[place] = j
            n_ranked += 1
    return ranked[:n_ranked]


@njit(cache=True, nogil=True)
def _most_violating_set(scores, truth, found):
    """Write the set of the highest value into `found`, and return its height; exact, no pairs.

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
def _height(truth, decided, pairs):
    """F-loss of a set, plus the gains of its pairs."""
    n_sizes = _n_both(truth, truth) + _n_both(decided, decided)
    return _f_loss(_n_both(truth, decided), n_sizes) + _pair_gains(decided, pairs)


@njit(cache=True, nogil=True)
def _keep_better(scores, truth, pairs, tried, found, kept):
    """Write the tried set into `found`, its height and value into `kept`, if it has more value."""
    height = _height(truth, tried, pairs) - _pair_gains(truth, pairs)
    value = height + _value(scores, tried)
    if value > kept[1]:
        kept[0], kept[1] = height, value
        found[:] = tried


@njit(cache=True, nogil=True)
def _try_fixed_sizes(scores, truth, pairs, found, kept):
    """Try the best sets as if they had size k: a true label then loses 2/(|y| + k).

    The terms rise with k, so the flow for k is a start for k + 1, and sets grow.
    """
    n_true = _n_both(truth, truth)
    left, residual = _terminals(scores, pairs), pairs.gains / 2
    reached = np.empty(scores.size, np.bool_)
    n_reached, term = -1, 0.0
    for k in range(scores.size + 1):
        rise = term - 2.0 / (n_true + k)
        term -= rise
        for j in range(scores.size):
            left[j] += rise if truth[j] else 0.0
        _cut(left, residual, pairs, reached)
        if _n_both(reached, reached) != n_reached:
            n_reached = _n_both(reached, reached)
            _keep_better(scores, truth, pairs, reached, found, kept)


@njit(cache=True, nogil=True)
def _try_tangents(scores, truth, pairs, found, kept):
    """Try the best sets for the loss's tangent at all true labels and k labels altogether.

    With t true labels and a hits, 1 - 2a/(t + k) changes by 2t/(t + k)² with each further label,
    and by 2/(t + k) less with each hit.
    """
    n_true = _n_both(truth, truth)
    reached = np.empty(scores.size, np.bool_)
    for k in range(n_true, scores.size + 1):
        left = _terminals(scores, pairs)
        more = 2.0 * n_true / (n_true + k) ** 2
        for j in range(scores.size):
            left[j] += more - 2.0 / (n_true + k) if truth[j] else more
        _cut(left, pairs.gains / 2, pairs, reached)
        _keep_better(scores, truth, pairs, reached, found, kept)


@njit(cache=True, nogil=True)
def _violating_set_by_cuts(scores, truth, pairs, found):
    """Write a set of high value into `found`, at least as high as the truth; return its height.

    A cut maximises what is linear but for pairs: the loss is made so at every size k.
    """
    found[:] = truth
    kept = np.array([0.0, _value(scores, truth)])
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
def violating_set(scores, truth, pairs, found):
    """Write the most violating set of a row into `found`, and return its height."""
    if pairs.others.size == 0:
        return _most_violating_set(scores, truth, found)
    return _violating_set_by_cuts(scores, truth, pairs, found)


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
def row_gaps(scores, Y, pairs, planes, start, gaps):
    """Write how far each row's hinge loss lies above its dual, for a block of rows from `start`."""
    found = np.empty(Y.shape[1], np.bool_)
    for i in range(scores.shape[0]):
        height = violating_set(scores[i], Y[start + i], pairs, found)
        _find_values(planes, start + i, scores[i])
        best, _, mean = _ends(planes, start + i)
        highest = max(planes.values[best], height + _value(scores[i], found))
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
    planes.labels[k, :] = labels
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
            planes.following[k] = planes.unused[0]
            planes.unused[0] = k
            planes.unused[1] += 1
        k = following


@njit(cache=True, nogil=True)
def _change_score(planes, i, scores, j, change):
    """Change a label's score, and the values of the row's planes that hold the label."""
    scores[j] += change
    k = planes.first[i]
    while k >= 0:
        if planes.labels[k, j]:
            planes.values[k] += change
        k = planes.following[k]


@njit(cache=True, nogil=True)
def _shift_weight(planes, i, scores, stiffness, slack):
    """Shift weight from the row's worst plane to its best until they differ by `slack` at most.

    Each shift is the best one of the two: the scores of labels in which they differ change by
    `stiffness` times the weight, which brings the values together.
    """
    for _ in range(_MOST_STEPS):
        best, worst, _ = _ends(planes, i)
        apart = planes.values[best] - planes.values[worst]
        to, of = planes.labels[best], planes.labels[worst]
        n_different = _n_different(to, of)
        if apart <= slack or n_different == 0:
            return
        amount = min(planes.weights[worst], apart / (stiffness * n_different))
        planes.weights[worst] -= amount
        planes.weights[best] += amount
        for j in range(scores.size):
            if to[j] != of[j]:
                change = stiffness * amount * (1.0 if of[j] else -1.0)
                _change_score(planes, i, scores, j, change)


@njit(cache=True, nogil=True)
def _solve_row(planes, i, scores, truth, pairs, stiffness):
    """Raise the dual over the planes of one row; return the gap that the row had before."""
    found = np.empty(scores.size, np.bool_)
    n_searches = _SEARCHES if pairs.others.size == 0 else _SEARCHES_BY_CUTS
    before = 0.0
    _find_values(planes, i, scores)
    for search in range(n_searches):
        height = violating_set(scores, truth, pairs, found)
        _add_plane(planes, i, found, height, height + _value(scores, found))
        best, _, mean = _ends(planes, i)
        gap = planes.values[best] - mean
        if search == 0:
            before = gap
        if gap <= max(_ROUNDING, _SOLVED * before):
            break
        _shift_weight(planes, i, scores, stiffness, 2 * _SOLVED * gap)
    _drop_idle(planes, i)
    return max(before, 0.0)


@njit(cache=True, nogil=True)
def visit_rows(rows, Y, W, pairs, planes, order, rate, gaps):
    """Solve one row after the other for its planes' weights, keeping W in step.

    `rate` is 1/(λn): W = rate · Σ_i x_i ⊗ (y_i - mean set of row i). Returns how many rows of
    `order` were visited before the unused planes became too few for another.
    """
    scores, shift = np.empty(Y.shape[1]), np.empty(Y.shape[1])
    for place in range(order.size):
        if planes.unused[1] < _SEARCHES:
            return place
        i = order[place]
        scores[:] = 0.0
        norm = 0.0
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            feature, weights = rows.values[e], W[rows.indices[e]]
            norm += feature**2
            for j in range(scores.size):
                scores[j] += feature * weights[j]
        shift[:] = scores
        gaps[i] = _solve_row(planes, i, scores, Y[i], pairs, rate * norm)
        # The row's own scores moved by norm times what goes to W in its direction.
        for j in range(scores.size):
            shift[j] = (shift[j] - scores[j]) / norm
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            feature, weights = rows.values[e], W[rows.indices[e]]
            for j in range(scores.size):
                weights[j] -= feature * shift[j]
    return order.size
