"""States of scores between two thresholds of each label: accepted, rejected, or to review."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.decisions.problem._row_limit import decisions_at, ranks_in_row


class BandEnds(NamedTuple):
    """The thresholds of the columns of scores, and the most cells to accept in a row.

    In a row with more scores that reach their upper thresholds, the highest ones are accepted, and
    the others are to review.
    """

    lower: np.ndarray
    upper: np.ndarray
    most_per_row: int | None

    def states(self, scores: Any) -> Any:
        """Return 1, 0 and -1 of checked scores, dense, or CSR with 1 and -1 stored."""
        if not sparse.issparse(scores):
            accepted = decisions_at(scores, self.upper, self.most_per_row)
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
        if self.most_per_row is not None:
            is_accepted &= ranks_in_row(rows, is_accepted) < self.most_per_row
        is_kept = rows.data >= self.lower[rows.indices]
        return np.asarray(is_accepted.astype(np.int8) - (is_kept & ~is_accepted))
