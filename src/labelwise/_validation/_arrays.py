"""Convert frames, tensors, lists and one array per label to numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation._named_matrices import NamedMatrix
from labelwise._validation._names import check_names
from labelwise._validation._readable import check_readable, refuse_sparse

# Methods of tensors of torch that arrays of numpy do not have.
_OF_TENSORS = ("detach", "cpu", "float")


def is_frame(data: Any) -> bool:
    """Return whether data is a dataframe that narwhals can read."""
    import narwhals as nw

    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def frame_names(data: Any) -> tuple[str, ...] | None:
    """Return the column names of a frame or of a matrix with names; None for any other data."""
    if isinstance(data, NamedMatrix):
        return data.label_names
    if isinstance(data, np.ndarray) or sparse.issparse(data) or not is_frame(data):
        return None
    import narwhals as nw

    return check_names(nw.from_native(data, eager_only=True).columns, "the column names")


def frame_columns(frame: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the values of a pandas or polars frame as one 2-D array, with its column names."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    columns = [_numbers(column.to_numpy()) for column in table.iter_columns()]
    values = np.column_stack(columns) if columns else np.empty((len(table), 0))
    return values, check_names(table.columns, "the column names")


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
    columns = [
        nw.new_series(name, values[:, j], backend=table.implementation)
        for j, name in enumerate(table.columns)
    ]
    return table.with_columns(*columns).to_native()


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

    Parameters
    ----------
    answers : sequence of arrays of shape (n_samples, 2) or (n_samples, 1), one for each label
        Two columns are those of the classes 0 and 1. One column is that of the only class.
    input_name : str
        Name of the argument in error messages.
    classes : sequence of arrays, default=None
        The classes of each label, needed for single columns: the scores of class 1 are this
        column, or 0 if its class is 0.

    Returns
    -------
    ndarray of shape (n_samples, n_labels)
        The scores.
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
