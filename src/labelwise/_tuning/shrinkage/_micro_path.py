"""Blends of each label's own curve with the pooled curve, for micro averages."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import Measure, counts_of
from labelwise._curves import Cuts, hulls_of, n_cells
from labelwise._tuning.objectives._choice import first_best
from labelwise._tuning.objectives._linear_fractional import gains_from_hits
from labelwise._tuning.shrinkage._micro_path_kernels import (
    CommonVertices,
    OwnVertices,
    Pieces,
    band_sums,
    last_reaching,
    merge_vertices,
    pieces_in_bands,
)
from labelwise._tuning.shrinkage._pooled_curve import (
    CommonSteps,
    PooledCurve,
    n_above,
    n_at_or_above,
)

# Bands of chances, and the number of intervals up to which all are sorted.
_N_BANDS = 2**14
_FEW = 2**16


class MicroPath(NamedTuple):
    """Thresholds from the micro optimum to the best common threshold."""

    pieces: Pieces
    thresholds: np.ndarray  # of the pooled vertices
    chances: np.ndarray  # of a hit between a pooled vertex and the one before
    n_positive: Any  # counted by weight
    n_cells: Any

    def at(self, weights: np.ndarray, measure: Measure) -> np.ndarray:
        """Return the thresholds at which the blended chance falls below the best common limit.

        Weights 0 give the micro optimum, weights 1 the best common threshold.
        """
        pieces = self.pieces
        many = pieces.own.size > _FEW and gains_from_hits(measure, self.n_positive, self.n_cells)
        if many:
            limit = self._limit_in_bands(weights, measure)
            return self._lowest(weights, limit, last_reaching(pieces, weights, limit))
        weight = np.repeat(weights, np.diff(pieces.starts))
        chances = (1 - weight) * pieces.own + weight * pieces.common
        limit = self._best_limit(chances, pieces.decided, pieces.hits, measure)
        n_taken = np.add.reduceat(chances >= limit, pieces.starts[:-1], dtype=np.int64)
        return self._lowest(weights, limit, pieces.starts[:-1] + n_taken - 1)

    def _best_limit(
        self, chances: np.ndarray, decided: np.ndarray, hits: np.ndarray, measure: Measure
    ) -> float:
        """Return the chance down to which deciding all intervals has the highest value."""
        order = np.argsort(-chances, kind="stable")
        falling = chances[order]
        values = self._values(np.cumsum(decided[order]), np.cumsum(hits[order]), measure)
        # Intervals of equal chance are decided together or not at all.
        ends = np.diff(falling, append=-1.0) < 0
        return float(falling[first_best(np.where(ends, values, np.nan))])

    def _values(self, decided: np.ndarray, hits: np.ndarray, measure: Measure) -> np.ndarray:
        # Sums of whole numbers are whole, those of other weights are not.
        kind = np.int64 if isinstance(self.n_positive, int) else np.float64
        counts = counts_of(decided.astype(kind), hits.astype(kind), self.n_positive, self.n_cells)
        return np.asarray(measure(counts))

    def _limit_in_bands(self, weights: np.ndarray, measure: Measure) -> float:
        """Find the best limit of a measure that gains from hits, by sorting few intervals.

        Intervals are counted in bands of chances. A value within a band is at most that of all its
        hits without any of its misses. If this is below the best value between bands, the band has
        no better limit, and counts as one interval.
        """
        each = band_sums(self.pieces, weights, _N_BANDS)
        decided, hits = (np.append(0.0, np.cumsum(part)) for part in each)
        most_misses = self.n_cells - self.n_positive
        between = self._values(decided[1:], hits[1:], measure)
        highest = self._values(np.maximum(decided[:-1], hits[1:]), hits[1:], measure)
        fewest_hits = np.maximum(hits[:-1], decided[1:] - most_misses)
        lowest = self._values(decided[1:], fewest_hits, measure)
        best = np.fmax.reduce(between)
        is_open = ~(highest < best - 1e-9 * abs(best)) | (decided[:-1] < hits[1:])
        # Rounding is relative to the largest magnitude, so that a low value may matter as well.
        is_open |= ~(abs(lowest) <= abs(best))
        found = pieces_in_bands(self.pieces, weights, is_open, self.pieces.own.size)
        # Any chance within a closed band can stand for all of its intervals.
        closed = np.flatnonzero(~is_open)
        edges = 1 - (closed + 0.5) / (_N_BANDS - 1)
        chances, decided, hits = (
            np.append(part, other)
            for part, other in zip(found, (edges, each[0][closed], each[1][closed]), strict=True)
        )
        return self._best_limit(chances, decided, hits, measure)

    def _lowest(self, weights: np.ndarray, limit: float, last: np.ndarray) -> np.ndarray:
        """Return the lowest threshold of each label whose blended chance reaches the limit.

        `last` is the last interval that reaches it. Between this and the next interval there may
        be pooled vertices without scores. Their chances fall, so that bisection finds the lowest.
        """
        pieces, is_end = self.pieces, last + 1 == self.pieces.starts[1:]
        following = np.where(is_end, 0, last + 1)
        own = (1 - weights) * np.where(is_end, 0.0, pieces.own[following])
        seen = pieces.seen[last].astype(np.int64)
        before = pieces.seen[following] - pieces.is_common[following]
        low, high = seen, np.where(is_end, self.thresholds.size, before) + 1
        while (high - low > 1).any():
            # At least one vertex more than `low`, unless both meet.
            middle = np.minimum((low + high) // 2, self.thresholds.size)
            reaches = own + weights * self.chances[middle - 1] >= limit
            low, high = np.where(reaches, middle, low), np.where(reaches, high, middle)
        common = np.append(self.thresholds, np.inf)[low - 1]
        return np.asarray(np.where(low > seen, common, pieces.thresholds[last]))


def micro_path(cuts: Cuts, pool: PooledCurve) -> MicroPath:
    """Return the intervals between the vertices of each label's hull and of the pooled hull."""
    hulls, vertices = hulls_of(cuts), pool.vertices[1:]
    thresholds, chances = pool.thresholds[vertices], pool.chances[vertices]
    pieces = _merged(hulls, pool.steps, vertices, thresholds, chances)
    totals = hulls.positives.sum().item(), n_cells(hulls.positives, hulls.n_samples)
    return MicroPath(pieces, thresholds, chances, *totals)


def _merged(
    hulls: Cuts,
    steps: CommonSteps,
    vertices: np.ndarray,
    thresholds: np.ndarray,
    chances: np.ndarray,
) -> Pieces:
    """Merge the hull vertices of each label with its steps between pooled vertices."""
    below = np.concatenate(([1.0], chances, [0.0]))
    above = np.where(np.isinf(hulls.lows), 0, n_above(thresholds, hulls.lows) + 1)
    own = OwnVertices(
        hulls.starts,
        hulls.decided,
        hulls.hits,
        hulls.thresholds,
        _slopes(hulls),
        below[above],
        n_at_or_above(thresholds, hulls.lows),
    )
    common = CommonVertices(
        steps.labels,
        steps.places,
        steps.decided,
        steps.hits,
        np.searchsorted(vertices, np.arange(steps.n_places)),
        thresholds,
        chances,
    )
    room = hulls.decided.size + steps.labels.size
    columns = [np.empty(room, kind) for kind in (float, float, float, float, float, np.int16, bool)]
    pieces = Pieces(np.zeros(hulls.starts.size, np.int64), *columns)
    size = merge_vertices(own, common, pieces)
    return Pieces(pieces.starts, *(column[:size] for column in columns))


def _slopes(hulls: Cuts) -> np.ndarray:
    """Return the slope of the hull edge before each vertex, 1 before the first."""
    run, rise = (np.diff(part, prepend=0) for part in (hulls.decided, hulls.hits))
    run[hulls.starts[:-1]] = rise[hulls.starts[:-1]] = 1
    return np.asarray(rise / run)
