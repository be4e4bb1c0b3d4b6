"""Columns of label names: find how the names are written, and split cells into lists."""

from __future__ import annotations

import json
import re
from typing import Any

from labelwise._columns import MISSING
from labelwise._io import TEXT_BYTES, warn_of_assumption
from labelwise._text import quoted
from labelwise.data.table._files import Tables

# In the order in which they are tried; the first one is also assumed if none occurs.
_SEPARATORS = (";", "|", ",")
# For each name its offsets, its row and its number.
_NAME_BYTES = 32
# Numbers keep their text.
_JSON = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)
# Text in quotes, up to the end if they are never closed. Possessive: no cell takes long.
_QUOTED = re.compile(r"""'(?:[^'\\]++|\\.?+)*+(?:'|\Z)|"(?:[^"\\]++|\\.?+)*+(?:"|\Z)""", re.DOTALL)
_ESCAPE = re.compile(r"""\\(?:x([0-9a-fA-F]{2})|(.?))|\"""", re.DOTALL)


def lists_of_names(tables: Tables, name: str, separator: str | None) -> Any:
    """Return a column as lists of text; how they are written is found if `separator` is None."""
    import pyarrow as pa
    from pyarrow import compute as pc

    column = tables.column(name)
    if pa.types.is_nested(column.type):
        n_names = pc.sum(pc.list_value_length(column)).as_py() or 0
        tables.bound.check(n_names * _NAME_BYTES, "the names of its labels")
        return column.cast(pa.large_list(pa.string()))
    if separator is None and _are_lists(column):
        return _from_json(tables, name)
    if separator is None:
        separator = _separator_in(column)
        if separator != _SEPARATORS[0]:
            assumption = f"read with separator {separator!r} between the names in {quoted(name)}"
            warn_of_assumption(tables.files[0].path, assumption)
    _check_size(tables, column, separator, _NAME_BYTES)
    return pc.split_pattern(column, separator)


def _are_lists(column: Any) -> bool:
    """Return whether every cell that is not missing begins with a bracket."""
    import pyarrow as pa
    from pyarrow import compute as pc

    found = False
    for chunk in column.chunks:
        cells = pc.utf8_ltrim_whitespace(chunk)
        is_known = pc.invert(pc.is_in(cells, value_set=pa.array([*MISSING, None], pa.string())))
        begins = pc.starts_with(cells.filter(is_known), "[")
        if not pc.all(begins).as_py():
            return False
        found = found or len(begins) > 0
    return found


def _separator_in(column: Any) -> str:
    """Return the first separator that occurs in any cell."""
    from pyarrow import compute as pc

    occurring = (mark for mark in _SEPARATORS if pc.any(pc.match_substring(column, mark)).as_py())
    return next(occurring, _SEPARATORS[0])


def _check_size(tables: Tables, column: Any, separator: str, n_bytes: int) -> None:
    """Refuse more names in all than the bound allows."""
    from pyarrow import compute as pc

    n_names = tables.n_rows + (pc.sum(pc.count_substring(column, separator)).as_py() or 0)
    tables.bound.check(n_names * n_bytes, "the names of its labels")


def _from_json(tables: Tables, name: str) -> Any:
    import pyarrow as pa

    column = tables.column(name)
    _check_size(tables, column, ",", _NAME_BYTES + TEXT_BYTES)
    warn_of_assumption(tables.files[0].path, f"read with lists of names in {quoted(name)}")

    def names(row: int, cell: str | None) -> list[str] | None:
        try:
            return None if cell is None else _names_in(cell)
        except (ValueError, RecursionError) as error:
            problem = f"has {quoted(cell)} for the labels {quoted(name)}, not a list of names."
            raise tables.fault(problem, row) from error

    rows = (names(row, cell.as_py()) for row, cell in enumerate(column))
    return pa.chunked_array([pa.array(rows, pa.large_list(pa.string()), size=len(column))])


def _names_in(cell: str) -> list[str]:
    """Return the names in a list that is written as in JSON or in Python."""
    if cell.strip() in MISSING:
        return []
    try:
        found = _JSON.decode(cell)
    except ValueError:
        found = _JSON.decode(_QUOTED.sub(_as_json, cell))
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ValueError("not a list of names")
    "".join(found).encode()  # Half of a pair of surrogates is no text.
    return found


def _as_json(text: re.Match[str]) -> str:
    """Return text in quotes of Python as JSON writes it."""
    return f'"{_ESCAPE.sub(_escape_as_json, text[0][1:-1])}"'


def _escape_as_json(escape: re.Match[str]) -> str:
    if escape[0] == '"':
        return r"\""
    if escape[1] is not None:
        return rf"\u00{escape[1]}"
    return "'" if escape[2] == "'" else escape[0]
