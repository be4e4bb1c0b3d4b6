"""Kernels for the highest score of each bag, and for the instance that has it."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def segment_maxima(scores, starts, maxima):
    """Write the highest score of each column among the rows of each bag.

    Two rows are read at a time, so that `maxima` is read and written half as often.
    """
    n_columns = scores.shape[1]
    for bag in range(starts.size - 1):
        i, end = starts[bag], starts[bag + 1]
        for j in range(n_columns):
            maxima[bag, j] = scores[i, j]
        i += 1
        while i + 1 < end:
            for j in range(n_columns):
                one, other = scores[i, j], scores[i + 1, j]
                higher = one if one > other else other
                best = maxima[bag, j]
                maxima[bag, j] = higher if higher > best else best
            i += 2
        if i < end:
            for j in range(n_columns):
                last, best = scores[i, j], maxima[bag, j]
                maxima[bag, j] = last if last > best else best


@njit(cache=True, nogil=True)
def segment_argmaxima(scores, starts, instances):
    """Write the index in the bag of each column's first highest score."""
    best = np.empty(scores.shape[1], dtype=scores.dtype)
    for bag in range(starts.size - 1):
        first = starts[bag]
        for j in range(best.size):
            best[j] = scores[first, j]
            instances[bag, j] = 0
        for i in range(first + 1, starts[bag + 1]):
            for j in range(best.size):
                if scores[i, j] > best[j]:
                    best[j] = scores[i, j]
                    instances[bag, j] = i - first
