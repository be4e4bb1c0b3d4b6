"""Number the distinct label sets of a label matrix: rows with exactly the same labels."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def labelset_numbers(Y: sparse.sparray) -> np.ndarray:
    """Return the number of each row's label set; only equal rows have the same number.

    Rows of equal length are compared as rows of one array, so memory stays O(nnz).
    """
    rows = sparse.csr_array(Y)
    rows.sort_indices()
    sizes = np.diff(rows.indptr)
    numbers = np.empty(rows.shape[0], dtype=np.int64)
    n_found = 0
    by_size = np.argsort(sizes, kind="stable")
    for same_size in np.split(by_size, np.flatnonzero(np.diff(sizes[by_size])) + 1):
        if same_size.size == 0:
            continue
        size = sizes[same_size[0]]
        members = rows.indices[rows.indptr[same_size][:, None] + np.arange(size)]
        distinct, number = np.unique(members, axis=0, return_inverse=True)
        numbers[same_size] = n_found + number.ravel()
        # Rows without labels have no column to compare: they are one label set.
        n_found += max(1, len(distinct))
    return numbers
