"""Positives and the scores between them, counted over blocks of rows in any order.

A first pass collects the scores of the positives. They are few, and blocks are joined by merging.
A second pass counts, for each of these scores, how many scores lie from it up to the next one (its
gap), and keeps the highest of them: sums and maxima, which are added up over blocks in any order.
Both together give the cuts at positives, and the ranks of the positives, exactly, in memory for the
positives and some columns of a block, which are sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves._cuts import Cuts, for_labels, hit_scores, hull_places, sorted_columns
from labelwise._curves._cuts_kernels import are_positive
from labelwise._curves._gaps_kernels import add_to_gaps, cuts_from_gaps
from labelwise._sorting import sort_pieces

# Rows of a block of scores in memory: copies of some columns take at most 64 MB a thread (float32).
_BLOCK_ROWS = 2**20
# Positives that are ranked together.
_PIECE = 2**20


# For each positive, the scores above it, those at least as high, and the positives among both.
Ranks = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class SortedHits(NamedTuple):
    """Scores of the positives in rising order, those of label j from ``starts[j]`` on."""

    starts: np.ndarray
    scores: np.ndarray

    @property
    def support(self) -> np.ndarray:
        """Number of positives of each label."""
        return np.diff(self.starts)


class Gaps(NamedTuple):
    """How many scores lie from each positive up to the next one.

    Entries are those of `SortedHits`; among equal hits the last one has the scores. Cuts need the
    highest of the scores, ranks those that are equal to the positive: the other array is empty.
    """

    counts: np.ndarray
    highest: np.ndarray
    below: np.ndarray  # the highest score of each label below its positives; -inf if none is
    ties: np.ndarray


def sorted_hits(scores: np.ndarray, Y: sparse.csc_array) -> SortedHits:
    """Return the scores of the positives of one block."""
    starts = Y.indptr.astype(np.int64)
    return SortedHits(starts, sort_pieces(hit_scores(scores, Y)[1], starts))


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
    return SortedHits(starts, sort_pieces(scores, starts))


def no_gaps(hits: SortedHits, n_samples: int, *, for_ranks: bool = False) -> Gaps:
    """Return gaps without any score, for at most `n_samples` samples."""
    kind, size = np.int32 if n_samples < 2**31 else np.int64, hits.scores.size
    return Gaps(
        np.zeros(size, kind),
        np.full(0 if for_ranks else size, -np.inf, hits.scores.dtype),
        np.full(hits.support.size, -np.inf, hits.scores.dtype),
        np.zeros(size if for_ranks else 0, kind),
    )


def add_block(gaps: Gaps, hits: SortedHits, scores: np.ndarray) -> None:
    """Add the scores of a block to the gaps, in place; threads share the labels."""

    def add_labels(labels: slice) -> None:
        columns = sorted_columns(scores, labels)
        bounds = np.arange(len(columns) + 1) * len(scores)
        starts = hits.starts[labels.start : labels.stop + 1]
        of_labels = gaps._replace(below=gaps.below[labels])
        add_to_gaps(columns.ravel(), bounds, hits.scores, starts, *of_labels)

    for_labels(add_labels, scores)


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

    No other cut can be a vertex of the concave hull, nor have the highest F-measure. Values are
    sorted without indices, in O(nN log n) for n samples and N labels.
    """
    hits = sorted_hits(scores, Y)
    gaps = no_gaps(hits, len(scores))
    for start in range(0, len(scores), _BLOCK_ROWS):
        add_block(gaps, hits, scores[start : start + _BLOCK_ROWS])
    return cuts_between(hits, gaps, hits.support, len(scores))


def cuts_of_stored(scores: sparse.csr_array, Y: sparse.csc_array, n_samples: Any) -> Cuts:
    """Return the cuts at positives of sparse scores; one that is not stored is never decided."""
    stored = sparse.csc_array(scores)
    is_hit = are_positive(stored.indptr, stored.indices, Y.indptr, Y.indices)
    starts = np.concatenate(([0], np.cumsum(is_hit)))[stored.indptr]
    hits = SortedHits(starts, sort_pieces(stored.data[is_hit], starts))
    bounds = stored.indptr.astype(np.int64)
    columns = sort_pieces(stored.data, bounds)
    return cuts_of_columns(columns, bounds, hits, np.diff(Y.indptr).astype(np.int64), n_samples)


def cuts_of_columns(
    scores: np.ndarray, starts: np.ndarray, hits: SortedHits, positives: np.ndarray, n_samples: Any
) -> Cuts:
    """Return the cuts at hits; the scores of label j are rising, from ``starts[j]`` on."""
    gaps = no_gaps(hits, scores.size)
    add_to_gaps(scores, starts, hits.scores, hits.starts, *gaps)
    return cuts_between(hits, gaps, positives, n_samples)


def cuts_between(hits: SortedHits, gaps: Gaps, positives: np.ndarray, n_samples: Any) -> Cuts:
    """Return the cuts of all labels at hits, equal to those of all their scores."""
    starts, decided, n_hits, lows, thresholds = cuts_from_gaps(
        hits.starts, hits.scores, gaps.counts, gaps.highest, gaps.below
    )
    halves = thresholds.astype(np.float64)
    return Cuts(starts, decided, n_hits, lows, halves, positives, n_samples)


def cuts_of_label(hits: SortedHits, gaps: Gaps, j: int) -> tuple[np.ndarray, ...]:
    """Return (decided, hits, lows, thresholds) of one label, equal to those of all its scores."""
    starts, below = hits.starts[j : j + 2], gaps.below[j : j + 1]
    return tuple(cuts_from_gaps(starts, hits.scores, gaps.counts, gaps.highest, below)[1:])


def ranks_of_hits(hits: SortedHits, gaps: Gaps, j: int) -> Iterator[Ranks]:
    """Yield the ranks of the positives of a label, best first, in pieces that bound the memory."""
    mine = slice(hits.starts[j], hits.starts[j + 1])
    scores, counts, ties = hits.scores[mine], gaps.counts[mine], gaps.ties[mine]
    n_above = 0
    # A label without positives has one piece, of no positives.
    for end in range(scores.size, min(0, scores.size - 1), -_PIECE):
        piece = slice(max(0, end - _PIECE), end)
        at_least = n_above + np.cumsum(counts[piece][::-1], dtype=np.int64)
        best_first = scores[piece][::-1]
        first_equal, end_equal = (
            np.searchsorted(scores, best_first, side) for side in ("left", "right")
        )
        above = at_least - ties[end_equal - 1]
        yield above, at_least, scores.size - end_equal, scores.size - first_equal
        n_above = at_least[-1] if end else 0


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


def pooled_view(hits: SortedHits, n_samples: int) -> HitView:
    """Return the positives of all labels as those of one ranking."""
    starts = np.array([0, hits.scores.size])
    n_cells = n_samples * hits.support.size
    return HitView(SortedHits(starts, np.sort(hits.scores)), n_cells, is_pooled=True)


@dataclass(frozen=True)
class GapCounter:
    """Count the gaps of several views in one pass; an `Accumulator` of blocks of scores."""

    views: tuple[HitView, ...]
    for_ranks: bool = False

    def empty(self) -> list[Gaps]:
        """Return gaps without any score."""
        return [no_gaps(view.hits, view.n_scores, for_ranks=self.for_ranks) for view in self.views]

    def add(self, total: list[Gaps], scores: np.ndarray) -> None:
        """Add the scores of a block, in place."""
        for view, gaps in zip(self.views, total, strict=True):
            add_block(gaps, view.hits, view.cells(scores))

    def joined(self, one: list[Gaps], other: list[Gaps]) -> list[Gaps]:
        """Join the gaps of two groups of blocks."""
        return [added_gaps(*pair) for pair in zip(one, other, strict=True)]
