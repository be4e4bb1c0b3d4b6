"""Encode a table: features, identifiers, and the columns before encoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from labelwise._columns._categories import Categories, encode
from labelwise._columns._kinds import Kind, kinds_of
from labelwise._columns._matrix import (
    CategoryColumn,
    CheckBytes,
    NumberColumn,
    any_size,
    as_matrix,
)
from labelwise._columns._values import texts as texts_of
from labelwise._io import SIDE_BYTES, TEXT_BYTES


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
    """Encode an Arrow table of numbers, booleans and text.

    Parameters
    ----------
    table : pyarrow.Table
        The columns.
    text : collection of str, default=None
        Names of the columns that are texts; None recognises them.
    check_bytes : callable, default=any_size
        Called before memory is used, with a number of bytes and what they are for; raises an error
        if they are too many.

    Returns
    -------
    EncodedTable
        Features, identifiers and texts.

    Raises
    ------
    ValueError
        If two features have the same name, or missing values make the matrix too large.
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
