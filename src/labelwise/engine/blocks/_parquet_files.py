"""Rows of a parquet file, or of all parquet files of a folder in the order of their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError

# Columns of row names, which are no labels; pandas writes the last one.
_ROW_NAMES = ("id", "Id", "ID", "row", "Row", "", "__index_level_0__")
# Rows that are decoded together: a column of them is a page or two.
_DECODED = 2**16


def parquet_parts(path: Path) -> list[Path]:
    """Return the parquet files of a path, sorted by name; an empty list if it has none."""
    if path.is_dir():
        return sorted(path.glob("*.parquet"))
    return [path] if path.suffix.lower() == ".parquet" else []


class ParquetFiles:
    """Rows of parquet files with the same columns; columns of text and row names are left out.

    `columns` are the names of those to read, or a prefix with a star; None means all.
    """

    def __init__(
        self, path: Path, parts: Sequence[Path], columns: str | Sequence[str] | None = None
    ) -> None:
        self._path, self._parts = path, parts
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
        self._n_rows = sum(self.chunk_sizes(0))
        names = _labels_of(path, schemas[0])
        for part, schema in zip(parts, schemas, strict=True):
            if _labels_of(part, schema) != names:
                raise DataError(part, f"has other columns than {parts[0].name}.")
        self.names: tuple[str, ...] | None = _chosen(path, names, columns)
        kinds = [
            schema.field(name).type.to_pandas_dtype() for schema in schemas for name in self.names
        ]
        self._dtype = np.result_type(*kinds)
        self._row_names = next((name for name in _ROW_NAMES if name in schemas[0].names), None)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self._n_rows, len(self.names or ())

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers: the widest of all columns."""
        return self._dtype

    @property
    def row_bytes(self) -> int:
        """Bytes of a row in memory."""
        return self._dtype.itemsize * self.shape[1]

    def chunk_sizes(self, n_together: int) -> list[int]:  # noqa: ARG002
        """Return the rows of each row group, which can be decoded by itself."""
        return [n_rows for _, _, n_rows in self._groups]

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Return some rows; the row groups that have any of them are decoded."""
        names = list(self.names or ())
        found, first = np.empty((stop - start, len(names)), self._dtype), 0
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
        block = np.empty((n_together, len(names)), self._dtype)
        n_filled = 0
        for batch in self._batches(names, n_together):
            taken = 0
            while taken < batch.num_rows:
                n_here = min(n_together - n_filled, batch.num_rows - taken)
                piece = batch.slice(taken, n_here)
                for j, name in enumerate(names):
                    block[n_filled : n_filled + n_here, j] = _numbers(self._path, name, piece[j])
                n_filled, taken = n_filled + n_here, taken + n_here
                if n_filled == n_together:
                    yield block
                    block, n_filled = np.empty_like(block), 0
        if n_filled:
            yield block[:n_filled]

    def row_names(self) -> Iterator[Any]:
        """Yield arrow arrays of the names of all rows in order; nothing if rows have no names."""
        import pyarrow as pa

        if self._row_names is None:
            return
        for batch in self._batches([self._row_names], _DECODED):
            yield batch.column(0).cast(pa.string()).fill_null("")

    def _batches(self, names: list[str], n_together: int) -> Iterator[Any]:
        for part in self._parts:
            with _opened(part) as file:
                yield from file.iter_batches(min(n_together, _DECODED), columns=names)


def _opened(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        # With pre-buffering, what was read of all row groups stays in memory.
        return parquet.ParquetFile(path, pre_buffer=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(path, f"is no parquet file ({error}).") from error


def _labels_of(path: Path, schema: Any) -> tuple[str, ...]:
    """Return the columns of numbers; a first or last column of row names or text is none."""
    import pyarrow as pa

    is_number = [
        pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
        for kind in schema.types
    ]
    names = [
        name
        for name, number in zip(schema.names, is_number, strict=True)
        if number and name not in _ROW_NAMES
    ]
    if not names:
        raise DataError(path, "has no column of numbers.")
    return tuple(names)


def _chosen(
    path: Path, names: tuple[str, ...], columns: str | Sequence[str] | None
) -> tuple[str, ...]:
    """Return the columns to read, in the order in which they are named."""
    if columns is None:
        return names
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
