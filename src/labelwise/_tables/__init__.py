"""Tables of csv, JSON lines and parquet files: kinds of columns, ids of rows, columns of labels.

Readers of data and of scores, `Dataset` and `features.TableFeatures` read and encode tables by the
same functions. Tables are those of Arrow. This package imports `_io`, `_text` and `_validation`,
and no stage.
"""

from labelwise._tables._encoding import (
    UNSEEN,
    Categories,
    CategoryColumn,
    EncodedTable,
    Kind,
    NumberColumn,
    as_matrix,
    encode,
    encode_table,
    kinds_of,
)
from labelwise._tables._files import TABLE_ENDINGS, Tables, read_frame
from labelwise._tables._ids import (
    ID_NAMES,
    ROW_NAMES,
    find_ids,
    ids_in,
    named_ids,
    row_names,
)
from labelwise._tables._label_columns import (
    from_columns,
    from_sets,
    is_binary,
    names_with_prefix,
    zeros_and_ones,
)
from labelwise._tables._values import (
    arrow_numbers,
    arrow_texts,
    as_written,
    first_row_without_number,
    has_text,
    is_text,
    joined_texts,
    numbers,
    plain_table,
    texts,
)

__all__ = [
    "ID_NAMES",
    "ROW_NAMES",
    "TABLE_ENDINGS",
    "UNSEEN",
    "Categories",
    "CategoryColumn",
    "EncodedTable",
    "Kind",
    "NumberColumn",
    "Tables",
    "arrow_numbers",
    "arrow_texts",
    "as_matrix",
    "as_written",
    "encode",
    "encode_table",
    "find_ids",
    "first_row_without_number",
    "from_columns",
    "from_sets",
    "has_text",
    "ids_in",
    "is_binary",
    "is_text",
    "joined_texts",
    "kinds_of",
    "named_ids",
    "names_with_prefix",
    "numbers",
    "plain_table",
    "read_frame",
    "row_names",
    "texts",
    "zeros_and_ones",
]
