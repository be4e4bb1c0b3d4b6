"""Values of Arrow columns as NumPy arrays, and arrays and texts as Arrow columns.

Missing values are NaN among numbers and "" among texts. The conversions of pyarrow import pandas if
it is installed, which takes longer than reading a file of usual size: these functions read and
write the buffers of the columns instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._extras import require
from labelwise._io import DataError

# Text that means a missing value.
MISSING = ("", "?")
# Text that means a missing value among numbers, and among yes and no.
MISSING_NUMBERS = ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null"]
_NO, _YES = ("0", "0.0", "false", "no", "n", "f"), ("1", "1.0", "true", "yes", "y", "t")
# False is 0 and 1.0 is 1 also as keys.
_BINARY = {0: 0, 1: 1} | dict.fromkeys(_NO, 0) | dict.fromkeys(_YES, 1)
GAP, NOT_BINARY = -1, -2
# Arrow takes 10 kB for a column, however small: a few bytes in the file.
_MOST_COLUMNS = 2**16


def check_width(path: str | Path, n_columns: int) -> None:
    """Refuse a table with too many columns, since Arrow needs much memory for each."""
    if n_columns > _MOST_COLUMNS:
        problem = (
            f"has {n_columns} columns, more than {_MOST_COLUMNS}: write it as svmlight or ARFF."
        )
        raise DataError(path, problem)


def numpy_column(column: Any, dtype: Any, missing: float) -> np.ndarray:
    """Return the values of an Arrow column of numbers of this type, with `missing` for null."""
    chunks = getattr(column, "chunks", [column])
    parts = [_chunk_values(chunk, np.dtype(dtype), missing) for chunk in chunks if len(chunk)]
    return np.concatenate([np.empty(0, dtype), *parts])


def _chunk_values(chunk: Any, dtype: np.dtype, missing: float) -> np.ndarray:
    place = chunk.offset * dtype.itemsize
    values = np.frombuffer(chunk.buffers()[1], dtype, count=len(chunk), offset=place)
    if chunk.null_count == 0:
        return values
    is_valid = np.frombuffer(chunk.is_valid().cast("uint8").buffers()[1], np.uint8, len(chunk))
    return np.where(is_valid, values, dtype.type(missing))


def arrow_numbers(values: np.ndarray) -> Any:
    """Return a 1-D array of numbers as an Arrow array."""
    import pyarrow as pa

    content = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), values.size, [None, content])


def arrow_texts(texts: Iterable[str]) -> Any:
    """Return texts as an Arrow array of strings."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    ends = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers).cast(pa.string())


def is_text(column: Any) -> bool:
    """Return whether an Arrow column has text."""
    import pyarrow as pa

    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def texts(column: Any) -> np.ndarray:
    """Return text, whole numbers or times as an array of str, "" where a value is missing."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        column = column.cast(pa.int64())
    found = as_written(column).to_pylist()
    return np.array(["" if text is None else text for text in found], dtype=object)


def as_written(column: Any) -> Any:
    """Return a column as text as csv files have it: times of midnight as days, without fractions.

    Ids of a parquet file and of a csv file are compared as text.
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind):
        second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
        ticks = column.cast(pa.int64()).drop_null().to_numpy()
        if kind.tz is None and not (ticks % (86_400 * second)).any():
            column = column.cast(pa.date32())
        elif not (ticks % second).any():
            column = column.cast(pa.timestamp("s", kind.tz))
    return column.cast(pa.string())


def binary_value(value: Any) -> int:
    """Return the 0 or 1 that a cell of a label means; `GAP` if it is missing, else `NOT_BINARY`."""
    value = value.strip() if isinstance(value, str) else value
    # Other programs write a missing value as NA also between yes and no.
    if value != value or value in MISSING_NUMBERS:
        return GAP
    return _BINARY.get(value.lower() if isinstance(value, str) else value, NOT_BINARY)


def numbers(column: Any) -> np.ndarray:
    """Return a column of numbers or booleans as float64, NaN where a value is missing."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    return numpy_column(column.cast(pa.float64(), safe=False), np.float64, missing=np.nan)


def first_row_without_number(column: Any) -> int:
    """Return the first row that Arrow cannot read as a number, by bisection."""
    import pyarrow as pa

    first, n_rows = 0, len(column)
    while n_rows > 1:
        half = n_rows // 2
        try:
            numbers(column.slice(first, half))
        except pa.ArrowInvalid:
            n_rows = half
        else:
            first, n_rows = first + half, n_rows - half
    return first


# The Unicode paragraph separator, between the texts of a list.
BETWEEN_TEXTS = "\u2029"


def joined_texts(column: Any) -> Any:
    """Join the texts of a column of lists, such as sentences, by paragraph separators.

    A column of texts stays as it is; None is returned for any other column.
    """
    import pyarrow as pa

    kind = column.type
    if not pa.types.is_nested(kind):
        return column if pa.types.is_string(kind) or pa.types.is_large_string(kind) else None
    if kind.num_fields != 1 or not pa.types.is_string(kind.field(0).type):
        return None
    joined = [
        None if value is None else BETWEEN_TEXTS.join(filter(None, value))
        for value in column.to_pylist()
    ]
    return pa.chunked_array([pa.array(joined, pa.string())])


def has_text(data: Any) -> bool:
    """Return whether data is a frame with a column that is neither numbers nor booleans."""
    if isinstance(data, np.ndarray | list):  # narwhals, and its import, would take long
        return False
    import narwhals as nw

    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return False
    return any(dtype in (nw.String, nw.Categorical, nw.Enum) for dtype in frame.schema.values())


def plain_table(frame: Any) -> Any:
    """Convert a frame to an Arrow table of numbers, booleans and text only.

    Categories, dates and other values become their text; lists are refused.
    """
    require("pyarrow", "a table of features")
    import narwhals as nw
    import pyarrow as pa

    table = nw.from_native(frame, eager_only=True).to_arrow()
    return pa.table({name: _plain(table.column(name), name) for name in table.column_names})


def _plain(column: Any, name: str) -> Any:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_nested(kind):
        raise TypeError(f"X must have numbers or text in column {name!r}, got lists.")
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return column
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return column.cast(pa.float64())
    return as_written(column)
