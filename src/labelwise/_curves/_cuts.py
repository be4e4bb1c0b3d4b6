"""Cuts of labels, their concave hulls, and the micro frontier.

A cut is a threshold between two distinct scores of a label, with the decisions and hits (true
positives) that it gives. The concave hull of a label's cuts has, for every λ > 0, the cut with the
highest ``hits - λ·decisions``. The edges of all hulls in the order of falling slope form the micro
frontier: the most hits of all labels together for every number of decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import Counts, counts_of
from labelwise._curves._cuts_kernels import (
    cuts_everywhere,
    find_hulls,
)
from labelwise._parallel import for_row_blocks

# Values that differ by less than this share of the largest among them are equal but for rounding.
ROUNDING = 1e-12
# Cuts whose counts and values stay in the cache of a core.
_CACHED = 2**15
# Labels that are read together from row-major scores: one or two cache lines.
TOGETHER = 16
# Scores that a thread sorts together, but no fewer than those of `TOGETHER` labels.
_SORTED_TOGETHER = 2**20
# Rows of which some columns are copied together, which stay in the cache.
_TILE = 512


class Cuts(NamedTuple):
    """Cuts of all labels; the cuts of label j are at ``starts[j]`` to ``starts[j + 1] - 1``.

    A cut is a threshold between two distinct scores of a label. The first cut of each label
    decides no sample; each further cut decides more samples than the one before.
    """

    starts: np.ndarray
    decided: np.ndarray  # number of decided samples
    hits: np.ndarray  # true positives among them
    lows: np.ndarray  # the lowest decided score; inf if there is none
    thresholds: np.ndarray
    positives: np.ndarray  # number of positives of each label
    n_samples: Any  # number of samples of all labels, or an array with that of each label

    @property
    def labels(self) -> np.ndarray:
        """Label of each cut."""
        return np.repeat(np.arange(self.positives.size), np.diff(self.starts))

    @property
    def counts(self) -> Counts:
        """Counts of the label at each cut."""
        labels = self.labels
        n_samples = self.n_samples if np.ndim(self.n_samples) == 0 else self.n_samples[labels]
        return counts_of(self.decided, self.hits, self.positives[labels], n_samples)

    @property
    def edge_ends(self) -> np.ndarray:
        """Places of all cuts but the first of each label: an edge leads there from the one before.

        They are the ends of the edges of hulls.
        """
        return np.delete(np.arange(self.decided.size), self.starts[:-1])

    def pieces(self) -> Iterator[Cuts]:
        """Yield the cuts of some labels after another, few enough to stay in the cache."""
        steps = np.arange(_CACHED, self.starts[-1] + _CACHED, _CACHED)
        ends = np.unique(np.minimum(np.searchsorted(self.starts, steps), self.positives.size))
        for first, end in pairwise([0, *ends.tolist()]):
            yield self.of_labels(first, end)

    def of_labels(self, first: int, end: int) -> Cuts:
        """Return the cuts of the labels from number `first` to number ``end - 1``."""
        labels, mine = slice(first, end), slice(self.starts[first], self.starts[end])
        n_samples = self.n_samples if np.ndim(self.n_samples) == 0 else self.n_samples[labels]
        starts = self.starts[first : end + 1] - self.starts[first]
        cells = (self.decided[mine], self.hits[mine], self.lows[mine], self.thresholds[mine])
        return Cuts(starts, *cells, self.positives[labels], n_samples)


def n_cells(positives: np.ndarray, n_samples: Any) -> Any:
    """Return the number of samples summed over labels, from one number or that of each label."""
    return np.broadcast_to(n_samples, positives.shape).sum().item()


def halfway(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Return thresholds halfway between scores, which decide `upper` but not `lower`.

    The threshold is `upper` if no float lies between, -inf if there is no lower score (-inf), and
    inf if there is no upper score (inf). It is computed in the precision of the scores.
    """
    middle = np.asarray(0.5 * upper + 0.5 * np.where(np.isinf(lower), 0, lower), upper.dtype)
    middle = np.where(middle > lower, middle, upper)
    return np.where(np.isneginf(lower) & np.isfinite(upper), -np.inf, middle).astype(np.float64)


def every_cut(scores: np.ndarray, Y: sparse.csc_array) -> Iterator[Cuts]:
    """Yield the cuts of dense scores at every distinct score, one label at a time.

    Values are sorted without indices, in O(nN log n) for n samples and N labels.
    """
    n_samples, n_labels = scores.shape
    _, all_hits = hit_scores(scores, Y)
    for first in range(0, n_labels, TOGETHER):
        columns = sorted_columns(scores, slice(first, first + TOGETHER))
        for j, column in enumerate(columns, first):
            hits = np.sort(all_hits[Y.indptr[j] : Y.indptr[j + 1]])
            yield joined([cuts_everywhere(column, hits)], np.array([hits.size]), n_samples)


def hit_scores(scores: np.ndarray, Y: sparse.csc_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels and the dense scores of all positives, label after label."""
    labels = np.repeat(np.arange(Y.shape[1]), np.diff(Y.indptr))
    return labels, scores[Y.indices, labels]


def sorted_columns(scores: np.ndarray, labels: slice) -> np.ndarray:
    """Return a row for each of some labels, with its scores in rising order."""
    columns = columns_of(scores, labels)
    columns.sort(axis=1)
    return columns


def columns_of(scores: np.ndarray, labels: slice) -> np.ndarray:
    """Return a row for each of some labels, with its scores; copied in tiles, which is faster."""
    some = scores[:, labels]
    columns = np.empty(some.shape[::-1], scores.dtype)
    for start in range(0, len(some), _TILE):
        columns[:, start : start + _TILE] = some[start : start + _TILE].T
    return columns


def for_labels(work: Callable[[slice], None], scores: np.ndarray) -> None:
    """Call `work` with slices of all labels of dense scores, in threads."""
    n_samples, n_labels = scores.shape
    for_row_blocks(work, n_labels, n_samples, max(_SORTED_TOGETHER, TOGETHER * n_samples))


def joined(found: Sequence[tuple[np.ndarray, ...]], positives: np.ndarray, n_samples: int) -> Cuts:
    """Join the cuts of single labels, tuples (decided, hits, lows, thresholds)."""
    starts = np.concatenate(([0], np.cumsum([cuts[0].size for cuts in found])))
    decided, hits, lows, thresholds = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Cuts(starts, decided, hits, lows, thresholds.astype(np.float64), positives, n_samples)


def hull_slack(counts: np.ndarray) -> float:
    """Return the share by which products of counts may err, which is 0 for integers."""
    return ROUNDING if counts.dtype.kind == "f" else 0.0


def hull_places(
    starts: np.ndarray, decided: np.ndarray, hits: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the vertices of each label's concave hull, and where labels start."""
    places = np.empty(decided.size, dtype=np.int64)
    hull_starts = np.zeros(starts.size, dtype=np.int64)
    slack = hull_slack(hits)
    # Without a slack, the kernel compares products of integers, which are exact.
    size = find_hulls(starts, decided, hits, places, hull_starts, *((slack,) if slack else ()))
    return places[:size], hull_starts


def hulls_of(cuts: Cuts) -> Cuts:
    """Return the cuts that are vertices of the concave hull of (decisions, hits) of their label.

    A label maximises ``hits - λ·decisions`` for some λ > 0 at these vertices and at no other cut.
    The slopes of the hull are the values of the isotonic regression of the label on its scores.
    """
    places, starts = hull_places(cuts.starts, cuts.decided, cuts.hits)
    return cuts._replace(
        starts=starts,
        decided=cuts.decided[places],
        hits=cuts.hits[places],
        lows=cuts.lows[places],
        thresholds=cuts.thresholds[places],
    )


class FrontierSteps(NamedTuple):
    """Hull edges of all labels in the order of falling slope, with the totals after each.

    After k edges, all labels together have ``decided[k]`` decisions and ``hits[k]`` true positives.
    No thresholds have more hits with as few decisions, or lie above the line to the next point.
    """

    hulls: Cuts
    labels: np.ndarray  # label of each edge
    slopes: np.ndarray  # hits per decision of each edge
    decided: np.ndarray  # of all labels, from 0 edges on
    hits: np.ndarray

    @property
    def n_positive(self) -> Any:
        """Number of positives of all labels."""
        return self.hulls.positives.sum().item()

    @property
    def n_cells(self) -> Any:
        """Number of samples, summed over labels."""
        return n_cells(self.hulls.positives, self.hulls.n_samples)

    @property
    def counts(self) -> Counts:
        """Counts of all labels together after each edge."""
        return counts_of(self.decided, self.hits, self.n_positive, self.n_cells)

    @property
    def vertices(self) -> np.ndarray:
        """Numbers of edges after which the frontier has a vertex, from 0 edges on.

        Edges of equal slope lie on one line, of which only the ends are vertices.
        """
        fall = -np.diff(self.slopes, append=-1.0)
        ends = np.flatnonzero(fall > hull_slack(self.hits) * self.slopes) + 1
        return np.concatenate(([0], ends))

    def fewest_decided(self, hits: np.ndarray | None = None) -> np.ndarray:
        """Return the least possible number of decisions for `hits`; None means 0, 1, 2, ...

        All thresholds lie on or under the concave line through the points of the steps, so that a
        number of hits takes at least the decisions of this line, rounded up.
        """
        hits = np.arange(self.hits[-1] + 1) if hits is None else hits
        edge = np.searchsorted(self.hits, hits, side="left")
        before = np.maximum(edge - 1, 0)
        rise = np.maximum(self.hits[edge] - self.hits[before], 1)
        run = self.decided[edge] - self.decided[before]
        return np.asarray(self.decided[before] - (-(hits - self.hits[before]) * run) // rise)

    def places(self, n_edges: int) -> np.ndarray:
        """Return the hull vertex of each label after the first edges, as places in `hulls`."""
        moves = np.bincount(self.labels[:n_edges], minlength=self.hulls.positives.size)
        return np.asarray(self.hulls.starts[:-1] + moves)


def frontier_steps(hulls: Cuts) -> FrontierSteps:
    """Sort the edges of all hulls by slope, in O(E log E) for E edges.

    Slopes fall along each hull, so that the edges of a label stay in order. The cumulative sums of
    the sorted edges are the concave envelope of the sums over labels.
    """
    edge_ends = hulls.edge_ends
    decided = hulls.decided[edge_ends] - hulls.decided[edge_ends - 1]
    hits = hulls.hits[edge_ends] - hulls.hits[edge_ends - 1]
    slopes = hits / decided
    order = np.argsort(-slopes, kind="stable")
    return FrontierSteps(
        hulls,
        hulls.labels[edge_ends][order],
        slopes[order],
        np.concatenate(([0], np.cumsum(decided[order]))),
        np.concatenate(([0], np.cumsum(hits[order]))),
    )
