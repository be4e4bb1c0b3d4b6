"""Numbers of scores between the positives of a ranking, without sorting the scores."""

from __future__ import annotations

import numpy as np

# Buckets of equal width for each positive, but no more than two for each score: with several for
# a positive, most scores are in a bucket without one and need no search.
_BUCKETS = 16
# With this many times more positives than scores, a binary search takes less time than buckets.
_MANY = 16
# With more positives, their buckets and counts do not stay in the cache of a core: scores are
# first put into groups of neighbouring buckets.
LARGE, _GROUPS = 2**15, 256


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
    from labelwise._ranks._ranks_kernels import add_to_buckets

    if hits.size == 0 or column.size == 0:
        return -np.inf
    n_buckets, scale = buckets_of(hits, column.size)
    starts = np.zeros(n_buckets + 1, np.int32 if hits.size < 2**31 else np.int64)
    if hits.size > LARGE and n_buckets > _GROUPS:
        column = _in_groups(column, hits, n_buckets, scale)
    return float(add_to_buckets(column, hits, scale, starts, counts, highest, ties))


def buckets_of(hits: np.ndarray, n_scores: int) -> tuple[int, float]:
    """Return how many buckets of equal width rising hits have, and how many in a unit of scores."""
    n_buckets = min(_BUCKETS * hits.size, 2 * n_scores) if _MANY * n_scores > hits.size else 1
    width = 0.5 * float(hits[-1]) - 0.5 * float(hits[0])
    return n_buckets, (n_buckets - 1) / width if width > 1e-290 else 0.0


def _in_groups(column: np.ndarray, hits: np.ndarray, n_buckets: int, scale: float) -> np.ndarray:
    """Return the scores in an order in which those of neighbouring buckets are together."""
    from labelwise._ranks._ranks_kernels import put_in_groups

    shift = ((n_buckets - 1) // _GROUPS).bit_length()
    numbers, places = np.empty(column.size, np.uint8), np.zeros(_GROUPS + 1, np.int64)
    found = np.empty_like(column)
    put_in_groups(column, hits, scale, shift, numbers, places, found)
    return found


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
