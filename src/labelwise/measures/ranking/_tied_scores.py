"""Rankings without ties: equal scores of a sample take the order of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

AGAINST, COLUMNS = "against", "columns"
TIES = (AGAINST, COLUMNS)


def check_ties(ties: Any) -> str:
    """Return a known rule for equal scores."""
    if ties not in TIES:
        raise ValueError(f"ties must be one of {TIES}, got {ties!r}.")
    return str(ties)


def without_ties(scores: Any) -> Any:
    """Return scores of the same order in each row, in which columns that come first are higher.

    Absent scores of a sparse matrix stay absent, and tied.
    """
    if not sparse.issparse(scores):
        order = np.argsort(-scores, axis=1, kind="stable")
        ranks = np.empty(scores.shape)
        places = np.broadcast_to(-np.arange(scores.shape[1], dtype=np.float64), scores.shape)
        np.put_along_axis(ranks, order, places, axis=1)
        return ranks
    rows = sparse.csr_array(scores).sorted_indices()
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    # By row, then from the highest score down; equal ones stay in the order of their columns.
    order = np.lexsort((-rows.data, row_of))
    ranks = np.empty(rows.nnz)
    ranks[order] = -np.arange(rows.nnz, dtype=np.float64)
    return sparse.csr_array((ranks, rows.indices, rows.indptr), shape=rows.shape)
