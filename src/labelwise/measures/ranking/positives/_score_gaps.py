"""Numbers of scores between the positives of a ranking, without sorting the scores."""

from __future__ import annotations

import numpy as np

from labelwise.measures.ranking.positives._score_gaps_kernels import (
    Buckets,
    add_to_range,
    in_ranges,
)

# Buckets of equal width for each positive, but no more than scores: with several for a positive,
# most scores are in a bucket without one and need no search.
_BUCKETS = 4
# With this many times more positives than scores, a binary search takes less time than buckets.
_MANY = 16
# With more positives, their buckets and counts do not stay in the cache of a core: scores are
# first divided into ranges of fewer positives.
LARGE, _RANGE = 2**17, 2**14


def add_to_gaps(
    column: np.ndarray,
    hits: np.ndarray,
    counts: np.ndarray,
    highest: np.ndarray,
    ties: np.ndarray,
) -> float:
    """Add scores to the gaps between hits, in place; return the highest score below all hits.

    Only the hits are in rising order. The gap of a hit reaches to the next higher hit; among equal
    hits it is that of the last one. The highest score of a gap, and the number of scores that are
    equal to its hit, are found if their arrays are not empty.
    """
    if hits.size == 0 or column.size == 0:
        return -np.inf
    if hits.size <= LARGE or column.size < hits.size // 4:
        buckets = buckets_of(hits, column.size)
        return float(add_to_range(column, hits, buckets, counts, highest, ties))
    firsts = hits[::_RANGE].copy()
    found, places = in_ranges(column, firsts, buckets_of(firsts, column.size))
    below = -np.inf
    for number in np.flatnonzero(np.diff(places)):
        mine = slice(number * _RANGE, (number + 1) * _RANGE)
        part = found[places[number] : places[number + 1]]
        buckets = buckets_of(hits[mine], part.size)
        some = add_to_range(part, hits[mine], buckets, counts[mine], highest[mine], ties[mine])
        below = max(below, float(some))
    return below


def buckets_of(hits: np.ndarray, n_scores: int) -> Buckets:
    """Divide the range of rising hits into buckets of equal width, for that many scores."""
    n_buckets = min(_BUCKETS * hits.size, n_scores) if _MANY * n_scores > hits.size else 1
    # Halves have a finite difference. The kernel computes the bucket of a score by the same steps.
    halves = 0.5 * hits.astype(np.float64)
    width = float(halves[-1] - halves[0])
    scale = (n_buckets - 1) / width if width > 1e-290 else 0.0
    numbers = ((halves - halves[0]) * scale).astype(np.int64)
    sizes = np.bincount(numbers, minlength=n_buckets)
    return Buckets(np.concatenate(([0], np.cumsum(sizes))), scale)


def counts_at_cuts(values: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many values are greater than each cut, and at least as great, highest cut first.

    Cuts are in rising order, values in any order; both may be -inf.
    """
    n_lowest = int(np.searchsorted(cuts, -np.inf, side="right"))
    finite = cuts[n_lowest:]
    counts, ties = np.zeros((2, finite.size), dtype=np.int64)
    add_to_gaps(values, finite, counts, np.empty(0, values.dtype), ties)
    # Among equal cuts, the last one has all values of the gap.
    ends = np.flatnonzero(np.diff(finite, append=np.inf))
    tied = np.repeat(ties[ends], np.diff(ends, prepend=-1))
    found = np.full((2, cuts.size), values.size, dtype=np.int64)
    found[1, : finite.size] = np.cumsum(counts[::-1])
    found[0, : finite.size] = found[1, : finite.size] - tied[::-1]
    if n_lowest:
        found[0, finite.size :] -= np.count_nonzero(np.isneginf(values))
    return found[0], found[1]
