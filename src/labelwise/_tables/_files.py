"""Read csv, JSON lines and parquet files as one Arrow table, and find the file and line of a row.

The memory that a parquet file needs is computed before it is decoded.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._extras import require
from labelwise._io import (
    Bound,
    DataError,
    as_utf8,
    bound_of,
    check_lines,
    first_line,
    plain_ending,
    read_bytes,
    reading,
    warn_of_assumption,
)
from labelwise._tables._csv_text import SEPARATORS, CsvText, with_decimal_commas
from labelwise._tables._ids import ROW_NAMES
from labelwise._tables._json_lines import JsonLines
from labelwise._tables._values import as_written, check_width
from labelwise._text import listed

TABLE_ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
# Bytes that Arrow needs for a value of a nested column or of text: an index and offsets.
_PLACE_BYTES = 12


class Tables:
    """Files with the same columns as one table, with the file and line of each row.

    Columns are numbers, booleans, text, lists, or empty structs instead of objects; a column
    without any value is numbers.
    """

    def __init__(
        self, paths: Sequence[str | Path], as_text: Collection[str], max_bytes: int | None
    ) -> None:
        require("pyarrow", "a file of a table")
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


def read_frame(path: str | Path, as_text: Collection[str], max_bytes: int | None = None) -> Any:
    """Read a csv, JSON lines or parquet file as an Arrow table, without encoding any column.

    Columns are numbers, booleans, lists or text; those named in `as_text` are text in any case.
    """
    with reading(path, max_bytes):
        return Tables([path], {*as_text, *ROW_NAMES}, max_bytes).table


class _TableFile:
    """A file of csv, JSON lines or parquet, plain or gzip, read whole."""

    def __init__(self, bound: Bound, as_text: Collection[str]) -> None:
        import pyarrow as pa

        self.bound, self.path = bound, bound.path
        self.assumed: list[str] = []
        path = bound.path
        content = read_bytes(path, bound.max_bytes)
        if not content or content.isspace():
            raise DataError(path, "is empty.")
        self.csv: CsvText | None = None
        self.json: JsonLines | None = None
        # A csv file may name its first column PAR1.
        is_parquet = (
            content.startswith(b"PAR1") and content[4:5].decode("latin-1") not in SEPARATORS
        )
        try:
            if is_parquet:
                table = read_parquet(bound, content)
            elif plain_ending(path) == ".jsonl":
                self.json = JsonLines(bound, self._utf8(content))
                table = self.json.table()
            else:
                self.csv = self._csv(self._utf8(content))
                table = self.csv.table(as_text)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._unreadable(error) from error
        self._check(table)
        bound.check(decoded_bytes(table), "its text")
        if self.csv is not None:
            table = self._with_numbers(table, self.csv.delimiter, as_text)
        columns = [self._plain(table, name, name in as_text) for name in table.column_names]
        self.table = pa.table(columns, names=table.column_names)

    def fault(self, problem: str, row: int) -> DataError:
        """Return the error of a row: parquet has no lines, and counts rows from 1."""
        if self.json is not None:
            return self.json.fault(problem, row)
        if self.csv is not None:
            return DataError(self.path, problem, self.csv.line_of(row))
        return DataError(self.path, f"row {row + 1} {problem}")

    def warn_of_assumptions(self) -> None:
        """Warn of a separator, an encoding or a decimal comma that are not the usual ones."""
        if self.assumed:
            warn_of_assumption(self.path, f"read with {', '.join(self.assumed)}")

    def _utf8(self, content: bytearray) -> bytearray:
        utf8, encoding = as_utf8(self.bound, content)
        check_lines(self.path, utf8)
        if encoding is not None:
            self.assumed.append(f"encoding {encoding}")
        return utf8

    def _csv(self, utf8: bytearray) -> CsvText:
        """Return the text, having checked that its columns and cells are not too many."""
        try:
            text = CsvText(utf8)
        except csv.Error as error:
            problem = f"has a column name of more than {csv.field_size_limit():,} characters."
            raise DataError(self.path, problem) from error
        check_width(self.path, text.n_columns)
        self.bound.check(text.n_cells * 8, "its cells")
        usual = "\t" if plain_ending(self.path) == ".tsv" else ","
        if text.delimiter != usual and text.n_columns > 1:
            self.assumed.insert(0, f"separator {SEPARATORS[text.delimiter]}")
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
        fault = None if self.csv is None else self.csv.fault()
        if fault is not None:
            return DataError(self.path, *fault)
        return DataError(self.path, f"cannot be read ({first_line(error)}).")

    def _check(self, table: Any) -> None:
        name, times = next(iter(Counter(table.column_names).most_common(1)), ("", 1))
        if times > 1:
            raise DataError(self.path, f"has {times} columns named {name!r}.")
        if table.num_rows == 0:
            raise DataError(self.path, "has no rows.")
        line = None if self.csv is None else self.csv.open_quote()
        if line is not None:
            raise DataError(self.path, "has a quote that is never closed.", line)

    def _plain(self, table: Any, name: str, as_text: bool) -> Any:
        """Return a column as one of the few types that `Tables` promises."""
        import pyarrow as pa

        column, types = decoded(table.column(name)), pa.types
        if column.null_count == len(column) and column.type != pa.struct([]):
            # Nothing says what it is: the other file may.
            return pa.nulls(len(column), pa.string() if as_text else pa.null())
        kind = column.type
        if types.is_list(kind) or types.is_large_list(kind) or kind == pa.struct([]):
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


def read_parquet(bound: Bound, content: bytearray) -> Any:
    """Return the table of a parquet file, with text columns dictionary-encoded.

    parquet stores a run of equal values once, so a few bytes may represent any number of rows. The
    footer contains the number of rows, and dictionary encoding avoids copies of the text.
    """
    import pyarrow as pa
    from pyarrow import parquet

    source = pa.BufferReader(pa.py_buffer(content))
    with parquet.ParquetFile(source) as file:
        metadata, schema = file.metadata, file.schema
        check_width(bound.path, metadata.num_columns)
        bound.check(_table_bytes(file), "its columns")
    leaves = [schema.column(number) for number in range(metadata.num_columns)]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    with parquet.ParquetFile(source, metadata=metadata, read_dictionary=texts) as file:
        table = file.read()
    # Text that is not UTF-8 would be found out only when it is used.
    table.validate(full=True)
    return table


def decoded_bytes(table: Any) -> int:
    """Return the bytes that the text of a table takes without dictionary encoding."""
    from pyarrow import compute as pc

    n_bytes = 0
    for column in table.columns:
        for chunk in column.chunks:
            values = _innermost(chunk)
            if _is_coded_text(values.type):
                lengths = pc.binary_length(values.dictionary)
                n_bytes += pc.sum(pc.take(lengths, values.indices)).as_py() or 0
    return n_bytes


def decoded(column: Any) -> Any:
    """Return a column without dictionary encoding; lists stay lists."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if pa.types.is_list(kind) and pa.types.is_dictionary(kind.value_type):
        return column.cast(pa.list_(kind.value_type.value_type))
    if pa.types.is_large_list(kind) and pa.types.is_dictionary(kind.value_type):
        return column.cast(pa.large_list(kind.value_type.value_type))
    return column


def _innermost(array: Any) -> Any:
    """Return the values inside of lists."""
    import pyarrow as pa

    while pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        array = array.values
    return array


def _is_coded_text(kind: Any) -> bool:
    import pyarrow as pa

    if not pa.types.is_dictionary(kind):
        return False
    of = kind.value_type
    return bool(
        pa.types.is_string(of)
        or pa.types.is_large_string(of)
        or pa.types.is_binary(of)
        or pa.types.is_large_binary(of)
    )


def _table_bytes(file: Any) -> float:
    """Return the bytes of the columns by the footer: values times their width, or their pages."""
    metadata, kinds = file.metadata, file.schema_arrow.types
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    n_rows = sum(group.num_rows for group in groups)
    n_bytes = n_rows * sum(_value_bytes(kind) for kind in kinds)
    n_bytes += _PLACE_BYTES * _n_nested_values(file, groups)
    n_page_bytes: int = sum(group.total_byte_size for group in groups)
    return max(float(n_bytes), n_page_bytes)


def _n_nested_values(file: Any, groups: Sequence[Any]) -> int:
    """Count the values inside lists, of which a row may have any number."""
    leaves = [file.schema.column(number) for number in range(file.metadata.num_columns)]
    nested = [number for number, leaf in enumerate(leaves) if leaf.max_repetition_level]
    if not nested:
        return 0
    # To ask a damaged footer about a column ends the process, unless the column was found to be
    # whole before. Scanning decodes it in little memory, and raises an error if it is not.
    file.scan_contents(columns=nested)
    return sum(group.column(number).num_values for group in groups for number in nested)


def _value_bytes(kind: Any) -> float:
    try:
        return kind.bit_width / 8  # type: ignore[no-any-return]
    except ValueError:  # text, lists and so on
        return _PLACE_BYTES
