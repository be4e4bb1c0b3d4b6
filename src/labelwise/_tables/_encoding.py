"""Encode the columns of a table as features.

Each column has a kind: a number, a category, a text, or an identifier of the rows. Numbers and
categories become columns of one matrix, dense or sparse; texts and identifiers are kept beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import SIDE_BYTES, TEXT_BYTES
from labelwise._tables._ids import ID_NAMES
from labelwise._tables._values import MISSING, is_text, numbers, numpy_column, texts as texts_of

# A text column reads like text if its values have this many words on average, ...
_WORDS_OF_TEXT = 3
# ... and if more than this share of them are distinct.
_DISTINCT_TEXTS = 0.5
# Columns with almost as many values as rows identify the rows; shorter columns can by chance.
_DISTINCT_IDS = 0.8
_ROWS_OF_IDS = 20
_YES = {"yes", "true", "t", "y"}
# Codes of rows without a value, and with a value that is not among the known ones.
ABSENT, UNSEEN = -1, -2
# Beyond this many times the width of the table, 0/1 columns of text make X sparse.
_DENSE_GROWTH = 8
# Raises an error if so many bytes are too much for what is named.
CheckBytes = Callable[[int, str], None]


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

    `text` names the columns that are texts; None recognises them: values of at least three words on
    average, more than half of which are distinct. A text column is an identifier if no value occurs
    twice or, from 20 rows on, if more than 80 % of its values are distinct; it is unused instead if
    it reads like text and `text` names other columns. A column of numbers is an identifier if it is
    called "id" or "row" and no value occurs twice or, from 20 rows on, if it has whole numbers that
    increase from row to row.
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


class Codes(NamedTuple):
    """Text as numbers: the index of each row's value among the distinct ones, -1 if missing."""

    numbers: np.ndarray
    values: list[str]


class Categories(NamedTuple):
    """The values of a column in sorted order."""

    column: str
    values: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Names of the features: one of 0 and 1 for two values, else one for each value."""
        if len(self.values) in (0, 2):
            return [self.column]
        return [f"{self.column}={value}" for value in self.values]

    @property
    def one(self) -> int:
        """Index of the value that is 1 in a single feature: one that means yes, else the last."""
        meant = [number for number, value in enumerate(self.values) if value.lower() in _YES]
        return meant[0] if len(meant) == 1 else len(self.values) - 1


def encode(column: Any, values: Sequence[str] | None = None) -> Codes:
    """Return a text column as codes; "" and "?" are missing.

    The values are those of the column in sorted order, or the given ones; then the code of another
    value is `UNSEEN`.
    """
    encoded = column.dictionary_encode().combine_chunks()
    found = encoded.dictionary.to_pylist()
    if values is None:
        values = sorted(value for value in found if value not in MISSING)
    place = {value: number for number, value in enumerate(values)}
    place |= dict.fromkeys(MISSING, ABSENT)
    # The last entry is for null, which has the index -1.
    numbers = np.array([*(place.get(value, UNSEEN) for value in found), ABSENT], dtype=np.int32)
    return Codes(numbers[numpy_column(encoded.indices, np.int32, missing=-1)], list(values))


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


class EncodedTable(NamedTuple):
    """The feature matrix of a table, and what is not in it.

    `names` are those of the columns of X, `ids` the identifiers by column, `texts` the names of the
    text columns. `frame` is the Arrow table of the columns before encoding, None if none of them is
    text or a category. `unused` are the columns that are left out: they read like text, and other
    columns were named as texts.
    """

    X: Any
    names: list[str]
    ids: dict[str, np.ndarray]
    texts: tuple[str, ...]
    frame: Any
    unused: tuple[str, ...] = ()


def encode_table(
    table: Any, text: Collection[str] | None = None, check_bytes: CheckBytes = any_size
) -> EncodedTable:
    """Encode an Arrow table of numbers, booleans and text; `text` is as in `kinds_of`.

    `check_bytes` is called before memory is used. A ValueError is the second half of a sentence:
    two features have the same name, or missing values make the matrix too large.
    """
    kinds = kinds_of(table, text)
    columns: list[NumberColumn | CategoryColumn] = []
    name_bytes = 0
    for name, kind in kinds.items():
        if kind is Kind.NUMBER:
            columns.append(NumberColumn(name, table.column(name)))
        elif kind is Kind.CATEGORY:
            codes = encode(table.column(name))
            columns.append(CategoryColumn(Categories(name, tuple(codes.values)), codes.numbers))
            # Every value's column repeats the name of the table's.
            name_bytes += len(codes.values) * (len(name) + SIDE_BYTES)
            check_bytes(name_bytes, "the names of its features")
    names = [name for column in columns for name in column.names]
    repeated, times = next(iter(Counter(names).most_common(1)), ("", 1))
    if times > 1:
        raise ValueError(f"gives {times} features the name {repeated!r}.")
    ids = [name for name, kind in kinds.items() if kind is Kind.ID]
    check_bytes(table.num_rows * len(ids) * TEXT_BYTES, "its identifiers")
    texts, unused = (
        tuple(name for name, found in kinds.items() if found is kind)
        for kind in (Kind.TEXT, Kind.UNUSED)
    )
    is_raw = bool(texts) or Kind.CATEGORY in kinds.values()
    return EncodedTable(
        as_matrix(columns, table.num_rows, check_bytes),
        names,
        {name: texts_of(table.column(name)) for name in ids},
        texts,
        table.drop_columns([*ids, *unused]) if is_raw else None,
        unused,
    )
