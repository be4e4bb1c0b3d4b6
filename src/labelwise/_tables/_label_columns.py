"""Label columns of a table: one of 0 and 1 for each label, or one of label names."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._io import TEXT_BYTES, DataError, warn_of_assumption
from labelwise._tables._encoding import encode
from labelwise._tables._files import Tables
from labelwise._tables._values import (
    GAP,
    MISSING,
    NOT_BINARY,
    arrow_texts,
    binary_value,
    numpy_column,
)
from labelwise._text import quoted
from labelwise._validation import with_nan

# In the order in which they are tried; the first one is also assumed if none occurs.
_SEPARATORS = (";", "|", ",")
# For each name its offsets, its row and its number.
_NAME_BYTES = 32
# Numbers keep their text.
_JSON = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)
# Text in quotes, up to the end if they are never closed. Possessive: no cell takes long.
_QUOTED = re.compile(r"""'(?:[^'\\]++|\\.?+)*+(?:'|\Z)|"(?:[^"\\]++|\\.?+)*+(?:"|\Z)""", re.DOTALL)
_ESCAPE = re.compile(r"""\\(?:x([0-9a-fA-F]{2})|(.?))|\"""", re.DOTALL)


def names_with_prefix(tables: Tables, prefix: str) -> list[str]:
    """Return the columns whose names begin with the prefix; raise an error if there is none."""
    names = [name for name in tables.names if name.startswith(prefix)]
    if not names:
        raise DataError(tables.files[0].path, f"has no column that begins with {prefix!r}.")
    return names


def from_columns(tables: Tables, names: Sequence[str]) -> sparse.csc_array | None:
    """Return the matrix of columns of 0 and 1, None if every cell is missing.

    If some cells are missing, the matrix is float64 with NaN stored in these cells.
    """
    positives, gaps, n_stored = [], [], 0
    for name in names:
        cells = _binary_cells(tables, name)
        positives.append(np.flatnonzero(cells == 1))
        gaps.append(np.flatnonzero(cells < 0))
        n_stored += positives[-1].size + gaps[-1].size
        tables.bound.check(n_stored * 16, "its labels")
    missing = _matrix_of(gaps, tables.n_rows)
    if missing.nnz == tables.n_rows * len(names):
        return None
    _warn_of_missing(tables, missing.nnz)
    return with_nan(_matrix_of(positives, tables.n_rows), missing)


def _warn_of_missing(tables: Tables, n_missing: int) -> None:
    if n_missing:
        cells = "1 missing label" if n_missing == 1 else f"{n_missing:,} missing labels"
        assumption = f"read with {cells}, for which a row has no value"
        warn_of_assumption(tables.files[0].path, assumption)


def _matrix_of(rows: Sequence[np.ndarray], n_rows: int) -> sparse.csc_array:
    """Return the boolean matrix of which each column has some rows."""
    indptr = np.cumsum([0, *(of_column.size for of_column in rows)])
    indices = np.concatenate([np.zeros(0, dtype=np.intp), *rows])
    ones = np.ones(indices.size, dtype=bool)
    return sparse.csc_array((ones, indices, indptr), shape=(n_rows, len(rows)))


def _binary_cells(tables: Tables, name: str) -> np.ndarray:
    """Return 0, 1, or -1 where the label is missing."""
    column = tables.column(name)
    if _is_list(column):
        raise DataError(tables.files[0].path, f"has lists in column {name!r}, not 0 and 1.")
    encoded = column.dictionary_encode().combine_chunks()
    found = encoded.dictionary.to_pylist()
    # The last entry is for null, which has the index -1.
    meant = np.array([*(binary_value(value) for value in found), GAP])
    cells: np.ndarray = meant[numpy_column(encoded.indices, np.int32, missing=-1)]
    wrong = np.flatnonzero(cells == NOT_BINARY)
    if wrong.size:
        value = column[int(wrong[0])].as_py()
        raise tables.fault(f"has {value!r} for label {name!r}, not 0 or 1.", int(wrong[0]))
    return cells


def zeros_and_ones(tables: Tables, name: str) -> np.ndarray | None:
    """Return a column of yes and no, true and false or 1 and 0 as float64, NaN for gaps.

    None if it has other values.
    """
    if not is_binary(tables, name):
        return None
    cells = _binary_cells(tables, name)
    return np.where(cells == GAP, np.nan, cells)


def is_binary(tables: Tables, name: str) -> bool:
    """Return whether a text column has a 0 or 1 and nothing else beside gaps."""
    column = tables.column(name)
    values = [] if _is_list(column) else column.unique().drop_null().to_pylist()
    meant = set(map(binary_value, values))
    return bool(meant - {GAP}) and NOT_BINARY not in meant


def from_sets(
    tables: Tables, name: str, separator: str | None
) -> tuple[sparse.csc_array | None, list[str]]:
    """Return the matrix of a column of label names, None if no row has any, and the names.

    The labels of a row without a value are missing: the matrix is then float64 with NaN.
    """
    from pyarrow import compute as pc

    column = tables.column(name)
    gaps = _booleans(column.is_null())
    if not _is_list(column):
        gaps |= _booleans(pc.is_in(pc.utf8_trim_whitespace(column), arrow_texts(["?"])))
    lists = lists_of_names(tables, name, separator)
    rows = numpy_column(pc.list_parent_indices(lists.combine_chunks()), np.int64, missing=-1)
    members = encode(pc.utf8_trim_whitespace(pc.list_flatten(lists)))
    if not members.values:
        return None, []
    kept = members.numbers >= 0
    places = rows[kept], members.numbers[kept]
    ones = np.ones(places[0].size, dtype=bool)
    shape = (tables.n_rows, len(members.values))
    Y = sparse.csc_array((ones, places), shape=shape)
    # Nothing is known about the labels of a row without a value.
    without = np.flatnonzero(gaps)
    tables.bound.check(without.size * len(members.values) * 16, "its labels")
    _warn_of_missing(tables, without.size * len(members.values))
    return with_nan(Y, _matrix_of([without] * len(members.values), tables.n_rows)), members.values


def _booleans(column: Any) -> np.ndarray:
    return numpy_column(column.cast("uint8"), np.uint8, missing=0) > 0


def _is_list(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_nested(column.type))


def lists_of_names(tables: Tables, name: str, separator: str | None) -> Any:
    """Return a column as lists of text; how they are written is found if `separator` is None."""
    import pyarrow as pa
    from pyarrow import compute as pc

    column = tables.column(name)
    if pa.types.is_nested(column.type):
        if pa.types.is_list(column.type) and pa.types.is_list(column.type.field(0).type):
            # Labels of the parts of a row, such as its sentences, are labels of the row.
            rows = [
                None if row is None else [name for part in row for name in part or ()]
                for row in column.to_pylist()
            ]
            column = pa.chunked_array([pa.array(rows, pa.list_(pa.string()))])
        if column.type.num_fields != 1 or pa.types.is_nested(column.type.field(0).type):
            problem = f"has objects, or lists in lists or beside others, in column {name!r}."
            raise DataError(tables.files[0].path, problem)
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
    "".join(found).encode()  # Half of a pair of surrogates is not text.
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
