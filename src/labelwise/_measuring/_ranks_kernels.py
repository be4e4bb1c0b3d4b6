"""Kernels that find the scores of positives, and how many scores of a ranking lie above them."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def count_above(values, bounds, cuts, cut_bounds, n_absent, is_sorted):
    """For each cut, how many values of its ranking are greater, and how many at least as great.

    Ranking i is values[bounds[i]:bounds[i + 1]], its cuts cuts[cut_bounds[i]:cut_bounds[i + 1]],
    and n_absent[i] further values are -inf. An ascending ranking with ascending cuts is passed
    through once, any other one for each cut. The results of a ranking are those of its highest cut
    first.
    """
    above = np.zeros(cuts.size, np.int64)
    at_least = np.zeros(cuts.size, np.int64)
    for i in range(bounds.size - 1):
        ranking = values[bounds[i] : bounds[i + 1]]
        first, end = cut_bounds[i], cut_bounds[i + 1]
        if is_sorted[i]:
            add_counts(ranking, cuts[first:end], above[first:end], at_least[first:end])
        for p in range(first, end):
            absent = n_absent[i] if cuts[p] == -np.inf else 0
            if is_sorted[i]:
                at_least[first + end - 1 - p] += absent
                continue
            n_above = 0
            n_at_least = absent
            for value in ranking:
                n_above += value > cuts[p]
                n_at_least += value >= cuts[p]
            # Both counts fall as the cut grows: put in order apart, they stay together.
            insert(above[first : p + 1], n_above)
            insert(at_least[first : p + 1], n_at_least)
    return above, at_least


@njit(cache=True, nogil=True)
def add_counts(values, cuts, above, at_least):
    """Add how many values are greater than each cut, and at least as great, highest cut first.

    Values and cuts are ascending.
    """
    n_above = 0
    n_at_least = 0
    for p in range(cuts.size):
        cut = cuts[cuts.size - 1 - p]
        while n_above < values.size and values[values.size - 1 - n_above] > cut:
            n_above += 1
        while n_at_least < values.size and values[values.size - 1 - n_at_least] >= cut:
            n_at_least += 1
        above[p] += n_above
        at_least[p] += n_at_least


@njit(cache=True, nogil=True)
def insert(counts, new):
    """Insert a count into ascending ones; the last place is free."""
    place = counts.size - 1
    while place > 0 and counts[place - 1] > new:
        counts[place] = counts[place - 1]
        place -= 1
    counts[place] = new


@njit(cache=True, nogil=True)
def places_in_rows(wanted_bounds, wanted, bounds, columns):
    """For each wanted column, its place among the columns of the same row; -1 if it is not there.

    Row i wants wanted[wanted_bounds[i]:wanted_bounds[i + 1]] and has
    columns[bounds[i]:bounds[i + 1]], both ascending.
    """
    places = np.empty(wanted.size, np.int64)
    for i in range(bounds.size - 1):
        place, end = bounds[i], bounds[i + 1]
        for p in range(wanted_bounds[i], wanted_bounds[i + 1]):
            while place < end and columns[place] < wanted[p]:
                place += 1
            places[p] = place if place < end and columns[place] == wanted[p] else -1
    return places


@njit(cache=True, nogil=True)
def running_sums(ranking, values):
    """Return the sums of the values up to each, of its own ranking; a ranking lies together."""
    sums = values.copy()
    for p in range(1, values.size):
        if ranking[p] == ranking[p - 1]:
            sums[p] += sums[p - 1]
    return sums
