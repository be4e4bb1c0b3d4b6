"""Label columns of a table: one of 0 and 1 for each label, or one of label names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._columns import GAP, NOT_BINARY, binary_value, encode
from labelwise._io import DataError, arrow_texts, numpy_column, warn_of_assumption
from labelwise._validation import with_nan
from labelwise.data.table._files import Tables
from labelwise.data.table._label_names import lists_of_names


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
