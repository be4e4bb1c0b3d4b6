"""Tables of csv, JSON lines and parquet files: kinds of columns, ids of rows, columns of labels.

Readers of data and of scores, `Dataset` and `features.TableFeatures` read and encode tables by the
same functions. Tables are those of Arrow. This package imports `_io`, `_text` and `_validation`,
and no stage.
"""

from labelwise._tables._encoding import (
    UNSEEN as UNSEEN,
    Categories as Categories,
    CategoryColumn as CategoryColumn,
    EncodedTable as EncodedTable,
    Kind as Kind,
    NumberColumn as NumberColumn,
    as_matrix as as_matrix,
    encode as encode,
    encode_table as encode_table,
    kinds_of as kinds_of,
)
from labelwise._tables._files import (
    TABLE_ENDINGS as TABLE_ENDINGS,
    Tables as Tables,
    read_frame as read_frame,
)
from labelwise._tables._ids import (
    ID_NAMES as ID_NAMES,
    ROW_NAMES as ROW_NAMES,
    find_ids as find_ids,
    ids_in as ids_in,
    named_ids as named_ids,
    row_names as row_names,
)
from labelwise._tables._label_columns import (
    from_columns as from_columns,
    from_sets as from_sets,
    is_binary as is_binary,
    names_with_prefix as names_with_prefix,
    zeros_and_ones as zeros_and_ones,
)
from labelwise._tables._values import (
    BETWEEN_TEXTS as BETWEEN_TEXTS,
    arrow_numbers as arrow_numbers,
    arrow_texts as arrow_texts,
    as_written as as_written,
    first_row_without_number as first_row_without_number,
    has_text as has_text,
    is_text as is_text,
    joined_texts as joined_texts,
    numbers as numbers,
    plain_table as plain_table,
    texts as texts,
)
