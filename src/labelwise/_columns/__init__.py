"""Columns of tables: their kinds, the 0/1 columns of categories, and the ids of rows.

Readers of data, `Dataset` and `features.TableFeatures` encode columns by the same functions. Tables
are those of Arrow. This package imports `_io` for sizes in memory, and no stage.
"""

from labelwise._columns._categories import UNSEEN, Categories, Codes, encode
from labelwise._columns._encoding import EncodedTable, encode_table
from labelwise._columns._ids import (
    ID_NAMES,
    ROW_NAMES,
    columns_like_ids,
    find_ids,
    ids_hint,
    named_ids,
    row_names,
)
from labelwise._columns._kinds import Kind, kinds_of
from labelwise._columns._matrix import CategoryColumn, NumberColumn, as_matrix
from labelwise._columns._values import (
    GAP,
    MISSING,
    MISSING_NUMBERS,
    NOT_BINARY,
    as_written,
    binary_value,
    first_row_without_number,
    has_text,
    is_text,
    numbers,
    plain_table,
    texts,
)

__all__ = [
    "GAP",
    "ID_NAMES",
    "MISSING",
    "MISSING_NUMBERS",
    "NOT_BINARY",
    "ROW_NAMES",
    "UNSEEN",
    "Categories",
    "CategoryColumn",
    "Codes",
    "EncodedTable",
    "Kind",
    "NumberColumn",
    "as_matrix",
    "as_written",
    "binary_value",
    "columns_like_ids",
    "encode",
    "encode_table",
    "find_ids",
    "first_row_without_number",
    "has_text",
    "ids_hint",
    "is_text",
    "kinds_of",
    "named_ids",
    "numbers",
    "plain_table",
    "row_names",
    "texts",
]
