"""Kernels that find how many scores of a ranking lie above a cut."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def count_above(values, bounds, cuts, cut_bounds, is_sorted):
    """For each cut, how many values of its ranking are greater, and how many at least as great.

    Ranking i is values[bounds[i]:bounds[i + 1]], its cuts cuts[cut_bounds[i]:cut_bounds[i + 1]].
    An ascending ranking is searched, any other one counted through for each cut.
    """
    above = np.empty(cuts.size, np.int64)
    at_least = np.empty(cuts.size, np.int64)
    for i in range(bounds.size - 1):
        ranking = values[bounds[i] : bounds[i + 1]]
        for p in range(cut_bounds[i], cut_bounds[i + 1]):
            if is_sorted[i]:
                at_least[p] = ranking.size - count_below(ranking, cuts[p], False)
                above[p] = ranking.size - count_below(ranking, cuts[p], True)
                continue
            n_above = 0
            n_at_least = 0
            for value in ranking:
                n_above += value > cuts[p]
                n_at_least += value >= cuts[p]
            above[p] = n_above
            at_least[p] = n_at_least
    return above, at_least


@njit(cache=True, nogil=True)
def count_below(ranking, cut, with_equal):
    """How many values of an ascending ranking are less than the cut, or also equal to it."""
    low = 0
    high = ranking.size
    while low < high:
        middle = (low + high) // 2
        if ranking[middle] < cut or (with_equal and ranking[middle] == cut):
            low = middle + 1
        else:
            high = middle
    return low
