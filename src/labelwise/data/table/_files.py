"""Read csv and parquet files as one Arrow table, and find the file and line of a row."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._columns import as_written
from labelwise._io import (
    Bound,
    DataError,
    as_utf8,
    bound_of,
    check_lines,
    first_line,
    read_bytes,
    warn_of_assumption,
)
from labelwise._text import listed
from labelwise.data.table._csv_text import SEPARATORS, CsvText
from labelwise.data.table._decimal_commas import with_decimal_commas
from labelwise.data.table._parquet import check_width, decoded, decoded_bytes, read_parquet


class Tables:
    """Files with the same columns as one table, with the file and line of each row.

    Columns are numbers, booleans, text or lists; a column without any value is numbers.
    """

    def __init__(
        self, paths: Sequence[str | Path], as_text: Collection[str], max_bytes: int | None
    ) -> None:
        import pyarrow as pa

        self.files = [_TableFile(bound_of(path, max_bytes), as_text) for path in paths]
        self.bound = max((file.bound for file in self.files), key=lambda bound: bound.max_bytes)
        for file in self.files:
            file.warn_of_assumptions()
        for file in self.files[1:]:
            _check_same_columns(self.files[0], file)
        self.ends = np.cumsum([file.table.num_rows for file in self.files])
        self.names: list[str] = self.files[0].table.column_names
        self.known = set(self.names)
        parts = [file.table.select(self.names) for file in self.files]
        table = pa.concat_tables(parts, promote_options="permissive")
        n_empty = table.schema.types.count(pa.null())
        self.bound.check(table.num_rows * n_empty * 8, "its columns without values")
        kinds = [pa.float64() if kind == pa.null() else kind for kind in table.schema.types]
        self.table = table.cast(pa.schema(zip(self.names, kinds, strict=True)))
        self.n_rows: int = self.table.num_rows

    def column(self, name: str) -> Any:
        """Return a column by name, or raise an error if there is none of that name."""
        if name not in self.known:
            raise DataError(
                self.files[0].path, f"has no column {name!r}, but {listed(self.names, 8)}."
            )
        return self.table.column(name)

    def file_of(self, rows: Any) -> Any:
        """Return the number of the file of each row."""
        return np.searchsorted(self.ends, rows, side="right")

    def fault(self, problem: str, row: int) -> DataError:
        """Return the error for a row, with its file and line."""
        number = int(self.file_of(row))
        first = int(self.ends[number - 1]) if number else 0
        return self.files[number].fault(problem, row - first)


class _TableFile:
    """A csv or parquet file, plain or gzip, read whole."""

    def __init__(self, bound: Bound, as_text: Collection[str]) -> None:
        import pyarrow as pa

        self.bound, self.path = bound, bound.path
        self.assumed: list[str] = []
        path = bound.path
        content = read_bytes(path, bound.max_bytes)
        if not content or content.isspace():
            raise DataError(path, "is empty.")
        # A csv file may name its first column PAR1.
        is_parquet = (
            content.startswith(b"PAR1") and content[4:5].decode("latin-1") not in SEPARATORS
        )
        self.text = None if is_parquet else self._csv(content)
        try:
            table = read_parquet(bound, content) if self.text is None else self.text.table(as_text)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._unreadable(error) from error
        self._check(table)
        bound.check(decoded_bytes(table), "its text")
        if self.text is not None:
            table = self._with_numbers(table, self.text.delimiter, as_text)
        columns = [self._plain(table, name, name in as_text) for name in table.column_names]
        self.table = pa.table(columns, names=table.column_names)

    def fault(self, problem: str, row: int) -> DataError:
        """Return the error of a row: parquet has no lines, and counts rows from 1."""
        if self.text is None:
            return DataError(self.path, f"row {row + 1} {problem}")
        return DataError(self.path, problem, self.text.line_of(row))

    def warn_of_assumptions(self) -> None:
        """Warn of a separator, an encoding or a decimal comma that are not the usual ones."""
        if self.assumed:
            warn_of_assumption(self.path, f"read with {', '.join(self.assumed)}")

    def _csv(self, content: bytearray) -> CsvText:
        """Return the text, having checked that its columns and cells are not too many."""
        utf8, encoding = as_utf8(self.bound, content)
        check_lines(self.path, utf8)
        try:
            text = CsvText(utf8)
        except csv.Error as error:
            problem = f"has a column name of more than {csv.field_size_limit():,} characters."
            raise DataError(self.path, problem) from error
        check_width(self.path, text.n_columns)
        self.bound.check(text.n_cells * 8, "its cells")
        is_tsv = Path(self.path).name.lower().removesuffix(".gz").endswith(".tsv")
        if text.delimiter != ("\t" if is_tsv else ",") and text.n_columns > 1:
            self.assumed.append(f"separator {SEPARATORS[text.delimiter]}")
        if encoding is not None:
            self.assumed.append(f"encoding {encoding}")
        return text

    def _with_numbers(self, table: Any, delimiter: str, as_text: Collection[str]) -> Any:
        """Return the table with text columns of decimal commas as numbers."""
        import pyarrow as pa

        converted = []
        for place, field in enumerate(table.schema):
            is_read = delimiter != "," and field.type == pa.string() and field.name not in as_text
            numbers = with_decimal_commas(table.column(place)) if is_read else None
            if numbers is not None:
                table = table.set_column(place, field.name, numbers)
                converted.append(field.name)
        if converted:
            self.assumed.append(f"decimal comma in {listed(converted)}")
        return table

    def _unreadable(self, error: Exception) -> DataError:
        fault = None if self.text is None else self.text.fault()
        if fault is not None:
            return DataError(self.path, *fault)
        return DataError(self.path, f"cannot be read ({first_line(error)}).")

    def _check(self, table: Any) -> None:
        name, times = next(iter(Counter(table.column_names).most_common(1)), ("", 1))
        if times > 1:
            raise DataError(self.path, f"has {times} columns named {name!r}.")
        if table.num_rows == 0:
            raise DataError(self.path, "has no rows.")
        line = None if self.text is None else self.text.open_quote()
        if line is not None:
            raise DataError(self.path, "has a quote that is never closed.", line)

    def _plain(self, table: Any, name: str, as_text: bool) -> Any:
        """Return a column as one of the few types that `Tables` promises."""
        import pyarrow as pa

        column, types = decoded(table.column(name)), pa.types
        if column.null_count == len(column):
            # Nothing says what it is: the other file may.
            return pa.nulls(len(column), pa.string() if as_text else pa.null())
        kind = column.type
        if types.is_list(kind) or types.is_large_list(kind):
            return column
        is_number = types.is_integer(kind) or types.is_floating(kind)
        if not as_text and (is_number or types.is_boolean(kind) or types.is_null(kind)):
            return column
        try:
            is_number = types.is_decimal(kind) and not as_text
            return column.cast(pa.float64()) if is_number else as_written(column)
        except pa.ArrowException as error:
            problem = f"has {kind} in column {name!r}, which is neither numbers nor text."
            raise DataError(self.path, problem) from error


def _check_same_columns(first: _TableFile, other: _TableFile) -> None:
    """Refuse a second file that lacks columns, has others, or other kinds of values."""
    import pyarrow as pa

    names, others = first.table.column_names, other.table.column_names
    for name in sorted(set(names) - set(others)):
        raise DataError(other.path, f"has no column {name!r}, which is in {first.path}.")
    for name in sorted(set(others) - set(names)):
        raise DataError(other.path, f"has a column {name!r}, which is not in {first.path}.")
    for name in names:
        kinds = [file.table.schema.field(name) for file in (first, other)]
        try:
            pa.unify_schemas([pa.schema([kind]) for kind in kinds], promote_options="permissive")
        except pa.ArrowTypeError as error:
            problem = (
                f"has {kinds[1].type} in column {name!r}, but {first.path} has {kinds[0].type}."
            )
            raise DataError(other.path, problem) from error
