"""Kinds of columns: numbers, categories, texts, and identifiers of rows."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any

import numpy as np

from labelwise._columns._categories import Codes, encode
from labelwise._columns._ids import ID_NAMES
from labelwise._columns._values import is_text, numbers

# A text column reads like text if its values have this many words on average, ...
_WORDS_OF_TEXT = 3
# ... and if more than this share of them are distinct.
_DISTINCT_TEXTS = 0.5
# Columns with almost as many values as rows identify the rows; shorter columns can by chance.
_DISTINCT_IDS = 0.8
_ROWS_OF_IDS = 20


class Kind(StrEnum):
    """What a column is for."""

    NUMBER = "number"
    CATEGORY = "category"
    TEXT = "text"
    ID = "id"
    UNUSED = "unused"

    @property
    def is_feature(self) -> bool:
        """Whether columns of this kind become features."""
        return self not in (Kind.ID, Kind.UNUSED)


def kinds_of(table: Any, text: Collection[str] | None = None) -> dict[str, Kind]:
    """Return the kind of each column of an Arrow table by name.

    Parameters
    ----------
    table : pyarrow.Table
        Columns of numbers, booleans and text.
    text : collection of str, default=None
        Names of the columns that are texts; None recognises them: values of at least three words
        on average, more than half of which are distinct.

    Returns
    -------
    dict of str to Kind
        The kinds. A text column is an identifier if no value occurs twice or, from 20 rows on, if
        more than 80 % of its values are distinct; it is unused instead if it reads like text and
        `text` names other columns. A column of numbers is an identifier if it is called "id" or
        "row" and no value occurs twice or, from 20 rows on, if it has whole numbers that increase
        from row to row.
    """
    return {
        name: Kind.TEXT
        if text is not None and name in text
        else _kind(name, table.column(name), may_be_text=text is None)
        for name in table.column_names
    }


def _kind(name: str, column: Any, *, may_be_text: bool) -> Kind:
    if not is_text(column):
        return Kind.ID if _numbers_rows(name, numbers(column)) else Kind.NUMBER
    codes = encode(column)
    n_known = int(np.count_nonzero(codes.numbers >= 0))
    reads_like_text = _reads_like_text(codes, n_known)
    if may_be_text and reads_like_text:
        return Kind.TEXT
    n_values = len(codes.values)
    is_distinct = 0 < n_known == n_values
    is_nearly = n_known >= _ROWS_OF_IDS and n_values > _DISTINCT_IDS * n_known
    if not (is_distinct or is_nearly):
        return Kind.CATEGORY
    return Kind.UNUSED if reads_like_text else Kind.ID


def _reads_like_text(codes: Codes, n_known: int) -> bool:
    n_values = len(codes.values)
    if n_values <= _DISTINCT_TEXTS * n_known:
        return False
    n_words = sum(len(value.split()) for value in codes.values)
    return n_words >= _WORDS_OF_TEXT * n_values


def _numbers_rows(name: str, values: np.ndarray) -> bool:
    """Return whether a column numbers the rows."""
    if not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    if name in ID_NAMES:
        return np.unique(values).size == values.size
    return values.size >= _ROWS_OF_IDS and bool((np.diff(values) > 0).all())
