"""Kernels that count the scores between positives, and find cuts from these counts."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._curves._cuts_kernels import put_threshold
from labelwise._jit import njit


@njit(cache=True, nogil=True)
def add_to_gaps(scores, bounds, hits, starts, counts, highest, below, ties):
    """Add scores of labels to the gaps between their hits, in place.

    Label j has the scores at ``bounds[j]`` to ``bounds[j + 1] - 1`` and the hits at ``starts[j]``
    to ``starts[j + 1] - 1``, both in rising order. The gap of a hit reaches to the next higher
    hit; among equal hits it is that of the last one. The highest scores of gaps are found if
    `highest` is not empty, scores that are equal to a hit are counted if `ties` is not.
    """
    for j in range(starts.size - 1):
        first, end, entry = bounds[j], bounds[j + 1], starts[j + 1] - 1
        while entry >= starts[j]:
            hit, last = hits[entry], entry
            while entry >= starts[j] and hits[entry] == hit:
                entry -= 1
            lowest = first_reaching(scores, first, end, hit)
            if lowest < end:
                counts[last] += end - lowest
                if highest.size:
                    highest[last] = max(highest[last], scores[end - 1])
            place = lowest
            while ties.size and place < end and scores[place] == hit:
                ties[last] += 1
                place += 1
            end = lowest
        if starts[j + 1] > starts[j] and end > first:
            below[j] = max(below[j], scores[end - 1])


@njit(inner=True, nogil=True)
def first_reaching(scores, first, end, least):
    """Return the first place from `first` to `end` of a rising score that is at least `least`.

    Steps back from `end` double, so that the time depends on the logarithm of the result's
    distance from there.
    """
    step, high = 1, end
    while high - step >= first and scores[high - step] >= least:
        high -= step
        step *= 2
    low = max(first, high - step)
    while low < high:
        middle = (low + high) >> 1
        if scores[middle] >= least:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True)
def cuts_from_gaps(starts, hits, counts, highest, below):
    """Return (starts, decided, hits, lows, thresholds) of cuts whose lowest score is a positive's.

    The first cut of a label decides no sample. The arguments are those of `add_to_gaps`.
    """
    n_labels, size = starts.size - 1, starts[-1] - starts[0] + starts.size - 1
    cut_starts = np.zeros(starts.size, np.int64)
    decided = np.zeros(size, np.int64)
    n_hits = np.zeros(size, np.int64)
    lows = np.full(size, np.inf, hits.dtype)
    thresholds = np.full(size, np.inf, hits.dtype)
    place = 0
    for j in range(n_labels):
        n_decided, first, entry = 0, starts[j], starts[j + 1] - 1
        place += 1
        while entry >= first:
            score = hits[entry]
            n_decided += counts[entry]
            while entry >= first and hits[entry] == score:
                entry -= 1
            decided[place] = n_decided
            n_hits[place] = starts[j + 1] - 1 - entry
            lows[place] = score
            put_threshold(thresholds, place, score, highest[entry] if entry >= first else below[j])
            place += 1
        cut_starts[j + 1] = place
    return cut_starts, decided[:place], n_hits[:place], lows[:place], thresholds[:place]
