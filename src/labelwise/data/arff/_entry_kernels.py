"""Kernels that write entries of sparse ARFF rows into the arrays of X and Y, in two passes."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def count_features(columns, values, place):
    """Count the entries of features that are not 0.

    `place` is the column in X of each attribute, or -1 for attributes that are not features.
    """
    n_kept = 0
    for entry in range(columns.size):
        n_kept += place[columns[entry]] >= 0 and values[entry] != 0
    return n_kept


@njit(cache=True, nogil=True)
def place_features(indptr, columns, values, place, data, indices, new_indptr):
    """Write the entries that `count_features` counts into the arrays of a CSR matrix."""
    n_kept = 0
    for i in range(indptr.size - 1):
        for entry in range(indptr[i], indptr[i + 1]):
            where = place[columns[entry]]
            if where >= 0 and values[entry] != 0:
                data[n_kept] = values[entry]
                indices[n_kept] = where
                n_kept += 1
        new_indptr[i + 1] = n_kept


@njit(cache=True, nogil=True)
def count_labels(columns, values, place, n_labels):
    """Return (positives of each label, missing values, first entry that is not 0 or 1, or -1).

    A missing value, NaN, is not such an entry. `place` is the column in Y of each attribute, or -1
    for attributes that are not labels.
    """
    positives = np.zeros(n_labels, dtype=np.int64)
    n_missing, wrong = 0, -1
    for entry in range(columns.size):
        where, value = place[columns[entry]], values[entry]
        if where < 0 or value == 0:
            continue
        positives[where] += value == 1
        n_missing += np.isnan(value)
        if wrong < 0 and value != 1 and not np.isnan(value):
            wrong = entry
    return positives, n_missing, wrong


@njit(cache=True, nogil=True)
def place_labels(indptr, columns, values, place, next_place, indices):
    """Write the rows of each label's positives into the row indices of a CSC matrix."""
    for i in range(indptr.size - 1):
        for entry in range(indptr[i], indptr[i + 1]):
            where = place[columns[entry]]
            if where >= 0 and values[entry] == 1:
                indices[next_place[where]] = i
                next_place[where] += 1
