"""One matrix whose rows are read block by block: an array, or an npy, parquet or zarr file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks._interface import RowSource
from labelwise._extras import require
from labelwise._io import DataError, bound_of, npy_header
from labelwise._tables import ID_NAMES, find_ids, named_ids, row_names
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


# Rows that are decoded together: a column of them is a page or two.
_DECODED = 2**16


def parquet_parts(path: Path) -> list[Path]:
    """Return the parquet files of a path, sorted by name; an empty list if it has none."""
    if path.is_dir():
        return sorted(path.glob("*.parquet"))
    return [path] if path.suffix.lower() == ".parquet" else []


class ParquetFiles(RowSource):
    """Rows of parquet files with the same columns, which are numbers, and a column of ids.

    `columns` are the names of those to read, or a prefix with a star, and rows then have no ids;
    None means all but the ids. `ids` are names of the column of ids, of which the first that the
    files have is used; None finds it.
    """

    path: Path

    def __init__(
        self,
        path: Path,
        parts: Sequence[Path],
        columns: str | Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
    ) -> None:
        self.path, self._parts = path, parts
        schemas = []
        # The file and the number of each row group, and its rows.
        self._groups: list[tuple[Path, int, int]] = []
        for part in parts:
            with _opened(part) as file:
                schemas.append(file.schema_arrow)
                self._groups += [
                    (part, k, file.metadata.row_group(k).num_rows)
                    for k in range(file.num_row_groups)
                ]
        if columns is None:
            every: list[str] = schemas[0].names
            self.id_name = find_ids(every, self._arrays, is_parquet=True)
            if ids is not None:
                self.id_name = named_ids(path, ids, every)
        names = self._labels_of(path, schemas[0], columns)
        for part, schema in zip(parts, schemas, strict=True):
            has_ids = self.id_name is None or self.id_name in schema.names
            if not has_ids or self._labels_of(part, schema, columns) != names:
                raise DataError(part, f"has other columns than {parts[0].name}.")
        self.names = names
        self.shape = sum(self.chunk_sizes(0)), len(names)
        kinds = [schema.field(name).type.to_pandas_dtype() for schema in schemas for name in names]
        self.dtype = np.result_type(*kinds)

    def chunk_sizes(self, n_together: int) -> list[int]:  # noqa: ARG002
        """Return the rows of each row group, which can be decoded by itself."""
        return [n_rows for _, _, n_rows in self._groups]

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Return some rows; the row groups that have any of them are decoded."""
        names = list(self.names or ())
        found, first = np.empty((stop - start, len(names)), self.dtype), 0
        for path, number, n_rows in self._groups:
            low, high = max(start, first), min(stop, first + n_rows)
            if low < high:
                with _opened(path) as file:
                    table = file.read_row_group(number, columns=names).combine_chunks()
                for j, name in enumerate(names):
                    column = _numbers(path, name, table.column(name).slice(low - first, high - low))
                    found[low - start : high - start, j] = column
            first += n_rows
        return found

    def blocks(self, n_together: int) -> Iterator[np.ndarray]:
        """Yield all rows in order, `n_together` at a time."""
        names = list(self.names or ())
        block = np.empty((n_together, len(names)), self.dtype)
        n_filled = 0
        for batch in self._batches(names, n_together):
            taken = 0
            while taken < batch.num_rows:
                n_here = min(n_together - n_filled, batch.num_rows - taken)
                piece = batch.slice(taken, n_here)
                for j, name in enumerate(names):
                    block[n_filled : n_filled + n_here, j] = _numbers(self.path, name, piece[j])
                n_filled, taken = n_filled + n_here, taken + n_here
                if n_filled == n_together:
                    yield block
                    block, n_filled = np.empty_like(block), 0
        if n_filled:
            yield block[:n_filled]

    def ids(self) -> Iterator[Any]:
        """Yield arrow arrays of the ids of all rows in order, as text; nothing without ids."""
        import pyarrow as pa

        if self.id_name is None:
            return
        for values in self._arrays(self.id_name):
            if values.null_count:
                raise DataError(self.path, f"has no value for {self.id_name!r}.")
            yield values.cast(pa.string())

    def _arrays(self, name: str) -> Iterator[Any]:
        """Yield the values of one column, categories as their values."""
        import pyarrow as pa

        for batch in self._batches([name], _DECODED):
            values = batch.column(0)
            is_coded = pa.types.is_dictionary(values.type)
            yield values.dictionary_decode() if is_coded else values

    def _batches(self, names: list[str], n_together: int) -> Iterator[Any]:
        for part in self._parts:
            with _opened(part) as file:
                yield from file.iter_batches(min(n_together, _DECODED), columns=names)

    def _labels_of(
        self, path: Path, schema: Any, columns: str | Sequence[str] | None
    ) -> tuple[str, ...]:
        """Return the columns to read: the chosen ones, or all but ids and row names."""
        left_out = {self.id_name, *row_names(schema.names)}
        kinds = {
            field.name: _is_number(field.type) for field in schema if field.name not in left_out
        }
        numbers = tuple(name for name, is_number in kinds.items() if is_number)
        if not numbers:
            raise DataError(path, "has no column of numbers.")
        if columns is not None:
            return _chosen(path, numbers, columns)
        other = next((name for name, is_number in kinds.items() if not is_number), None)
        if other is not None:
            kind = schema.field(other).type
            raise DataError(
                path, f"has {kind} in column {other!r}, not numbers; --ids names a column of ids."
            )
        return numbers


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    is_number: bool = (
        pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    )
    return is_number


def _opened(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        # With pre-buffering, what was read of all row groups stays in memory.
        return parquet.ParquetFile(path, pre_buffer=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(path, f"is not a parquet file ({error}).") from error


def _chosen(path: Path, names: tuple[str, ...], columns: str | Sequence[str]) -> tuple[str, ...]:
    """Return the columns to read, in the order in which they are named."""
    if not isinstance(columns, str):
        wanted = tuple(columns)
    elif columns.endswith("*"):
        wanted = tuple(name for name in names if name.startswith(columns[:-1])) or (columns,)
    else:
        wanted = (columns,)
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise DataError(path, f"has no column of numbers {unknown[0]!r}.")
    return wanted


def _numbers(path: Path, name: str, column: Any) -> np.ndarray:
    if column.null_count:
        raise DataError(path, f"has no value in column {name!r}.")
    chunks = getattr(column, "chunks", [column])
    return np.concatenate([np.asarray(part.to_numpy(zero_copy_only=False)) for part in chunks])
