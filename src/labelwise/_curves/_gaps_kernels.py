"""Kernels that count the scores between positives without sorting them, and find cuts from that."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._curves._cuts_kernels import put_threshold
from labelwise._jit import njit


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
def cuts_from_gaps(hits, counts, highest, below):
    """Return (decided, hits, lows, thresholds) of the cuts whose lowest score is a positive's.

    The first cut decides no sample. `hits` is in rising order, `below` is the highest score below
    all of them, -inf if none is.
    """
    decided = np.zeros(hits.size + 1, np.int64)
    n_hits = np.zeros(hits.size + 1, np.int64)
    lows = np.full(hits.size + 1, np.inf, hits.dtype)
    thresholds = np.full(hits.size + 1, np.inf, hits.dtype)
    place, n_decided, entry = 0, 0, hits.size - 1
    while entry >= 0:
        score = hits[entry]
        n_decided += counts[entry]
        while entry >= 0 and hits[entry] == score:
            entry -= 1
        place += 1
        decided[place] = n_decided
        n_hits[place] = hits.size - 1 - entry
        lows[place] = score
        put_threshold(thresholds, place, score, highest[entry] if entry >= 0 else below)
    end = place + 1
    return decided[:end], n_hits[:end], lows[:end], thresholds[:end]
