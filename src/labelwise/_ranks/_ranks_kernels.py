"""Kernels that count the scores above each positive of a ranking, sorted or by buckets."""

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


@njit(inline="always")
def bucket_of(hits, scale, score):
    """Return the bucket of a score that is at least the first of the rising hits.

    A higher score is never in a lower bucket, since each step is monotone. Halves have a finite
    difference.
    """
    return np.int64((0.5 * np.float64(min(score, hits[-1])) - 0.5 * np.float64(hits[0])) * scale)


@njit(inline="always")
def last_reached(hits, starts, scale, score):
    """Return the last of the rising hits that are not above a score, which reaches the first."""
    bucket = bucket_of(hits, scale, score)
    entry, end = starts[bucket], starts[bucket + 1]
    while end - entry > 4:
        middle = (entry + end) >> 1
        if hits[middle] <= score:
            entry = middle + 1
        else:
            end = middle
    while entry < end and hits[entry] <= score:
        entry += 1
    return entry - 1


@njit(cache=True, nogil=True)
def add_to_buckets(column, hits, scale, starts, counts, highest, ties):
    """Add scores to gaps as `add_to_gaps` does.

    `starts`, of zeros, receives the first hit of each bucket, and the number of hits at its end.
    """
    for entry in range(hits.size):
        starts[bucket_of(hits, scale, hits[entry]) + 1] = entry + 1
    # A bucket without hits starts where the one before ends. Without branches, which would be
    # mispredicted, this takes about a nanosecond for each hit and each bucket.
    for bucket in range(1, starts.size):
        starts[bucket] = max(starts[bucket], starts[bucket - 1])
    below, first = -np.inf, hits[0]
    for score in column:
        if score < first:
            below = max(below, score)
            continue
        entry = last_reached(hits, starts, scale, score)
        counts[entry] += 1
        if highest.size:
            highest[entry] = score if score > highest[entry] else highest[entry]
        if ties.size:
            ties[entry] += hits[entry] == score
    return below


@njit(cache=True, nogil=True)
def put_in_groups(column, hits, scale, shift, numbers, places, found):
    """Order scores by groups of neighbouring buckets, bucket b in group ``b >> shift``.

    `numbers` has room for the group of each score, `places`, of zeros, for one number more than
    groups, and `found` receives the scores. Scores below the first hit are in group 0.
    """
    first = hits[0]
    for place in range(column.size):
        score = column[place]
        number = 0 if score < first else bucket_of(hits, scale, score) >> shift
        numbers[place] = number
        places[number + 1] += 1
    for number in range(places.size - 1):
        places[number + 1] += places[number]
    for place in range(column.size):
        number = numbers[place]
        found[places[number]] = column[place]
        places[number] += 1


@njit(cache=True, nogil=True)
def places_by_column(scores, indptr, indices):
    """Place from 1 of each positive in its row; equal scores by column, 0 for a score of -inf."""
    places = np.zeros(indices.size, np.int64)
    for i in range(scores.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            own = scores[i, indices[p]]
            if own == -np.inf:
                continue
            n_before = 0
            for j in range(scores.shape[1]):
                n_before += scores[i, j] > own
            for j in range(indices[p]):
                n_before += scores[i, j] == own
            places[p] = n_before + 1
    return places
