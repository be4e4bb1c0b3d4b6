"""One matrix whose rows are read block by block: an array, or an npy, parquet or zarr file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks._interface import RowSource
from labelwise._blocks._parquet_files import ParquetFiles, parquet_parts
from labelwise._extras import require
from labelwise._io import DataError, bound_of, npy_header
from labelwise._tables import ID_NAMES
from labelwise._validation import check_labels, check_scores, rows_of


class ArraySource(RowSource):
    """Rows of an array or a sparse matrix in memory, of a memory map, or of a zarr array."""

    def __init__(
        self,
        array: Any,
        names: tuple[str, ...] | None = None,
        ids: Sequence[Any] | None = None,
        *,
        is_array: bool = True,
    ) -> None:
        self._array, self._ids = array, ids
        n_rows, n_columns = array.shape
        self.shape, self.dtype = (int(n_rows), int(n_columns)), array.dtype
        self.names, self.is_array = names, is_array
        free = (name for name in ID_NAMES if name not in (names or ()))
        self.id_name = None if ids is None else next(free)

    def ids(self) -> Iterator[Any]:
        """Yield one arrow array of the index of a frame, as text; nothing without an index."""
        import pyarrow as pa

        if self._ids is not None:
            yield pa.array(list(map(str, self._ids)), pa.string())

    def rows(self, start: int, stop: int) -> Any:
        """Return some rows."""
        block = self._array[start:stop]
        return block if sparse.issparse(block) else np.ascontiguousarray(block)


class NpyFile(RowSource):
    """Rows of a 2-D npy file in row order, read by blocks.

    A memory map would count as resident memory as long as the system has room for its pages;
    reading into a block of its own does not.
    """

    path: Path

    def __init__(self, path: Path) -> None:
        self.path = path
        header = npy_header(path)
        if len(header.shape) != 2 or header.dtype.kind not in "biuf":
            raise DataError(
                path, f"must contain a 2-D array of numbers, got {header.shape} {header.dtype}."
            )
        if header.by_columns:
            raise DataError(path, "is stored column by column: write it in row order (order='C').")
        self._header = header
        n_rows, n_columns = header.shape
        self.shape = n_rows, n_columns
        # In the byte order of this machine.
        self.dtype = header.dtype.newbyteorder("=")

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Return some rows."""
        n_cells = (stop - start) * self.shape[1]
        with self.path.open("rb") as stream:
            stream.seek(self._header.n_bytes + start * self.row_bytes)
            cells = np.fromfile(stream, self._header.dtype, n_cells)
        if cells.size < n_cells:
            raise DataError(self.path, f"ends before row {stop}.")
        return cells.astype(self.dtype, copy=False).reshape(-1, self.shape[1])


def open_source(
    data: Any,
    input_name: str,
    columns: str | Sequence[str] | None = None,
    ids: str | Sequence[str] | None = None,
) -> RowSource:
    """Open a matrix by its path, or wrap one in memory; its rows are not checked yet.

    A path names an npy or parquet file, a folder of parquet files, or a zarr array. In memory,
    "scores" stay dense, and other arguments are labels. In parquet files, `columns` are the names
    of labels, or a prefix with a star; of `ids`, the first name that the file has is the column of
    ids, and None finds this column by the rule of `labelwise._tables`.
    """
    if isinstance(data, RowSource):
        return data
    asked = [ids] if isinstance(ids, str) else ids
    if isinstance(data, str | Path):
        return _open_path(Path(data), columns, asked)
    if columns is not None:
        raise ValueError(f"columns must be None if {input_name} is not a file, got {columns!r}.")
    if isinstance(data, np.memmap):
        if data.ndim != 2:
            raise ValueError(f"{input_name} must be 2-D, rows by labels, got {data.ndim}-D.")
        return ArraySource(data)
    data, rows = rows_of(data, ids if isinstance(ids, str) else None, input_name)
    if input_name == "scores":
        checked = check_scores(data)
        if sparse.issparse(checked.matrix):
            raise ValueError(
                "scores must be dense beside paths and dask arrays: sparse scores fit in memory, "
                "and so do their labels."
            )
        return ArraySource(checked.matrix, checked.names, rows.ids, is_array=rows.is_array)
    labels = check_labels(data, input_name=input_name)
    matrix = sparse.csr_array(labels.matrix)
    return ArraySource(matrix, labels.names, rows.ids, is_array=rows.is_array)


def rows_within(
    paths: Mapping[str, Path | None],
    max_bytes: int | None,
    ids: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
) -> int | None:
    """Return how many rows of the widest file take at most `max_bytes`, or None without a bound."""
    if max_bytes is None:
        return None
    found = []
    for path in paths.values():
        if path is not None:
            row_bytes = _open_path(path, columns, ids).row_bytes
            bound_of(path, max_bytes).check(row_bytes, "a row")
            found.append(max_bytes // row_bytes)
    return min(found)


def _open_path(
    path: Path, columns: str | Sequence[str] | None, ids: Sequence[str] | None
) -> RowSource:
    if not path.exists():
        raise DataError(path, "does not exist.")
    parts = parquet_parts(path)
    if parts:
        require("pyarrow", f"{path}")
        return ParquetFiles(path, parts, columns, ids)
    if columns is not None:
        raise DataError(path, f"has no names of columns, so that {columns!r} cannot be chosen.")
    if path.suffix.lower() == ".npy":
        return NpyFile(path)
    if (path / "zarr.json").exists() or (path / ".zarray").exists():
        return _open_zarr(path)
    raise DataError(
        path,
        "must be an npy or parquet file, a folder of parquet files, or a zarr array; other files "
        "are read by labelwise.data.read_scores and read_labels.",
    )


def _open_zarr(path: Path) -> RowSource:
    require("zarr", f"{path}")
    import zarr

    try:
        array = zarr.open_array(str(path), mode="r")
    except (ValueError, FileNotFoundError, KeyError) as error:
        raise DataError(path, f"is not a zarr array ({error}).") from error
    if array.ndim != 2:
        raise DataError(path, f"must contain a 2-D array, rows by labels, got {array.ndim}-D.")
    source = ArraySource(array, is_array=False)
    source.path = path
    return source
