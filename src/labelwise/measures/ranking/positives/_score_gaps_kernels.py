"""Kernels that count the scores between the positives of a ranking, without sorting the scores."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit


class Buckets(NamedTuple):
    """How many hits lie before each bucket of equal width, and the buckets in a unit of scores."""

    starts: np.ndarray
    scale: float


@njit(inline="always")
def last_reached(hits, starts, scale, score):
    """Return the last of the rising hits that are not above a score, which reaches the first.

    The bucket of a score has few hits, and a higher score is never in a lower bucket, since each
    step of its computation is monotone.
    """
    capped = 0.5 * np.float64(min(score, hits[-1]))
    bucket = np.int64((capped - 0.5 * np.float64(hits[0])) * scale)
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
def add_to_range(column, hits, buckets, counts, highest, ties):
    """Add scores to gaps as `add_to_gaps` does, for some hits that stay in the cache."""
    below, first, (starts, scale) = -np.inf, hits[0], buckets
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
def in_ranges(column, firsts, buckets):
    """Return the scores range by range, and where each range starts.

    Range r has the scores from ``firsts[r]`` on; lower ones are in range 0.
    """
    starts, scale = buckets
    numbers = np.empty(column.size, np.int32)
    places = np.zeros(firsts.size + 1, np.int64)
    for place in range(column.size):
        score = column[place]
        number = 0 if score < firsts[0] else last_reached(firsts, starts, scale, score)
        numbers[place] = number
        places[number + 1] += 1
    for number in range(firsts.size):
        places[number + 1] += places[number]
    ends, found = places.copy(), np.empty_like(column)
    for place in range(column.size):
        number = numbers[place]
        found[ends[number]] = column[place]
        ends[number] += 1
    return found, places
