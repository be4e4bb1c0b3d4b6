"""Cuts of any subset or resampling of the samples, from one sort of all scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves._cuts import Cuts, columns_of, for_labels
from labelwise._curves._cuts_kernels import are_positive
from labelwise._curves._rankings_kernels import (
    CutArrays,
    find_ends_of_ties,
    weighted_cuts_at_hits,
    weighted_cuts_everywhere,
)
from labelwise._sorting import falling_order


class LabelRankings(NamedTuple):
    """The cells of each label in the order of falling score, as kernels take them.

    The cells of label j are at ``starts[j]`` to ``starts[j + 1] - 1``. A cell is stored as twice
    its row, plus 1 if it is positive.
    """

    starts: np.ndarray
    cells: np.ndarray
    scores: np.ndarray


class HitPositions(NamedTuple):
    """Entries of the positives in `LabelRankings`, those of label j from ``starts[j]`` on."""

    starts: np.ndarray
    entries: np.ndarray
    tie_ends: np.ndarray  # the last entry of the label with the same score


class Totals(NamedTuple):
    """Number of positives of each label, and number of samples (of all labels or of each)."""

    positives: np.ndarray
    n_samples: Any


def label_rankings(scores: Any, Y: sparse.csc_array) -> LabelRankings:
    """Rank the cells of all labels by score, in O(nN log n) and 12 bytes per score."""
    if sparse.issparse(scores):
        return _ranked_stored(sparse.csc_array(scores), Y)
    n_samples, n_labels = scores.shape
    cells = np.empty((n_labels, n_samples), dtype=np.int32 if n_samples < 2**30 else np.int64)
    falling = np.empty((n_labels, n_samples), dtype=scores.dtype)

    def rank(labels: slice) -> None:
        columns = columns_of(scores, labels)
        order = np.argsort(columns, axis=1)[:, ::-1]
        positive = Y[:, labels].toarray().T
        falling[labels] = np.take_along_axis(columns, order, axis=1)
        cells[labels] = 2 * order + np.take_along_axis(positive, order, axis=1)

    for_labels(rank, scores)
    starts = np.arange(n_labels + 1) * n_samples
    return LabelRankings(starts, cells.ravel(), falling.ravel())


def _ranked_stored(scores: sparse.csc_array, Y: sparse.csc_array) -> LabelRankings:
    """Rank sparse scores; a score that is not stored is never decided, and left out."""
    scores.sort_indices()
    cells = scores.indices.astype(np.int32 if scores.shape[0] < 2**30 else np.int64)
    cells *= 2
    cells += are_positive(scores.indptr, scores.indices, Y.indptr, Y.indices)
    order = falling_order(scores.data, scores.indptr)
    return LabelRankings(scores.indptr.astype(np.int64), cells[order], scores.data[order])


def hit_positions(ranking: LabelRankings) -> HitPositions:
    """Return the entries of the positives in a ranking, and where ties with them end."""
    entries = np.flatnonzero(ranking.cells & 1)
    starts = np.searchsorted(entries, ranking.starts)
    ends = np.empty(entries.size, dtype=np.int64)
    find_ends_of_ties(ranking, entries, starts, ends)
    return HitPositions(starts, entries, ends)


def cuts_at_hits_under(
    ranking: LabelRankings, hits: HitPositions, weights: np.ndarray, totals: Totals
) -> Cuts:
    """Return the cuts at positives, with samples counted by weight, without sorting."""
    found = _cut_arrays(ranking, hits.entries.size, weights.dtype)
    sums = np.empty(np.diff(ranking.starts).max(initial=0), dtype=weights.dtype)
    n_cuts = weighted_cuts_at_hits(ranking, hits, in_bytes(weights), sums, found)
    return _cuts(found, n_cuts, totals)


def every_cut_under(ranking: LabelRankings, weights: np.ndarray, totals: Totals) -> Cuts:
    """Return the cuts at every distinct score, with samples counted by weight."""
    found = _cut_arrays(ranking, ranking.cells.size, weights.dtype)
    n_cuts = weighted_cuts_everywhere(ranking, in_bytes(weights), found)
    return _cuts(found, n_cuts, totals)


def in_bytes(weights: np.ndarray) -> np.ndarray:
    """Return whole weights up to 255 as bytes, and others as they are.

    Kernels read weights in the order of the scores: those of a million rows should be in the cache.
    """
    if weights.dtype.kind == "f" or weights.max(initial=0) > np.iinfo(np.uint8).max:
        return weights
    return weights.astype(np.uint8)


def _cut_arrays(ranking: LabelRankings, most: int, counts: np.dtype[Any]) -> CutArrays:
    """Allocate the arrays for at most `most` cuts, and one more for each label."""
    n_labels, scores = ranking.starts.size - 1, ranking.scores.dtype
    room = most + n_labels
    return CutArrays(
        np.zeros(n_labels + 1, dtype=np.int64),
        np.zeros(room, dtype=counts),
        np.zeros(room, dtype=counts),
        np.full(room, np.inf, dtype=scores),
        np.full(room, np.inf, dtype=scores),
    )


def _cuts(found: CutArrays, n_cuts: int, totals: Totals) -> Cuts:
    """Return the cuts that a kernel wrote, with thresholds in float64."""
    starts, *columns = found
    decided, hits, lows, thresholds = (column[:n_cuts] for column in columns)
    thresholds = thresholds.astype(np.float64)
    return Cuts(starts, decided, hits, lows, thresholds, totals.positives, totals.n_samples)
