"""Encode columns as one feature matrix, dense or sparse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._columns._categories import ABSENT, Categories
from labelwise._columns._values import numbers

# Beyond this many times the width of the table, 0/1 columns of text make X sparse.
_DENSE_GROWTH = 8
# Raises an error if so many bytes are too much for what is named.
CheckBytes = Callable[[int, str], None]


class NumberColumn(NamedTuple):
    """An Arrow column of numbers or booleans, which is one feature."""

    name: str
    column: Any

    @property
    def names(self) -> list[str]:
        """Name of the feature."""
        return [self.name]

    def values(self) -> np.ndarray:
        """Return the numbers, NaN where one is missing; computed when they are needed."""
        return numbers(self.column)


class CategoryColumn(NamedTuple):
    """A column of categories, and the code of each row."""

    categories: Categories
    codes: np.ndarray

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        return self.categories.names

    def values(self) -> np.ndarray:
        """Return the only feature of two categories, NaN where the value is missing."""
        return np.where(self.codes == ABSENT, np.nan, self.codes == self.categories.one)


def any_size(n_bytes: int, what: str) -> None:
    """Accept any number of bytes, for tables that are in memory already."""


def as_matrix(
    columns: Sequence[NumberColumn | CategoryColumn],
    n_rows: int,
    check_bytes: CheckBytes = any_size,
) -> Any:
    """Return the features of all columns side by side.

    A missing category is NaN in all its features; a value that is not known is 0 in all of them.
    The matrix is dense, or CSR if it is more than eight times as wide as the table.
    """
    n_features = sum(len(column.names) for column in columns)
    if n_features > _DENSE_GROWTH * len(columns):
        return _sparse(columns, n_rows, check_bytes)
    check_bytes(n_rows * n_features * 8, "its features")
    X = np.zeros((n_rows, n_features))
    start = 0
    for column in columns:
        block = X[:, start : start + len(column.names)]
        start += len(column.names)
        if len(column.names) == 1 or isinstance(column, NumberColumn):
            block[:, 0] = column.values()
        else:
            known = np.flatnonzero(column.codes >= 0)
            block[known, column.codes[known]] = 1.0
            block[column.codes == ABSENT] = np.nan
    return X


def _sparse(
    columns: Sequence[NumberColumn | CategoryColumn], n_rows: int, check_bytes: CheckBytes
) -> sparse.csr_array:
    # The most entries and their indices; the loop below bounds the entries of missing text.
    check_bytes(n_rows * len(columns) * 16, "its features")
    blocks, n_gaps = [], 0
    for column in columns:
        if len(column.names) == 1 or isinstance(column, NumberColumn):
            blocks.append(sparse.csc_array(column.values()[:, None]))
            continue
        n_gaps += int(np.count_nonzero(column.codes == ABSENT)) * len(column.names)
        if n_gaps > _DENSE_GROWTH * n_rows * len(columns):
            name = column.categories.column
            raise ValueError(f"has too many values and gaps in column {name!r}: name it in ids=.")
        check_bytes(n_gaps * 24, "missing text, NaN for each value of its column,")
        blocks.append(_indicators(column.codes, len(column.names)))
    return sparse.hstack(blocks, format="csr")


def _indicators(codes: np.ndarray, n_values: int) -> sparse.csc_array:
    known, gaps = np.flatnonzero(codes >= 0), np.flatnonzero(codes == ABSENT)
    rows = np.concatenate([known, np.repeat(gaps, n_values)])
    places = np.concatenate([codes[known], np.tile(np.arange(n_values), gaps.size)])
    values = np.where(np.arange(rows.size) < known.size, 1.0, np.nan)
    return sparse.csc_array((values, (rows, places)), shape=(codes.size, n_values))
