"""Kernels that find the cuts of labels from sorted scores, and their concave hulls."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(inner=True, nogil=True)
def put_threshold(thresholds, place, upper, lower):
    """Store the threshold halfway between two scores, or `upper` if no float lies between."""
    if lower == -np.inf:
        thresholds[place] = -np.inf
        return
    thresholds[place] = 0.5 * upper + 0.5 * lower
    if not thresholds[place] > lower:
        thresholds[place] = upper


@njit(cache=True, nogil=True)
def cuts_everywhere(column, hits):
    """Return (decided, hits, lows, thresholds) of the cuts at every distinct score."""
    decided = np.zeros(column.size + 1, np.int64)
    n_hits = np.zeros(column.size + 1, np.int64)
    lows = np.full(column.size + 1, np.inf, column.dtype)
    thresholds = np.full(column.size + 1, np.inf, column.dtype)
    place, rest, entry = 0, column.size, hits.size
    while rest > 0:
        score = column[rest - 1]
        while rest > 0 and column[rest - 1] == score:
            rest -= 1
        while entry > 0 and hits[entry - 1] == score:
            entry -= 1
        place += 1
        decided[place] = column.size - rest
        n_hits[place] = hits.size - entry
        lows[place] = score
        put_threshold(thresholds, place, score, column[rest - 1] if rest else -np.inf)
    end = place + 1
    return decided[:end], n_hits[:end], lows[:end], thresholds[:end]


@njit(cache=True, nogil=True)
def find_hulls(starts, decided, hits, places, hull_starts, slack=0):
    """Write the places of the vertices of each label's concave hull, and where labels start.

    Returns the number of vertices; `hull_starts` must be zeros.

    Slopes fall strictly from edge to edge, by more than the share `slack`; edges without hits are
    left out. Products of integers are exact, those of floats are not and need a slack.
    """
    size = 0
    for j in range(starts.size - 1):
        first = size
        for place in range(starts[j], starts[j + 1]):
            while size - first > 1:
                a, b = places[size - 2], places[size - 1]
                rise = (hits[b] - hits[a]) * (decided[place] - decided[b])
                other = (hits[place] - hits[b]) * (decided[b] - decided[a])
                if rise > other + slack * other:
                    break
                size -= 1
            if size == first or hits[place] > hits[places[size - 1]]:
                places[size] = place
                size += 1
        hull_starts[j + 1] = size
    return size


@njit(cache=True, nogil=True)
def are_positive(indptr, indices, Y_indptr, Y_indices):
    """Return which stored cells of a CSC matrix are positive; both have sorted indices."""
    found = np.zeros(indices.size, np.bool_)
    for j in range(indptr.size - 1):
        other, end = Y_indptr[j], Y_indptr[j + 1]
        for entry in range(indptr[j], indptr[j + 1]):
            while other < end and Y_indices[other] < indices[entry]:
                other += 1
            found[entry] = other < end and Y_indices[other] == indices[entry]
    return found
