"""Refuse arguments that would be misread: broken sparse or masked arrays, and other kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

_COMPRESSED = ("csr", "csc", "bsr")


def check_readable(data: Any, input_name: str) -> None:
    """Refuse sparse matrices with indices outside their shape, and cells under a mask.

    scipy checks indices only when a matrix is constructed. If they are changed afterwards, its
    routines and the kernels of labelwise read or write other memory. numpy ignores masks. The
    check takes one pass over the indices, or over the mask. Unsorted indices, stored zeros and
    repeated cells, which are summed, are accepted.

    Parameters
    ----------
    data : object
        An argument of any kind; kinds other than sparse and masked arrays are accepted.
    input_name : str
        Name of the argument in error messages.

    Raises
    ------
    ValueError
        If an index is outside the shape, or a cell is masked.
    """
    if sparse.issparse(data):
        _check_indices(data, input_name)
        return
    for part in data if isinstance(data, list | tuple) else (data,):
        if isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part):
            raise ValueError(
                f"{input_name} must have no masked cells, got {np.ma.getmaskarray(part).sum()}."
            )


def refuse_sparse(data: Any, input_name: str, rule: str) -> None:
    """Raise a TypeError for a sparse matrix in the place of a sequence or a dense array."""
    if sparse.issparse(data):
        raise TypeError(f"{input_name} must be {rule}, got {type(data).__name__}.")


def check_instance(value: Any, kind: type, input_name: str) -> None:
    """Raise a TypeError for anything else than an object of a class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        got = type(value).__name__
        raise TypeError(f"{input_name} must be {article} {kind.__name__}, got {got}.")


def _check_indices(matrix: Any, input_name: str) -> None:
    try:
        if matrix.format in _COMPRESSED:
            _check_compressed(matrix)
        elif matrix.format == "coo":
            _check_whole_numbers(*matrix.coords)
            # The constructor compares the coordinates with the shape.
            sparse.coo_array((matrix.data, matrix.coords), shape=matrix.shape)
        elif matrix.format == "dia":
            _check_whole_numbers(matrix.offsets)
            # The constructor compares the number of offsets with that of the diagonals.
            sparse.dia_array((matrix.data, matrix.offsets), shape=matrix.shape)
        elif matrix.format in ("lil", "dok"):
            if matrix.format == "lil" and any(map(_differ_in_length, matrix.rows, matrix.data)):
                raise ValueError("rows and data must have lists of the same lengths")
            _check_compressed(matrix.tocsr())
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(
            f"{input_name} must be a sparse matrix with indices inside its shape "
            f"{matrix.shape}, got a {matrix.format} matrix that is broken: {error}."
        ) from error


def _differ_in_length(columns: list[Any], values: list[Any]) -> bool:
    return len(columns) != len(values)


def _check_whole_numbers(*arrays: np.ndarray) -> None:
    for indices in arrays:
        if indices.dtype.kind != "i":
            raise TypeError(f"indices must be signed whole numbers, got {indices.dtype}")


def _check_compressed(matrix: Any) -> None:
    _check_whole_numbers(matrix.indices, matrix.indptr)
    # A new matrix on the same arrays, because the check may shorten the arrays of its matrix.
    same = type(matrix)((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    same.check_format(full_check=True)
    # scipy leaves this out where the last pointer is 0.
    if (same.indptr[1:] < same.indptr[:-1]).any():
        raise ValueError("indptr must be a non-decreasing sequence")
