"""Count and take the rows of arrays, frames, lists, sparse matrices and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def n_rows(array: Any) -> int:
    """Return the number of rows of anything with rows."""
    if hasattr(array, "shape"):
        return int(array.shape[0])
    return len(array) if hasattr(array, "__len__") else len(np.asarray(array))


def take_rows(array: Any, rows: np.ndarray) -> Any:
    """Return some rows of an array, a sparse matrix, a tensor, a frame or a list, as such.

    Sparse matrices have been checked by `check_readable`.
    """
    import narwhals as nw

    if sparse.issparse(array):
        return array.tocsr()[rows]
    if isinstance(array, np.ndarray):
        return array[rows]
    frame = nw.from_native(array, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[rows].to_native()
    if hasattr(array, "shape"):  # tensors and other arrays, which stay what they are
        return array[rows]
    if not hasattr(array, "__getitem__"):  # only numpy can read it
        return np.asarray(array)[rows]
    return [array[row] for row in rows]
