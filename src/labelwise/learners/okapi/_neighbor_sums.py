"""Sums over the nearest documents, in threads of this process or by the active joblib backend."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from labelwise._parallel import Shared, for_row_blocks

if TYPE_CHECKING:
    from labelwise.learners.okapi._okapi_kernels import Csr

# Parts of the test documents for each worker, so that all of them end at about the same time.
_PARTS = 4


def neighbor_sums(
    queries: Csr,
    levels: np.ndarray,
    n_levels: int,
    documents: tuple[Csr, Csr],
    k: int,
    n_labels: int,
) -> np.ndarray:
    """Sum the products of the k nearest documents, by level, query and label.

    `levels` has the level from which on each term counts. `documents` are the training documents of
    each term, and the labels of each training document. ``joblib.parallel_config`` with a number of
    jobs, or with a cluster, computes the sums there; the documents are sent to the workers of a
    cluster once.
    """
    n_queries, n_jobs = queries.indptr.size - 1, effective_n_jobs()
    if n_jobs == 1:
        sums = np.empty((n_levels, n_queries, n_labels))
        _fill(sums, queries, levels, documents, k)
        return sums
    shared = Shared((levels, n_levels, documents, k, n_labels))
    n_parts = max(1, min(n_queries, n_jobs * _PARTS))
    ends = np.linspace(0, n_queries, n_parts + 1).astype(np.int64)
    parts = Parallel(prefer="threads")(
        delayed(_sums_of_part)(query_rows(queries, start, stop), shared)
        for start, stop in pairwise(ends)
    )
    return np.concatenate(parts, axis=1)


def _sums_of_part(queries: Csr, shared: Shared) -> np.ndarray:
    levels, n_levels, documents, k, n_labels = shared.value
    sums = np.empty((n_levels, queries.indptr.size - 1, n_labels))
    _fill(sums, queries, levels, documents, k)
    return sums


def _fill(
    sums: np.ndarray, queries: Csr, levels: np.ndarray, documents: tuple[Csr, Csr], k: int
) -> None:
    from labelwise.learners.okapi._okapi_kernels import sum_over_neighbors

    postings, carried = documents

    def score_block(rows: slice) -> None:
        sum_over_neighbors(queries, rows.start, rows.stop, levels, postings, carried, k, sums)

    for_row_blocks(score_block, sums.shape[1], carried.indptr.size - 1)


def query_rows(matrix: Csr, start: int, stop: int) -> Csr:
    """Return some rows of a matrix."""
    starts = matrix.indptr[start : stop + 1]
    cells = slice(starts[0], starts[-1])
    return type(matrix)(starts - starts[0], matrix.indices[cells], matrix.data[cells])
