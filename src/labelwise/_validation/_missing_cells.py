"""Cells of a label matrix without truth: NaN at public functions, and a matrix of them behind."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def unmasked(data: Any) -> Any:
    """Return labels with NaN in place of masked cells; anything but a masked array as it is."""
    is_masked = isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data)
    if not is_masked or data.dtype.kind not in "biuf":
        return data
    return np.where(np.ma.getmaskarray(data), np.nan, np.ma.getdata(data))


def with_nan(Y: sparse.csc_array, missing: sparse.csc_array | None) -> sparse.csc_array:
    """Return labels with NaN in the cells without truth, as `check_labels` accepts them.

    Parameters
    ----------
    Y : csc_array of bool of shape (n_samples, n_labels)
        Checked labels.
    missing : csc_array of bool of the same shape, or None
        The cells without truth, none of which is positive.

    Returns
    -------
    csc_array of bool, or of float64 with stored NaN
        Y itself if no cell is missing.
    """
    if missing is None or missing.nnz == 0:
        return Y
    gaps = missing.astype(np.float64)
    gaps.data[:] = np.nan
    return sparse.csc_array(Y.astype(np.float64) + gaps)


def dense_targets(Y: sparse.csc_array, missing: sparse.csc_array | None) -> np.ndarray:
    """Return labels as int64, or as float64 with NaN in the cells without truth."""
    found = with_nan(Y, missing)
    return np.asarray(found.toarray(), dtype=np.int64 if found is Y else np.float64)


def without_cells(matrix: Any, missing: sparse.csc_array) -> Any:
    """Return a matrix without the cells that are missing.

    Parameters
    ----------
    matrix : ndarray, csr_array or csc_array of shape (n_samples, n_labels)
        Scores or decisions.
    missing : csc_array of bool of the same shape
        The cells to leave out.

    Returns
    -------
    csr_array or csc_array
        All other cells: CSR for a dense array, also where its values are 0.
    """
    if not sparse.issparse(matrix):
        is_kept = ~missing.toarray()
        indptr = np.concatenate(([0], np.cumsum(is_kept.sum(axis=1))))
        columns = np.nonzero(is_kept)[1].astype(np.int32)
        return sparse.csr_array((matrix[is_kept], columns, indptr), shape=matrix.shape)
    found, gaps = matrix.tocoo(), missing.tocoo()
    numbers, gone = (
        cells.coords[0].astype(np.int64) * matrix.shape[1] + cells.coords[1]
        for cells in (found, gaps)
    )
    kept = ~np.isin(numbers, gone)
    cells = (found.data[kept], tuple(part[kept] for part in found.coords))
    result = sparse.coo_array(cells, shape=matrix.shape).asformat(matrix.format)
    result.sort_indices()
    return result


def first_cell(missing: sparse.csc_array) -> tuple[int, int]:
    """Return the row and the column of the first missing cell, row by row."""
    rows, columns = missing.tocoo().coords
    first = np.lexsort((columns, rows))[0]
    return int(rows[first]), int(columns[first])


def ones_of_each(matrix: sparse.sparray, by: str) -> np.ndarray:
    """Count the ones of each label, of each sample, or (by="all") of the whole boolean matrix."""
    if by == "all":
        return np.array([matrix.nnz], dtype=np.int64)
    # Checked matrices store no zeros, so entries are ones.
    if by == "label":
        return np.asarray(np.diff(sparse.csc_array(matrix).indptr), dtype=np.int64)
    return np.bincount(sparse.csc_array(matrix).indices, minlength=matrix.shape[0])


def cells_with_truth(Y: sparse.csc_array, by: str, missing: sparse.csc_array | None) -> Any:
    """Count the cells with truth of each label or sample, or of the whole matrix."""
    n_samples, n_labels = Y.shape
    n_cells = {"label": n_samples, "sample": n_labels, "all": n_samples * n_labels}[by]
    return n_cells if missing is None else n_cells - ones_of_each(missing, by)
