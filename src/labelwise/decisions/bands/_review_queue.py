"""Apply two thresholds for each label: the state of each cell, and the order of those to review.

A cell is accepted, rejected, or to review (`BandEnds`). The cells to review are in the order in
which looking at them helps most, by the estimated probability of each (`BandCurves`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._tuning.problem._decisions import decisions_at, highest_of_each

if TYPE_CHECKING:  # deciding needs no kernels
    from labelwise._curves import Cuts


class BandEnds(NamedTuple):
    """The thresholds of the columns of scores, and the most cells to accept in a row.

    In a row with more scores that reach their upper thresholds, the highest ones are accepted, and
    the others are to review.
    """

    lower: np.ndarray
    upper: np.ndarray
    max_decided: int | None

    def states(self, scores: Any) -> Any:
        """Return 1, 0 and -1 of checked scores, dense, or CSR with 1 and -1 stored."""
        if not sparse.issparse(scores):
            accepted = decisions_at(scores, self.upper, self.max_decided)
            return accepted - ((scores >= self.lower) & (accepted == 0))
        rows = sparse.csr_array(scores)
        states = self._stored_states(rows)
        is_kept = states != 0
        starts = np.concatenate(([0], np.cumsum(is_kept)))[rows.indptr]
        return sparse.csr_array((states[is_kept], rows.indices[is_kept], starts), shape=rows.shape)

    def cells_to_review(self, scores: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, columns and scores of the cells of checked scores that are to review."""
        if not sparse.issparse(scores):
            rows, columns = np.nonzero(self.states(scores) == -1)
            return rows, columns, scores[rows, columns]
        stored = sparse.csr_array(scores)
        inside = self._stored_states(stored) == -1
        rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
        return rows[inside], stored.indices[inside], stored.data[inside]

    def _stored_states(self, rows: sparse.csr_array) -> np.ndarray:
        """Return the state of each stored score."""
        is_accepted = rows.data >= self.upper[rows.indices]
        if self.max_decided is not None:
            is_accepted = highest_of_each(rows, is_accepted, self.max_decided)
        is_kept = rows.data >= self.lower[rows.indices]
        return np.asarray(is_accepted.astype(np.int8) - (is_kept & ~is_accepted))


class ReviewQueue(NamedTuple):
    """Cells to review, those where a review prevents most errors first.

    `Bands.queue` returns such objects.

    Attributes
    ----------
    rows : ndarray of int of shape (n_cells,)
        Row of each cell in the scores.
    labels : ndarray of int of shape (n_cells,)
        Column of each cell in the scores.
    scores : ndarray of shape (n_cells,)
        Score of each cell.
    probability : ndarray of shape (n_cells,)
        Estimated probability that the label applies: the share of positives among cells of the
        tuning data with similar scores of the label.

    See Also
    --------
    review_bands : Find the bands of scores that a person reviews.
    """

    rows: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    probability: np.ndarray


def queue_of(cells: tuple[np.ndarray, np.ndarray, np.ndarray], curves: BandCurves) -> ReviewQueue:
    """Put rows, labels and scores of cells to review in order, most useful first.

    Without a review, the better of both decisions is wrong with probability ``min(p, 1 - p)``:
    this is the number of errors that a review prevents.
    """
    rows, labels, values = cells
    probability = curves._probability(labels, values)
    prevented = np.minimum(probability, 1 - probability)
    order = np.lexsort((labels, rows, -values, -prevented))
    return ReviewQueue(rows[order], labels[order], values[order], probability[order])


class BandCurves(NamedTuple):
    """The share of positives by score within the review band of each label.

    `Bands.curves` is such an object. The shares are the slopes of a label's hull, which are the
    isotonic regression of the label on its scores.

    Attributes
    ----------
    starts : ndarray of int of shape (n_labels + 1,)
        The pieces of label j are at ``starts[j]`` to ``starts[j + 1] - 1``, from high scores to
        low ones. A score belongs to the first piece whose floor it reaches.
    floors : ndarray of float64 of shape (n_pieces,)
        Lowest score of each piece.
    shares : ndarray of float64 of shape (n_pieces,)
        Share of positives of each piece in the tuning data.

    See Also
    --------
    Bands.queue : List the cells to review.
    """

    starts: np.ndarray
    floors: np.ndarray
    shares: np.ndarray

    def _probability(self, labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return the share of positives at scores within the bands of labels."""
        found = np.empty(scores.size)
        for j in np.unique(labels):
            pieces, here = slice(self.starts[j], self.starts[j + 1]), labels == j
            place = np.searchsorted(-self.floors[pieces], -scores[here], side="left")
            found[here] = self.shares[pieces][place]
        return found

    def _of_labels(self, labels: np.ndarray) -> BandCurves:
        """Return the curves of some labels, in this order."""
        sizes = np.diff(self.starts)[labels]
        places = np.repeat(self.starts[labels] - (np.cumsum(sizes) - sizes), sizes)
        places = places + np.arange(places.size)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        return BandCurves(starts, self.floors[places], self.shares[places])


def band_curves(hulls: Cuts, upper: np.ndarray, lower: np.ndarray) -> BandCurves:
    """Return the hull edges that lie between the thresholds of each label, wholly or in part."""
    ends = hulls.edge_ends
    labels = hulls.labels[ends]
    below = hulls.thresholds[ends] < upper[labels]
    inside = below & (hulls.thresholds[ends - 1] > lower[labels])
    ends, labels = ends[inside], labels[inside]
    n_pieces = np.bincount(labels, minlength=upper.size)
    n_hits, n_cells = (part[ends] - part[ends - 1] for part in (hulls.hits, hulls.decided))
    return BandCurves(
        np.concatenate(([0], np.cumsum(n_pieces))), hulls.thresholds[ends], n_hits / n_cells
    )
