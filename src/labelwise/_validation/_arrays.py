"""Convert frames, tensors, lists and one array per label to numpy arrays.

Arguments that would be misread are refused: sparse matrices with indices outside their shape,
masked cells, repeated names.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation._named_matrices import NamedMatrix

# Methods of tensors of torch that arrays of numpy do not have.
_OF_TENSORS = ("detach", "cpu", "float")
_COMPRESSED = ("csr", "csc", "bsr")


def is_frame(data: Any) -> bool:
    """Return whether data is a dataframe that narwhals can read."""
    from narwhals.dependencies import is_into_dataframe

    return is_into_dataframe(data)


def check_backend(backend: str | None) -> Any:
    """Return the library of a frame to make; None means the first one that is installed."""
    known = ("pandas", "polars", "pyarrow")
    if backend is None:
        return next(name for name in known if find_spec(name) is not None)
    if backend not in known:
        raise ValueError(f"backend must be one of {', '.join(known)}, got {backend!r}.")
    return backend


def frame_names(data: Any) -> tuple[str, ...] | None:
    """Return the column names of a frame or of a matrix with names; None for any other data.

    Lists of label names have no order of columns.
    """
    if isinstance(data, NamedMatrix):
        return None if data.has_label_lists else data.label_names
    if isinstance(data, np.ndarray) or sparse.issparse(data) or not is_frame(data):
        return None
    import narwhals as nw

    return check_names(nw.from_native(data, eager_only=True).columns, "the column names")


def frame_columns(frame: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the values of a pandas or polars frame as one 2-D array, with its column names."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    names = check_names(table.columns, "the column names")
    values = table.to_numpy() if names else np.empty((len(table), 0))
    if values.dtype.kind not in "biuf":
        # Booleans among numbers, gaps in columns of integers, or other columns than numbers.
        values = np.column_stack([_numbers(column.to_numpy()) for column in table.iter_columns()])
    # Arrays in column order or without permission to write would be compiled for once more.
    is_usual = values.flags.c_contiguous and values.flags.writeable
    return values if is_usual else np.array(values, order="C"), names


def column_without_numbers(frame: Any) -> str:
    """Return the name of the first column of a frame that has neither numbers nor booleans."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    name: str = next(
        column.name
        for column in table.iter_columns()
        if _numbers(column.to_numpy()).dtype.kind not in "biuf"
    )
    return name


def frame_like(frame: Any, values: np.ndarray) -> Any:
    """Return a frame of the same library, with the same columns and index, and other values."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    names = list(map(str, table.columns))
    if not names:
        return frame
    made = nw.from_numpy(values, names, backend=table.implementation).to_native()
    index = nw.maybe_get_index(table)
    if index is not None:
        # Names of columns in pandas may be numbers.
        made.index, made.columns = index, frame.columns
    return made


def _numbers(column: np.ndarray) -> np.ndarray:
    """Turn an object column (None or pandas.NA among numbers) into floats with NaN."""
    if column.dtype != object:
        return column
    # pandas.NA is recognised by the name of its type, so that pandas need not be imported.
    missing = [value is None or type(value).__name__ == "NAType" for value in column]
    return np.array(
        [np.nan if gone else value for gone, value in zip(missing, column, strict=True)]
    )


def as_dense(data: Any, input_name: str) -> np.ndarray:
    """Convert a list of lists, or anything that numpy understands, to an array.

    A tensor that numpy would refuse is detached from its graph, copied from its device and, if
    numpy lacks its type (bfloat16), converted to float32.
    """
    if isinstance(data, set | frozenset | dict | str | bytes):
        raise TypeError(
            f"{input_name} must be an array, a frame or a list of label sets, "
            f"got {type(data).__name__}."
        )
    if isinstance(data, list | tuple) and any(isinstance(row, set | frozenset) for row in data):
        raise TypeError(f"{input_name} must have a set for every row, or for none.")
    refuse_sparse(data, input_name, "a dense array")
    check_readable(data, input_name)
    if all(hasattr(data, method) for method in _OF_TENSORS):
        return _array_of_tensor(data, input_name)
    try:
        return np.asarray(data)
    except ValueError as error:
        raise ValueError(f"{input_name} must have rows of equal length.") from error


def _array_of_tensor(tensor: Any, input_name: str) -> np.ndarray:
    plain = tensor.detach().cpu()
    try:
        return np.asarray(plain)
    except TypeError:
        pass
    try:
        return np.asarray(plain.float())
    except (TypeError, RuntimeError) as error:
        raise TypeError(
            f"{input_name} must be a dense tensor that numpy can read, got {tensor.dtype}: {error}"
        ) from error


def is_array_per_label(data: Any) -> bool:
    """Return whether data has an array for each label, as `predict_proba` of forests returns it."""
    if isinstance(data, list | tuple):
        return len(data) > 0 and all(len(getattr(part, "shape", ())) == 2 for part in data)
    return len(getattr(data, "shape", ())) == 3


def scores_of_class_1(answers: Any, input_name: str, classes: Any = None) -> np.ndarray:
    """Return the scores of class 1 as one matrix of shape (n_samples, n_labels).

    The answer for a label has the columns of the classes 0 and 1, or one column of its only class.
    For these, `classes` says which class it is: the scores of class 1 are 0 if it is 0.
    """
    columns = []
    for j, answer in enumerate(answers):
        table = as_dense(answer, input_name)
        if table.ndim != 2 or table.shape[1] not in (1, 2):
            raise ValueError(
                f"{input_name} must have the two classes 0 and 1 for each label, "
                f"got shape {table.shape} for label {j}."
            )
        if table.shape[1] == 1 and classes is None:
            raise ValueError(
                f"{input_name} has one column for label {j}, whose only class may be 0 or 1: "
                "give a matrix with the probability of 1 for each label."
            )
        is_zero = table.shape[1] == 1 and np.ravel(classes[j])[0] != 1
        columns.append(np.zeros(len(table)) if is_zero else table[:, -1])
    if len({len(column) for column in columns}) > 1:
        raise ValueError(f"{input_name} must have equally many rows for each label.")
    return np.column_stack(columns)


def check_readable(data: Any, input_name: str) -> None:
    """Refuse sparse matrices with indices outside their shape, and cells under a mask.

    scipy checks indices only when a matrix is constructed. If they are changed afterwards, its
    routines and the kernels of labelwise read or write other memory. numpy ignores masks. The check
    takes one pass over the indices, or over the mask. Unsorted indices, stored zeros and repeated
    cells, which are summed, are accepted, and so are arguments of any other kind.
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
            if matrix.format == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
                raise ValueError("rows and data must have lists of the same lengths")
            _check_compressed(matrix.tocsr())
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(
            f"{input_name} must be a sparse matrix with indices inside its shape "
            f"{matrix.shape}, got a {matrix.format} matrix that is broken: {error}."
        ) from error


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


def check_names(names: Iterable[Any], input_name: str) -> tuple[str, ...]:
    """Return distinct names as a tuple of str."""
    if isinstance(names, str):
        raise TypeError(f"{input_name} must be a sequence of names, got the one string {names!r}.")
    refuse_sparse(names, input_name, "a sequence of names")
    checked = tuple(str(name) for name in names)
    if len(set(checked)) < len(checked):
        seen: set[str] = set()
        twice = next(name for name in checked if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"{input_name} must be distinct, got {twice!r} twice.")
    return checked


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
