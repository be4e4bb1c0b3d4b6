"""The steps over the micro frontier, one hull edge of one label at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import Cuts, counts_of
from labelwise.measures import Counts


class FrontierSteps(NamedTuple):
    """All labels' hull edges in the order of falling slope, and what is decided after each.

    After k edges the decisions and hits in all are ``decided[k]`` and ``hits[k]``: no thresholds
    whatever reach more hits with as few decisions, and none lie above the line to the next point.
    """

    hulls: Cuts
    labels: np.ndarray  # whose edge is taken
    slopes: np.ndarray
    decided: np.ndarray
    hits: np.ndarray

    @property
    def n_positive(self) -> int:
        """Positives of all labels."""
        return int(self.hulls.positives.sum())

    @property
    def n_cells(self) -> int:
        """Samples times labels."""
        return self.hulls.n_samples * self.hulls.positives.size

    @property
    def counts(self) -> Counts:
        """The counts of all labels together after each edge."""
        return counts_of(self.decided, self.hits, self.n_positive, self.n_cells)

    def fewest_decided(self) -> np.ndarray:
        """Return a lower bound on the decisions of thresholds with 0, 1, 2, ... hits, each whole.

        All thresholds lie on or under the concave line through the points of the steps, so that
        as many hits take at least the decisions of this line, rounded up.
        """
        hits = np.arange(self.hits[-1] + 1)
        edge = np.searchsorted(self.hits, hits, side="left")
        before = np.maximum(edge - 1, 0)
        rise = np.maximum(self.hits[edge] - self.hits[before], 1)
        run = self.decided[edge] - self.decided[before]
        return np.asarray(self.decided[before] - (-(hits - self.hits[before]) * run) // rise)

    def places(self, n_edges: int) -> np.ndarray:
        """Return where on its hull each label stands after the first edges."""
        moves = np.bincount(self.labels[:n_edges], minlength=self.hulls.positives.size)
        return np.asarray(self.hulls.starts[:-1] + moves)


def frontier_steps(hulls: Cuts) -> FrontierSteps:
    """Return the steps over hulls: O(E log E) for E edges.

    Slopes fall along each hull, so that sorting all edges by slope keeps the edges of a label in
    order, and their sums are the concave envelope of the sums over labels.
    """
    is_first = np.zeros(hulls.decided.size, dtype=bool)
    is_first[hulls.starts[:-1]] = True
    edge_ends = np.flatnonzero(~is_first)
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
