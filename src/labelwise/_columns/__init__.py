"""Columns of tables as features: their kinds, and the 0/1 columns of categories.

Readers of data, `Dataset` and `features.TableFeatures` encode columns by the same functions. Tables
are those of Arrow. This package imports `_io` for sizes in memory, and no stage.
"""

from labelwise._columns._categories import UNSEEN, Categories, Codes, encode
from labelwise._columns._encoding import EncodedTable, encode_table
from labelwise._columns._kinds import Kind, kinds_of
from labelwise._columns._matrix import CategoryColumn, NumberColumn, as_matrix
from labelwise._columns._values import (
    MISSING,
    as_written,
    first_row_without_number,
    has_text,
    is_text,
    numbers,
    plain_table,
    texts,
)

__all__ = [
    "MISSING",
    "UNSEEN",
    "Categories",
    "CategoryColumn",
    "Codes",
    "EncodedTable",
    "Kind",
    "NumberColumn",
    "as_matrix",
    "as_written",
    "encode",
    "encode_table",
    "first_row_without_number",
    "has_text",
    "is_text",
    "kinds_of",
    "numbers",
    "plain_table",
    "texts",
]
