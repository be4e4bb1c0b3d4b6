"""The scores of a problem as cells, in blocks of labels that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.decisions import Problem

# Cells of a block of labels, whether a sparse matrix stores them or not.
_TOGETHER = 2**22


class ScoredCells(NamedTuple):
    """Scores with their rows and labels; `truth` is whether the row has the label."""

    first: int  # the first label of the block
    n_labels: int
    scores: np.ndarray
    rows: np.ndarray
    labels: np.ndarray  # counted from `first`
    truth: np.ndarray


def cells_of(problem: Problem) -> Iterator[ScoredCells]:
    """Yield the stored cells of blocks of labels, label after label."""
    step = max(1, _TOGETHER // problem.n_samples)
    columns = sparse.csc_array(problem.scores) if sparse.issparse(problem.scores) else None
    for first in range(0, problem.n_labels, step):
        last = min(first + step, problem.n_labels)
        truth = problem.Y[:, first:last].toarray()
        if columns is None:
            scores = problem.scores[:, first:last].T
            rows = np.broadcast_to(np.arange(problem.n_samples), scores.shape)
            labels = np.broadcast_to(np.arange(last - first)[:, None], scores.shape)
            parts = (scores.ravel(), rows.ravel(), labels.ravel(), truth.T.ravel())
        else:
            block = columns[:, first:last]
            labels = np.repeat(np.arange(last - first), np.diff(block.indptr))
            parts = (block.data, block.indices, labels, truth[block.indices, labels])
        yield ScoredCells(first, last - first, *parts)
