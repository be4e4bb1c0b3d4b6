"""The micro frontier as a sequence of steps, each one hull edge of one label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import (
    Cuts,
    counts_of,
    hull_slack,
    n_cells,
)
from labelwise.measures import Counts


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
