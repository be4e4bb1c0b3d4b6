"""Kernels that count the scores between the positives of a label, block after block."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit
from labelwise.decisions.thresholds.curves._cuts_kernels import put_threshold

# Buckets of equal width for each positive, if there are no fewer scores than positives: with more,
# most scores are in a bucket without a positive and need no search.
BUCKETS = 4
# With this many times more positives than scores, a binary search takes less time than buckets.
MANY = 16


@njit(cache=True, nogil=True)
def bucket_starts(hits, n_buckets):
    """Return how many hits lie before each bucket of equal width, and the buckets per unit.

    The width is halved, so that it is finite for all finite scores.
    """
    starts = np.zeros(n_buckets + 1, np.int64)
    low, width = 0.5 * np.float64(hits[0]), 0.5 * np.float64(hits[-1]) - 0.5 * np.float64(hits[0])
    scale = (n_buckets - 1) / width if width > 1e-290 else 0.0
    for hit in hits:
        starts[np.int64((0.5 * hit - low) * scale) + 1] += 1
    for bucket in range(n_buckets):
        starts[bucket + 1] += starts[bucket]
    return starts, scale


@njit(cache=True, nogil=True)
def add_to_gaps(column, hits, counts, highest, ties):
    """Add the scores of a block to the gaps of a label; return the highest score below all hits.

    Only the hits are in rising order. The gap of a hit reaches to the next higher hit; among equal
    hits it is that of the last one. The bucket of a score has few hits, and a higher score is
    never in a lower bucket, since each step of its computation is rounded in the same direction.
    Ties with a hit are counted if `ties` is not empty.
    """
    below, n_hits = -np.inf, hits.size
    if n_hits == 0 or column.size == 0:
        return below
    n_buckets = BUCKETS * min(n_hits, column.size) if MANY * column.size > n_hits else 1
    starts, scale = bucket_starts(hits, n_buckets)
    low, first, last = 0.5 * np.float64(hits[0]), hits[0], hits[-1]
    for score in column:
        if score < first:
            below = max(below, score)
            continue
        bucket = np.int64((0.5 * min(score, last) - low) * scale)
        entry, end = starts[bucket], starts[bucket + 1]
        while end - entry > 4:
            middle = (entry + end) >> 1
            if hits[middle] <= score:
                entry = middle + 1
            else:
                end = middle
        while entry < end and hits[entry] <= score:
            entry += 1
        entry -= 1
        counts[entry] += 1
        highest[entry] = score if score > highest[entry] else highest[entry]
        if ties.size:
            ties[entry] += hits[entry] == score
    return below


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
