"""Kernels that count the scores between the positives of a label, block after block."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit
from labelwise.decisions.thresholds.curves._cuts_kernels import put_threshold


@njit(cache=True, nogil=True)
def add_to_gaps(column, hits, counts, highest, ties):
    """Add the scores of a block to the gaps of a label; both arrays are in rising order.

    No score is below the first hit. The gap of a hit reaches to the next higher hit; among equal
    hits it is that of the last one. Steps that double find the gap of the next score, so that a
    block with few scores does not pass through all hits. Ties with a hit are counted if `ties` is
    not empty.
    """
    entry = 0
    for score in column:
        step = 1
        while entry + step < hits.size and hits[entry + step] <= score:
            entry += step
            step *= 2
        while step > 1:
            step //= 2
            if entry + step < hits.size and hits[entry + step] <= score:
                entry += step
        counts[entry] += 1
        highest[entry] = max(highest[entry], score)
        if ties.size:
            ties[entry] += hits[entry] == score


@njit(cache=True, nogil=True)
def cuts_from_gaps(hits, counts, highest, below):
    """Return (decided, hits, lows, thresholds) of the cuts at positives, as `cuts_at_hits` does.

    `hits` is in rising order, `below` is the highest score below all of them, -inf if none is.
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
