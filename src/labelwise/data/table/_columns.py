"""Turn columns of a table into features: numbers, 0/1 columns of text values, identifiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import SIDE_BYTES, DataError
from labelwise.data.table._files import Tables

MISSING = ("", "?")
# Beyond this many times the width of the table, 0/1 columns of text make X sparse.
_DENSE_GROWTH = 8
_YES = {"yes", "true", "t", "y"}


class Codes(NamedTuple):
    """Text as numbers: the index of each row's value among the distinct ones, -1 if missing."""

    numbers: np.ndarray
    values: list[str]


class Features(NamedTuple):
    """The feature matrix, the names of its columns, and the identifiers, which are not in it."""

    X: Any
    names: list[str]
    ids: dict[str, np.ndarray]


def encode(column: Any) -> Codes:
    """Return a text column as codes, values in sorted order; "" and "?" are missing."""
    encoded = column.dictionary_encode().combine_chunks()
    found = encoded.dictionary.to_pylist()
    values = sorted(value for value in found if value not in MISSING)
    place = {value: number for number, value in enumerate(values)}
    # The last entry is for null, which has the index -1.
    numbers = np.array([*(place.get(value, -1) for value in found), -1], dtype=np.int32)
    return Codes(numbers[encoded.indices.fill_null(-1).to_numpy()], values)


def texts(column: Any) -> np.ndarray:
    """Return a text column as an array of str, "" where a value is missing."""
    return np.array(column.fill_null("").to_pylist(), dtype=object)


def numbers(column: Any) -> np.ndarray:
    """Return a column of numbers or booleans as float64, NaN where a value is missing."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    values: np.ndarray = column.cast(pa.float64(), safe=False).to_numpy()
    return values


def features(tables: Tables, names: Sequence[str]) -> Features:
    """Return the named columns as one matrix, in their order, without identifiers."""
    import pyarrow as pa

    parts: list[_ColumnPart] = []
    ids: dict[str, np.ndarray] = {}
    name_bytes = 0
    for name in names:
        column = tables.column(name)
        if pa.types.is_nested(column.type):
            problem = f"has lists in column {name!r}, which is no label column."
            raise DataError(tables.files[0].path, problem)
        codes = encode(column) if pa.types.is_string(column.type) else None
        if codes is not None and _no_value_twice(codes):
            ids[name] = texts(column)
        else:
            # Every value's column repeats the name of the table's.
            name_bytes += (1 if codes is None else len(codes.values)) * (len(name) + SIDE_BYTES)
            tables.bound.check(name_bytes, "the names of its features")
            parts.append(_part(name, codes))
    feature_names = [name for part in parts for name in part.names]
    _check_distinct(feature_names, tables)
    is_wide = len(feature_names) > _DENSE_GROWTH * len(names)
    X = _sparse(tables, parts) if is_wide else _dense(tables, parts, len(feature_names))
    return Features(X, feature_names, ids)


class _ColumnPart(NamedTuple):
    """The columns of X made from one column of the table; codes are None for numbers."""

    column: str
    names: list[str]
    codes: np.ndarray | None

    @property
    def is_single(self) -> bool:
        return self.names == [self.column]


def _part(name: str, codes: Codes | None) -> _ColumnPart:
    if codes is None:
        return _ColumnPart(name, [name], None)
    if len(codes.values) not in (0, 2):
        return _ColumnPart(name, [f"{name}={value}" for value in codes.values], codes.numbers)
    meant = [number for number, value in enumerate(codes.values) if value.lower() in _YES]
    one = meant[0] if len(meant) == 1 else 1
    is_one = np.where(codes.numbers < 0, -1, codes.numbers == one)
    return _ColumnPart(name, [name], is_one)


def _no_value_twice(codes: Codes) -> bool:
    n_known = int(np.count_nonzero(codes.numbers >= 0))
    return 0 < n_known == len(codes.values)


def _single(tables: Tables, part: _ColumnPart) -> np.ndarray:
    """Return the values of a part with a single column."""
    if part.codes is None:
        return numbers(tables.column(part.column))
    return np.where(part.codes < 0, np.nan, part.codes)


def _dense(tables: Tables, parts: Sequence[_ColumnPart], n_columns: int) -> np.ndarray:
    tables.bound.check(tables.n_rows * n_columns * 8, "its features")
    X = np.zeros((tables.n_rows, n_columns))
    start = 0
    for part in parts:
        block = X[:, start : start + len(part.names)]
        start += len(part.names)
        if part.is_single:
            block[:, 0] = _single(tables, part)
        elif part.codes is not None:
            known = np.flatnonzero(part.codes >= 0)
            block[known, part.codes[known]] = 1.0
            block[part.codes < 0] = np.nan
    return X


def _sparse(tables: Tables, parts: Sequence[_ColumnPart]) -> sparse.csr_array:
    # The most entries and their indices; the loop below bounds the entries of missing text.
    tables.bound.check(tables.n_rows * len(parts) * 16, "its features")
    blocks, n_gaps = [], 0
    for part in parts:
        if part.codes is None or part.is_single:
            blocks.append(sparse.csc_array(_single(tables, part)[:, None]))
            continue
        known, gaps = np.flatnonzero(part.codes >= 0), np.flatnonzero(part.codes < 0)
        n_gaps += gaps.size * len(part.names)
        if n_gaps > _DENSE_GROWTH * tables.n_rows * len(parts):
            problem = f"has too many values and gaps in column {part.column!r}: name it in ids=."
            raise DataError(tables.files[0].path, problem)
        tables.bound.check(n_gaps * 24, "missing text, NaN for each value of its column,")
        rows = np.concatenate([known, np.repeat(gaps, len(part.names))])
        columns = np.concatenate(
            [part.codes[known], np.tile(np.arange(len(part.names)), gaps.size)]
        )
        values = np.where(np.arange(rows.size) < known.size, 1.0, np.nan)
        shape = (tables.n_rows, len(part.names))
        blocks.append(sparse.csc_array((values, (rows, columns)), shape=shape))
    return sparse.hstack(blocks, format="csr")


def _check_distinct(names: Sequence[str], tables: Tables) -> None:
    name, times = next(iter(Counter(names).most_common(1)), ("", 1))
    if times > 1:
        raise DataError(tables.files[0].path, f"gives {times} features the name {name!r}.")
