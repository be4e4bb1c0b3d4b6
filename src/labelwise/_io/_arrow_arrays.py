"""Turn Arrow columns into NumPy arrays, and arrays and texts into Arrow columns.

pyarrow's own conversions import pandas if it is installed, which takes longer than reading a file
of usual size. These read and write the buffers of the columns instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def numpy_column(column: Any, dtype: Any, missing: float) -> np.ndarray:
    """Return the values of an Arrow column of numbers whose type is that of `dtype`.

    Parameters
    ----------
    column : Array or ChunkedArray
        Column of numbers.
    dtype : dtype
        NumPy type of the numbers in the column, such as float64 for a column of Arrow's double.
    missing : number
        Value for null.

    Returns
    -------
    ndarray of shape (n_values,)
    """
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


def arrow_texts(texts: Sequence[str]) -> Any:
    """Return texts as an Arrow array of strings."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    ends = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers).cast(pa.string())
