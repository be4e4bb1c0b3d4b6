"""Decisions at thresholds, with at most so many decisions for each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def decisions_at(scores: Any, thresholds: np.ndarray, most_per_row: int | None = None) -> Any:
    """Decide checked scores: dense int8, or boolean CSR if the scores are CSR.

    A row in which more than `most_per_row` scores reach their thresholds keeps the highest scores,
    and among equal ones those of the first labels.
    """
    if not sparse.issparse(scores):
        decided = (scores >= thresholds).astype(np.int8)
        return decided if most_per_row is None else _limited(scores, decided, most_per_row)
    rows = sparse.csr_array(scores)
    reached = rows.data >= thresholds[rows.indices]
    if most_per_row is not None:
        reached &= ranks_in_row(rows, reached) < most_per_row
    starts = np.concatenate(([0], np.cumsum(reached)))[rows.indptr]
    ones = np.ones(int(starts[-1]), dtype=bool)
    return sparse.csr_array((ones, rows.indices[reached], starts), shape=rows.shape)


def _limited(scores: np.ndarray, decided: np.ndarray, most: int) -> np.ndarray:
    """Keep the highest scores of the rows of a dense matrix with too many decisions."""
    crowded = np.flatnonzero(decided.sum(axis=1, dtype=np.int64) > most)
    keys = np.where(decided[crowded] > 0, -scores[crowded], np.inf)
    dropped = np.argsort(keys, axis=1, kind="stable")[:, most:]
    decided[crowded[:, None], dropped] = 0
    return decided


def ranks_in_row(scores: sparse.csr_array, reached: np.ndarray) -> np.ndarray:
    """Return the rank of each stored score among those of its row that reach their thresholds."""
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    order = np.lexsort((scores.indices, -scores.data, ~reached, rows))
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size) - scores.indptr[rows]
    return ranks
