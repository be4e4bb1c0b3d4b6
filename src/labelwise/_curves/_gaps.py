"""Positives and the scores between them, counted over blocks of rows in any order.

A first pass collects the scores of the positives. They are few, and blocks are joined by merging.
A second pass counts, for each of these scores, how many scores lie from it up to the next one (its
gap), and keeps the highest of them: sums and maxima, which are added up over blocks in any order.
Both together give the cuts at positives, and the ranks of the positives, exactly, in memory for the
positives only. No pass sorts the scores: each one is found among the positives by buckets.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves._cuts import TOGETHER, Cuts, hull_places, joined
from labelwise._curves._cuts_kernels import hit_scores, sift
from labelwise._curves._gaps_kernels import add_to_buckets, cuts_from_gaps, put_in_groups
from labelwise._parallel import n_threads_for

# Rows of a block of scores in memory: copies of some columns take at most 64 MB a thread (float32).
_BLOCK_ROWS = 2**20
# Starting threads for fewer scores takes longer than adding them.
_FEW_SCORES = 2**20
# Buckets of equal width for each positive, but no more than two for each score: with several for
# a positive, most scores are in a bucket without one and need no search.
_BUCKETS = 16
# With this many times more positives than scores, a binary search takes less time than buckets.
_MANY = 16
# With more positives, their buckets and counts do not stay in the cache of a core: scores are
# first put into groups of neighbouring buckets.
LARGE, _GROUPS = 2**15, 256


class SortedHits(NamedTuple):
    """Scores of the positives in rising order, those of label j from ``starts[j]`` on."""

    starts: np.ndarray
    scores: np.ndarray

    @property
    def support(self) -> np.ndarray:
        """Number of positives of each label."""
        return np.diff(self.starts)

    @property
    def lowest(self) -> np.ndarray:
        """The lowest score of a positive of each label; inf for a label without positives."""
        found = np.full(self.support.size, np.inf, self.scores.dtype)
        some = self.support > 0
        found[some] = self.scores[self.starts[:-1][some]]
        return found


class Gaps(NamedTuple):
    """How many scores lie from each positive up to the next one, and the highest of these.

    Entries are those of `SortedHits`; among equal hits the last one has the scores.
    """

    counts: np.ndarray
    highest: np.ndarray
    below: np.ndarray  # the highest score of each label below its positives; -inf if none is
    ties: np.ndarray  # scores equal to the positive; empty if they are not counted


def sorted_hits(scores: np.ndarray, Y: sparse.csc_array) -> SortedHits:
    """Return the scores of the positives of one block."""
    starts = Y.indptr.astype(np.int64)
    found, _ = hit_scores(scores, Y.indptr, Y.indices)
    return _sorted_labels(SortedHits(starts, found))


def merged_hits(parts: Sequence[SortedHits]) -> SortedHits:
    """Join the hits of several blocks; the order of the blocks does not matter."""
    if len(parts) == 1:
        return parts[0]
    support = np.sum([part.support for part in parts], axis=0)
    starts = np.concatenate(([0], np.cumsum(support)))
    scores = np.empty(int(starts[-1]), np.result_type(*(part.scores for part in parts)))
    places = starts[:-1].copy()
    for part in parts:
        for j in np.flatnonzero(part.support):
            mine = part.scores[part.starts[j] : part.starts[j + 1]]
            scores[places[j] : places[j] + mine.size] = mine
        places += part.support
    return _sorted_labels(SortedHits(starts, scores))


def _sorted_labels(hits: SortedHits) -> SortedHits:
    for j in np.flatnonzero(hits.support):
        hits.scores[hits.starts[j] : hits.starts[j + 1]].sort()
    return hits


def no_gaps(hits: SortedHits, n_samples: int, *, with_ties: bool = False) -> Gaps:
    """Return gaps without any score, for at most `n_samples` samples."""
    kind = np.int32 if n_samples < 2**31 else np.int64
    return Gaps(
        np.zeros(hits.scores.size, kind),
        np.full(hits.scores.size, -np.inf, hits.scores.dtype),
        np.full(hits.support.size, -np.inf, hits.scores.dtype),
        np.zeros(hits.scores.size if with_ties else 0, kind),
    )


def add_block(gaps: Gaps, hits: SortedHits, scores: np.ndarray) -> None:
    """Add the scores of a block to the gaps, in place; threads share the labels."""
    lowest = hits.lowest

    def add_labels(first: int) -> None:
        # One place more than scores, since the kernel writes before it knows whether to keep.
        room = np.empty((min(TOGETHER, lowest.size - first), len(scores) + 1), scores.dtype)
        n_kept, below = sift(scores, first, lowest, room)
        for k, column in enumerate(room):
            j = first + k
            gaps.below[j] = max(gaps.below[j], below[k])
            mine = slice(hits.starts[j], hits.starts[j + 1])
            cells = (gaps.counts[mine], gaps.highest[mine], gaps.ties[mine])
            add_to_gaps(column[: n_kept[k]], hits.scores[mine], *cells)

    firsts = range(0, lowest.size, TOGETHER)
    n_threads = n_threads_for(len(firsts)) if scores.size >= _FEW_SCORES else 1
    if n_threads < 2:
        for first in firsts:
            add_labels(first)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(add_labels, firsts):
            pass


def added_gaps(one: Gaps, other: Gaps) -> Gaps:
    """Join the gaps of two groups of blocks; the order of the groups does not matter."""
    return Gaps(
        one.counts + other.counts,
        np.maximum(one.highest, other.highest),
        np.maximum(one.below, other.below),
        one.ties + other.ties,
    )


def cuts_of(scores: np.ndarray, Y: sparse.csc_array) -> Cuts:
    """Return the cuts of dense scores whose lowest decided score is the score of a positive.

    No other cut can be a vertex of the concave hull, nor have the highest F-measure. Only the
    scores of positives are sorted: with evenly spread positives, n samples and N labels take O(nN).
    """
    hits = sorted_hits(scores, Y)
    gaps = no_gaps(hits, len(scores))
    for start in range(0, len(scores), _BLOCK_ROWS):
        add_block(gaps, hits, scores[start : start + _BLOCK_ROWS])
    found = [cuts_of_label(hits, gaps, j) for j in range(Y.shape[1])]
    return joined(found, hits.support, len(scores))


def cuts_of_scores(column: np.ndarray, hits: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (decided, hits, lows, thresholds) of one label from its scores, in any order.

    `hits`, the scores of the positives, are in rising order.
    """
    only = SortedHits(np.array([0, hits.size]), hits)
    gaps = no_gaps(only, column.size)
    gaps.below[0] = add_to_gaps(column, hits, gaps.counts, gaps.highest, gaps.ties)
    return cuts_of_label(only, gaps, 0)


def cuts_of_label(hits: SortedHits, gaps: Gaps, j: int) -> tuple[np.ndarray, ...]:
    """Return (decided, hits, lows, thresholds) of one label, equal to those of all its scores."""
    mine = slice(hits.starts[j], hits.starts[j + 1])
    parts = hits.scores[mine], gaps.counts[mine], gaps.highest[mine], gaps.below[j]
    return tuple(cuts_from_gaps(*parts))


def ranks_of_hits(hits: SortedHits, gaps: Gaps, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how many scores of a label are above each positive, and at least as high."""
    mine = slice(hits.starts[j], hits.starts[j + 1])
    at_least = np.cumsum(gaps.counts[mine][::-1], dtype=np.int64)[::-1]
    last_equal = np.searchsorted(hits.scores[mine], hits.scores[mine], side="right") - 1
    return at_least - gaps.ties[mine][last_equal], at_least


def on_hull(found: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Return the cuts of one label that the micro frontier and its proof depend on.

    These are the vertices of the concave hull, and on its first edge the cut with the fewest
    decisions: among points of equal value it is preferred to the vertex.
    """
    decided, hits, *_ = found
    vertices, _ = hull_places(np.array([0, hits.size]), decided, hits)
    if vertices.size > 1:
        purity = hits[1:] / decided[1:]
        first = 1 + int(np.argmax(purity == purity[vertices[1] - 1]))
        vertices = np.union1d(vertices, [first])
    return tuple(part[vertices] for part in found)


class HitView(NamedTuple):
    """Scores of positives, and the scores of a block that they are ranked among."""

    hits: SortedHits
    n_scores: int  # of each ranking, over all blocks
    is_pooled: bool = False  # whether all labels are one ranking

    def cells(self, scores: Any) -> np.ndarray:
        """Return the scores of a block, a column for each ranking."""
        return np.asarray(scores.reshape(-1, 1) if self.is_pooled else scores)


def pooled(hits: SortedHits, n_samples: int) -> HitView:
    """Return the positives of all labels as those of one ranking."""
    starts = np.array([0, hits.scores.size])
    n_cells = n_samples * hits.support.size
    return HitView(SortedHits(starts, np.sort(hits.scores)), n_cells, is_pooled=True)


@dataclass(frozen=True)
class GapCounter:
    """Count the gaps of several views in one pass; an `Accumulator` of blocks of scores."""

    views: tuple[HitView, ...]
    with_ties: bool = False

    def empty(self) -> list[Gaps]:
        """Return gaps without any score."""
        return [no_gaps(view.hits, view.n_scores, with_ties=self.with_ties) for view in self.views]

    def add(self, total: list[Gaps], scores: np.ndarray) -> None:
        """Add the scores of a block, in place."""
        for view, gaps in zip(self.views, total, strict=True):
            add_block(gaps, view.hits, view.cells(scores))

    def joined(self, one: list[Gaps], other: list[Gaps]) -> list[Gaps]:
        """Join the gaps of two groups of blocks."""
        return [added_gaps(*pair) for pair in zip(one, other, strict=True)]


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
