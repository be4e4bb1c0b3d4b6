"""Decisions, hits and labels of each row along a path of thresholds, in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves import are_positive
from labelwise.decisions.guarantees.paths._row_counts_kernels import (
    counts_along,
    entry_points,
    reaching_cells,
)
from labelwise.decisions.problem._problem import Problem

# Numbers in memory at a time, of each kind of count.
_BLOCK = 2**20


class RowCounts(NamedTuple):
    """Counts of a block of rows, at each point of a path."""

    decided: np.ndarray  # (n_rows, n_points)
    hits: np.ndarray  # (n_rows, n_points)
    labels: np.ndarray  # (n_rows, 1), the number of true labels


class PathCells(NamedTuple):
    """Cells of each row that the last point of a path decides, in the order to keep them.

    The cells of row i are at ``starts[i]`` to ``starts[i + 1] - 1``. If a row may have fewer
    decisions than cells, those with the highest scores are kept.
    """

    starts: np.ndarray
    entries: np.ndarray  # the first point of the path that decides the cell
    positive: np.ndarray
    n_labels_of_row: np.ndarray
    n_points: int
    most_per_row: int

    def blocks(self, ends: np.ndarray) -> Iterator[RowCounts]:
        """Yield the counts of consecutive rows; blocks end only at row numbers of `ends`."""
        size = max(1, _BLOCK // self.n_points)
        is_last = np.diff(ends // size, append=-1) != 0
        first = 0
        for last in ends[is_last].tolist():
            yield self._counts(first, last)
            first = last

    def _counts(self, first: int, last: int) -> RowCounts:
        starts = self.starts[first : last + 1]
        cells = slice(int(starts[0]), int(starts[-1]))
        decided, hits = counts_along(
            starts - starts[0],
            self.entries[cells],
            self.positive[cells],
            self.most_per_row,
            self.n_points,
        )
        return RowCounts(decided, hits, self.n_labels_of_row[first:last, None])


def path_cells(problem: Problem, path: np.ndarray, most_per_row: int | None = None) -> PathCells:
    """Find the cells that a path of thresholds decides, and at which point each is decided first.

    The rows of `path` are threshold vectors that fall from one to the next. With `most_per_row`,
    rows keep the highest scores.
    """
    stored = _reaching(problem.scores, path[-1])
    truth = sparse.csr_array(problem.Y)
    truth.sort_indices()
    positive = are_positive(stored.indptr, stored.indices, truth.indptr, truth.indices)
    entries = entry_points(stored.data, stored.indices, np.ascontiguousarray(path.T))
    most = problem.n_labels if most_per_row is None else most_per_row
    crowded, order = _by_falling_score(stored, most)
    entries[crowded], positive[crowded] = entries[order], positive[order]
    n_labels_of_row = np.diff(truth.indptr)
    return PathCells(stored.indptr, entries, positive, n_labels_of_row, len(path), most)


def _by_falling_score(stored: sparse.csr_array, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of rows with more than `most`, in their order and from the highest score."""
    sizes = np.diff(stored.indptr)
    crowded = np.flatnonzero(np.repeat(sizes > most, sizes))
    rows = np.repeat(np.arange(sizes.size), np.where(sizes > most, sizes, 0))
    return crowded, crowded[np.lexsort((-stored.data[crowded], rows))]


def _reaching(scores: Any, thresholds: np.ndarray) -> sparse.csr_array:
    """Return the scores that reach the threshold of their label, as CSR with sorted columns."""
    if not sparse.issparse(scores):
        return sparse.csr_array(reaching_cells(scores, thresholds), shape=scores.shape)
    stored = sparse.csr_array(scores)
    stored.sort_indices()
    reached = stored.data >= thresholds[stored.indices]
    starts = np.concatenate(([0], np.cumsum(reached)))[stored.indptr]
    cells = (stored.data[reached], stored.indices[reached], starts)
    return sparse.csr_array(cells, shape=stored.shape)
