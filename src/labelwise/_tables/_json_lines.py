"""Read JSON lines, an object for each row, as an Arrow table whose columns are the keys.

A column has numbers, booleans, texts, lists of texts, or lists of such lists. Numbers and booleans
among texts and in lists become text. A key with other values (objects, deeper lists, lists among
single values) is a column of empty structs. A key that an object lacks means a missing value, as
null does, but is refused among numbers and booleans: an absent label may be meant as 0, or as
unknown. A key that an object has twice is refused, as two columns of one name are.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from labelwise._io import Bound, DataError
from labelwise._tables._values import check_width
from labelwise._text import quoted

# Characters of the lines that are parsed together.
_BATCH = 2**20
# Bytes of Python objects for each character of JSON: "[]," becomes 64 bytes.
_GROWTH = 25


class JsonLines:
    """Text in UTF-8 with a JSON object in each line; empty lines are ignored."""

    def __init__(self, bound: Bound, utf8: bytearray) -> None:
        self.bound, self.utf8 = bound, utf8

    def table(self) -> Any:
        """Return the Arrow table, with keys in the order in which they first occur."""
        import pyarrow as pa

        parts: dict[str, list[Any]] = {}
        absent: dict[str, int] = {}  # the first row without the key
        n_rows = 0
        for rows in self._batches():
            for key in dict.fromkeys(chain.from_iterable(rows)):
                if key not in parts:
                    parts[key] = [pa.nulls(n_rows)]
                    absent |= {key: 0} if n_rows else {}
            check_width(self.bound.path, len(parts))
            self.bound.check((n_rows + len(rows)) * len(parts) * 8, "its cells")
            for key, arrays in parts.items():
                arrays.append(_array([row.get(key) for row in rows]))
                if key not in absent and arrays[-1].null_count:
                    lacking = (i for i, row in enumerate(rows, n_rows) if key not in row)
                    absent |= zip([key], lacking, strict=False)
            n_rows += len(rows)
        columns = {key: _joined(arrays) for key, arrays in parts.items()}
        for key, row in absent.items():
            if columns[key].type in (pa.int64(), pa.float64(), pa.bool_()):
                problem = f"has no value for {quoted(key)}: write null if it is missing."
                raise self.fault(problem, row)
        return pa.table(columns)

    def fault(self, problem: str, row: int) -> DataError:
        """Return the error of a row, with its line."""
        line, _ = next(islice(self._lines(), row, None))
        return DataError(self.bound.path, problem, line)

    def _batches(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the objects of a few lines together: not all need to be in memory at once."""
        most = min(_BATCH, self.bound.max_bytes // _GROWTH)
        rows: list[dict[str, Any]] = []
        n_characters = 0
        for number, line in self._lines():
            self.bound.check(len(line) * _GROWTH, "the values of a line")
            if n_characters + len(line) > most:
                yield rows
                rows, n_characters = [], 0
            rows.append(self._object(number, line))
            n_characters += len(line)
        yield rows

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line that is not empty."""
        import pyarrow as pa

        stream = pa.BufferReader(pa.py_buffer(self.utf8))
        lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        return ((number, line) for number, line in enumerate(lines, 1) if not line.isspace())

    def _object(self, number: int, line: str) -> dict[str, Any]:
        try:
            row = _DECODER.decode(line)
            if "\\u" in line:
                # Half of a pair of surrogates is not text.
                json.dumps(row, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise DataError(self.bound.path, "is not JSON.", number) from error
        except KeyError as repeated:
            problem = f"has the key {quoted(repeated.args[0])} twice in an object."
            raise DataError(self.bound.path, problem, number) from repeated
        if not isinstance(row, dict):
            problem = f"must have an object, got {type(row).__name__}."
            raise DataError(self.bound.path, problem, number)
        return row


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of an object, refusing with a KeyError a key that is repeated."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of)
_SINGLE = {str, bool, int, float}


def _array(values: Sequence[Any]) -> Any:
    """Return the values of a key as an Arrow array."""
    import pyarrow as pa

    kinds = _types(values)
    if kinds <= {int, float} or kinds == {bool}:
        # Whole numbers that are too large stay text.
        with suppress(pa.ArrowInvalid, OverflowError):
            return pa.array(values)
    if kinds <= _SINGLE:
        return pa.array(_texts(values), pa.string())
    lists = [value for value in values if value is not None]
    inside = _types(chain.from_iterable(lists)) if kinds == {list} else {dict}
    if inside <= _SINGLE:
        kind = pa.list_(pa.string() if inside else pa.null())
        return pa.array([value and _texts(value) for value in values], kind)
    if inside == {list} and _types(chain.from_iterable(chain.from_iterable(lists))) <= _SINGLE:
        nested = [value and [item and _texts(item) for item in value] for value in values]
        return pa.array(nested, pa.list_(pa.list_(pa.string())))
    return pa.nulls(len(values), pa.struct([]))


def _types(values: Iterable[Any]) -> set[type]:
    return {*map(type, values)} - {type(None)}


def _texts(values: Iterable[Any]) -> list[str | None]:
    """Return single values as text, as JSON writes it."""
    return [
        value if value is None or isinstance(value, str) else json.dumps(value) for value in values
    ]


def _joined(arrays: Sequence[Any]) -> Any:
    """Return the column of all batches, of a type that fits all values."""
    import pyarrow as pa

    kinds = {array.type for array in arrays} - {pa.null()}
    is_list = any(map(pa.types.is_list, kinds))
    if is_list:
        kinds = kinds - {pa.list_(pa.null())} or {pa.list_(pa.string())}
    if pa.struct([]) in kinds or (is_list and len(kinds) > 1):
        n_rows = sum(map(len, arrays))
        return pa.chunked_array([pa.nulls(n_rows, pa.struct([]))])
    if kinds == {pa.int64(), pa.float64()}:
        kinds = {pa.float64()}
    if len(kinds) > 1:
        return pa.chunked_array(
            [pa.array(_texts(array.to_pylist()), pa.string()) for array in arrays]
        )
    kind = next(iter(kinds), pa.null())
    return pa.chunked_array([array.cast(kind) for array in arrays], kind)
