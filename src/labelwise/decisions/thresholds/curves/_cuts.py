"""Where labels can be cut: between distinct scores, with what each cut decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.decisions.thresholds.curves._cuts_kernels import (
    are_positive,
    cuts_at_hits,
    cuts_everywhere,
    hit_scores,
    hull_places,
    sift,
)
from labelwise.measures import Counts

# Labels read together from row-major scores: two lines of the cache.
_BLOCK = 16


class Cuts(NamedTuple):
    """Cuts of all labels: those of label j stand from ``starts[j]`` up to ``starts[j + 1]``.

    The first cut of each label decides nobody; each further one decides more.
    """

    starts: np.ndarray
    decided: np.ndarray
    hits: np.ndarray
    lows: np.ndarray  # the lowest decided score; inf if there is none
    thresholds: np.ndarray
    positives: np.ndarray  # of each label
    n_samples: int

    @property
    def labels(self) -> np.ndarray:
        """The label of each cut."""
        return np.repeat(np.arange(self.positives.size), np.diff(self.starts))

    @property
    def counts(self) -> Counts:
        """The counts that each cut gives its label."""
        return counts_of(self.decided, self.hits, self.positives[self.labels], self.n_samples)


def counts_of(decided: Any, hits: Any, positives: Any, n: int) -> Counts:
    """Return the four counts from decisions, hits, positives and the number of all."""
    return Counts(hits, decided - hits, positives - hits, n - positives - decided + hits)


def halfway(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Return thresholds that decide `upper` but not `lower`, in their precision.

    Halfway, or `upper` where no float lies between; -inf where nothing is lower, inf where
    `upper` is.
    """
    middle = np.asarray(0.5 * upper + 0.5 * np.where(np.isinf(lower), 0, lower), upper.dtype)
    middle = np.where(middle > lower, middle, upper)
    return np.where(np.isneginf(lower) & np.isfinite(upper), -np.inf, middle).astype(np.float64)


def cuts_of(scores: Any, Y: sparse.csc_array) -> Cuts:
    """Return the cuts whose lowest decided score is a positive's.

    No other cut can be a vertex of the concave hull, nor have the highest F. Values are sorted
    without indices: O(nN log n) at worst, and scores below the lowest positive are left aside.
    """
    found = [cuts_at_hits(*column) for column in _columns(scores, Y, only_from_hits=True)]
    return joined(found, np.diff(Y.indptr), Y.shape[0])


def every_cut(scores: Any, Y: sparse.csc_array) -> Iterator[Cuts]:
    """Give the cuts at every distinct score, one label at a time."""
    columns = _columns(scores, Y, only_from_hits=False)
    for (column, hits, _), positives in zip(columns, np.diff(Y.indptr), strict=True):
        yield joined([cuts_everywhere(column, hits)], np.array([positives]), Y.shape[0])


def _columns(
    scores: Any, Y: sparse.csc_array, *, only_from_hits: bool
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Give the scores of each label and those of its positives, both sorted upwards.

    Scores below the lowest positive may be left out; the highest of these comes third.
    """
    if sparse.issparse(scores):
        yield from _stored_columns(sparse.csc_array(scores), Y)
        return
    n_samples, n_labels = scores.shape
    all_hits, lowest = hit_scores(scores, Y.indptr, Y.indices)
    if not only_from_hits:
        lowest[:] = -np.inf
    # A place more than scores: the kernel writes before it knows whether to keep.
    room = np.empty((min(_BLOCK, n_labels), n_samples + 1), dtype=scores.dtype)
    for first in range(0, n_labels, _BLOCK):
        block = room[: n_labels - first]
        n_kept, below = sift(scores, first, lowest, block)
        for j in range(block.shape[0]):
            column = block[j, : n_kept[j]]
            hits = all_hits[Y.indptr[first + j] : Y.indptr[first + j + 1]]
            column.sort()
            hits.sort()
            yield column, hits, below[j]


def _stored_columns(
    scores: sparse.csc_array, Y: sparse.csc_array
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Give the columns of sparse scores: what is not stored cannot be decided."""
    scores.sort_indices()
    positive = are_positive(scores.indptr, scores.indices, Y.indptr, Y.indices)
    for start, end in pairwise(scores.indptr):
        column = scores.data[start:end]
        yield np.sort(column), np.sort(column[positive[start:end]]), -np.inf


def joined(found: Sequence[tuple[np.ndarray, ...]], positives: np.ndarray, n_samples: int) -> Cuts:
    """Return the cuts (decided, hits, lows, thresholds) of each label as one."""
    starts = np.concatenate(([0], np.cumsum([cuts[0].size for cuts in found])))
    decided, hits, lows, thresholds = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Cuts(starts, decided, hits, lows, thresholds.astype(np.float64), positives, n_samples)


def hulls_of(cuts: Cuts) -> Cuts:
    """Return the cuts that are vertices of the concave hull of (decisions, hits) of their label.

    On these vertices, and only there, a label maximises ``hits - λ·decisions`` for some λ > 0. They
    are the blocks of the isotonic regression of the label on its scores, as slopes.
    """
    places, starts = hull_places(cuts.starts, cuts.decided, cuts.hits)
    return cuts._replace(
        starts=starts,
        decided=cuts.decided[places],
        hits=cuts.hits[places],
        lows=cuts.lows[places],
        thresholds=cuts.thresholds[places],
    )
