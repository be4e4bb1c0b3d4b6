"""The micro frontier: most hits for every number of decisions, over all labels together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._validation import check_outcome
from labelwise.decisions.thresholds.curves._cuts import cuts_of, hulls_of
from labelwise.decisions.thresholds.curves._frontier_steps import FrontierSteps, frontier_steps
from labelwise.measures import Counts, precision, recall


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """The vertices of the concave envelope of (decisions, true positives) over all labels.

    Made by `micro_frontier`.

    Attributes
    ----------
    decided, hits : ndarray of int of shape (n_vertices,)
        Decisions and true positives of all labels, rising from 0.
    precision, recall : ndarray of shape (n_vertices,)
        Their micro averages; NaN where nothing is decided, or without positives.
    label_names : tuple of str or None
        Names of the labels, if they came with names.
    """

    decided: np.ndarray
    hits: np.ndarray
    label_names: tuple[str, ...] | None
    _steps: FrontierSteps
    _n_edges: np.ndarray  # taken at each vertex

    @property
    def counts(self) -> Counts:
        """The counts of all labels together at each vertex."""
        return Counts(*(cells[self._n_edges] for cells in self._steps.counts))

    @property
    def precision(self) -> np.ndarray:
        """Micro precision of each vertex."""
        return np.asarray(precision(self.counts))

    @property
    def recall(self) -> np.ndarray:
        """Micro recall of each vertex."""
        return np.asarray(recall(self.counts))

    def thresholds(self, vertex: int) -> np.ndarray:
        """Return the threshold of each label at a vertex, counted from 0 (nothing decided)."""
        n_edges = int(self._n_edges[vertex])
        return np.asarray(self._steps.hulls.thresholds[self._steps.places(n_edges)])

    def __len__(self) -> int:
        return self.decided.size

    def __repr__(self) -> str:
        return (
            f"Frontier: {len(self)} vertices, up to {self.hits[-1]} of "
            f"{self._steps.n_positive} positives with {self.decided[-1]} decisions"
        )


def micro_frontier(scores: Any, Y: Any, *, label_names: Sequence[str] | None = None) -> Frontier:
    """Return the best trade of micro precision for micro recall that thresholds can reach.

    With a threshold for each label, ``D`` decisions and ``TP`` hits in all, the points (D, TP) of
    all threshold vectors lie under a concave line; its vertices are returned, each with the
    thresholds that reach it. No thresholds give more hits for as few decisions, and a measure
    that rises with TP and falls with D has its maximum over them, if it is a quotient of linear
    functions with a positive denominator, at one of these vertices.

    Parameters
    ----------
    scores : array, CSR matrix or frame of shape (n_samples, n_labels)
        Finite scores, float32 or float64; in a CSR matrix, absent means never decided.
    Y : array, sparse matrix, frame or list of sets
        The truth; columns with names are matched by name.
    label_names : sequence of str, optional
        Names of the columns.

    Returns
    -------
    Frontier
        From nothing decided to the fewest decisions that hold every positive; what follows would
        only add false positives.

    Notes
    -----
    O(nN log n): the hulls of labels are found apart, and their edges walked in the order of
    falling slope. The paper leaves these curves open (pillai2012, section 5).

    Examples
    --------
    >>> from labelwise.decisions import micro_frontier
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]]
    >>> frontier = micro_frontier(scores, [[1, 0], [0, 1], [1, 0]])
    >>> frontier.hits, frontier.decided
    (array([0, 2, 3]), array([0, 2, 4]))
    >>> frontier.thresholds(1)
    array([0.75, 0.3 ])
    """
    outcome = check_outcome(Y, scores=scores, label_names=label_names)
    steps = frontier_steps(hulls_of(cuts_of(outcome.scores, outcome.Y)))
    # Edges of equal slope lie on one line: only its ends are vertices.
    ends = np.flatnonzero(np.diff(steps.slopes, append=-1.0)) + 1
    n_edges = np.concatenate(([0], ends))
    return Frontier(steps.decided[n_edges], steps.hits[n_edges], outcome.names, steps, n_edges)
