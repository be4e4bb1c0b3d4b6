"""Parse csv text with Arrow, and find its separator, decimal commas and the lines of errors."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from labelwise._tables._values import MISSING_NUMBERS

_BLOCK = 2**20
# Characters after the first line of a header in which a quoted name may end.
_MOST_ADDED = 2**16
_END = "the end of the text"
# Separators of columns, and how messages write them.
SEPARATORS = {",": "','", ";": "';'", "\t": "tab"}


class CsvText:
    """Text in UTF-8 with a header, whose columns are separated by one of `SEPARATORS`."""

    def __init__(self, utf8: bytearray) -> None:
        self.utf8 = utf8
        unquoted = "".join(self._header().split('"')[::2])
        self.delimiter = max(SEPARATORS, key=unquoted.count)
        self.n_columns = 0
        with suppress(StopIteration):
            self.n_columns = len(next(self._records())[1])

    @property
    def n_cells(self) -> int:
        """Upper bound of the number of cells; separators inside quotes are counted too."""
        return self.utf8.count(self.delimiter.encode()) + self.utf8.count(b"\n") + 1

    def table(self, as_text: Collection[str]) -> Any:
        """Return the Arrow table; named columns are text, the types of others are inferred."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        try:
            types = _types(self._schema(), as_text)
            return arrow_csv.read_csv(self._stream(), **self._options(_BLOCK, types))
        except pa.ArrowInvalid:
            # A row longer than a block, or other kinds of values than in the first block: to
            # look at all rows at once takes more memory.
            whole = min(len(self.utf8) + 1, 2**31 - 1)
            seen = arrow_csv.read_csv(self._stream(), **self._options(whole))
            types = _types(seen.schema, as_text)
            return arrow_csv.read_csv(self._stream(), **self._options(whole, types))

    def _schema(self) -> Any:
        """Return the columns and their types by the first block."""
        from pyarrow import csv as arrow_csv

        if len(self.utf8) < _BLOCK:
            # `open_csv` starts threads that read ahead; a process that ends soon after may be
            # aborted by them (apache/arrow issue 39862).
            return arrow_csv.read_csv(self._stream(), **self._options(_BLOCK)).schema
        with arrow_csv.open_csv(self._stream(), **self._options(_BLOCK)) as first_block:
            return first_block.schema

    def _stream(self) -> Any:
        import pyarrow as pa

        return pa.BufferReader(pa.py_buffer(self.utf8))

    def _options(self, block: int, types: dict[str, Any] | None = None) -> dict[str, Any]:
        from pyarrow import csv as arrow_csv

        form = arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        values = arrow_csv.ConvertOptions(column_types=types, null_values=MISSING_NUMBERS)
        # Threads read far ahead, and blocks that wait for conversion fill the memory.
        blocks = arrow_csv.ReadOptions(block_size=block, use_threads=False)
        return {"read_options": blocks, "parse_options": form, "convert_options": values}

    # The csv module refuses cells beyond a size that Arrow reads: then the line stays unknown.

    def line_of(self, row: int) -> int | None:
        """Return the line on which a row begins, None if it is unknown."""
        with suppress(csv.Error):
            return next(islice(self._records(), row + 1, None))[0]
        return None

    def fault(self) -> tuple[str, int] | None:
        """Return what is wrong with the form of the text, and on which line, if anything is."""
        with suppress(csv.Error):
            records = self._records()
            line, header = next(records, (1, []))
            for line, record in records:
                if len(record) != len(header):
                    problem = f"has {len(record)} values where the header has {len(header)}."
                    return problem, line
            if line == 1:
                return "has no rows.", line
        return None

    def open_quote(self) -> int | None:
        """Return the line of a cell whose quotes are never closed, None if there is none."""
        if self.utf8.count(b'"') % 2:
            with suppress(csv.Error):
                # Inside quotes the added line is not a record of its own.
                line, record = deque(self._records(ending=["\n", _END]), maxlen=1)[0]
                return None if record == [_END] else line
        return None

    def _records(self, ending: Collection[str] = ()) -> Iterator[tuple[int, list[str]]]:
        """Yield each record with the line on which it begins; empty lines are skipped."""
        reader = csv.reader(chain(self._lines(), ending), delimiter=self.delimiter)
        line = 1
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1

    def _header(self) -> str:
        """Return the first line that is not empty, with the lines in which its quotes end."""
        lines = filter(str.strip, self._lines())
        first = header = next(lines, "")
        is_open = first.count('"') % 2 == 1
        while is_open and len(header) < len(first) + _MOST_ADDED:
            line = next(lines, None)
            if line is None:
                return first
            header += line
            is_open ^= line.count('"') % 2 == 1
        return first if is_open else header

    def _lines(self) -> Iterator[str]:
        return io.TextIOWrapper(self._stream(), encoding="utf-8-sig", newline="")


def _types(schema: Any, as_text: Collection[str]) -> dict[str, Any]:
    """Return the types to read columns with: dates as text, whole numbers as floats."""
    import pyarrow as pa

    as_number = {pa.int64(): pa.float64(), pa.null(): pa.float64()}
    kept = {pa.bool_(), pa.float64()}
    return {
        field.name: pa.string()
        if field.name in as_text
        else as_number.get(field.type, field.type if field.type in kept else pa.string())
        for field in schema
    }


def with_decimal_commas(column: Any) -> Any:
    """Return a text column as numbers, None unless all cells are and one has a decimal comma.

    The column is converted by chunks: text stops at its first chunk, and copies stay small.
    """
    import pyarrow as pa
    from pyarrow import compute as pc

    if not pc.any(pc.match_substring(column, ",")).as_py():
        return None
    parts = []
    for chunk in column.chunks:
        if pc.any(pc.match_substring(chunk, ".")).as_py():
            return None
        try:
            parts.append(pc.replace_substring(_known(chunk), ",", ".").cast(pa.float64()))
        except pa.ArrowInvalid:
            return None
    return pa.chunked_array(parts, pa.float64())


def _known(chunk: Any) -> Any:
    """Return text without blanks around it, null where a number is missing."""
    import pyarrow as pa
    from pyarrow import compute as pc

    texts = pc.utf8_trim_whitespace(chunk)
    return pc.if_else(pc.is_in(texts, value_set=pa.array(MISSING_NUMBERS)), None, texts)
