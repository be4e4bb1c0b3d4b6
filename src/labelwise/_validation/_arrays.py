"""What came as an argument, as an array that numpy understands."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._validation._names import check_names


def is_frame(data: Any) -> bool:
    """Tell whether data is a dataframe that narwhals can read."""
    import narwhals as nw

    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def frame_columns(frame: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the values of a pandas or polars frame as one 2-D array, with its column names."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    columns = [_numbers(column.to_numpy()) for column in table.iter_columns()]
    values = np.column_stack(columns) if columns else np.empty((len(table), 0))
    return values, check_names(table.columns, "the column names")


def _numbers(column: np.ndarray) -> np.ndarray:
    """Turn an object column (None or pandas.NA among numbers) into floats with NaN."""
    if column.dtype != object:
        return column
    # Anything that equals itself is a value; NaN is not, None and pandas.NA are told by type.
    missing = [value is None or type(value).__name__ == "NAType" for value in column]
    return np.array(
        [np.nan if gone else value for gone, value in zip(missing, column, strict=True)]
    )


def as_dense(data: Any, input_name: str) -> np.ndarray:
    """Return the array of a list of lists or of anything that numpy understands."""
    if isinstance(data, set | frozenset | dict | str | bytes):
        raise TypeError(
            f"{input_name} must be an array, a frame or a list of label sets, "
            f"got {type(data).__name__}."
        )
    if isinstance(data, list | tuple) and any(isinstance(row, set | frozenset) for row in data):
        raise TypeError(f"{input_name} must hold a set for every row, or none.")
    try:
        return np.asarray(data)
    except ValueError as error:
        raise ValueError(f"{input_name} must have rows of equal length.") from error
