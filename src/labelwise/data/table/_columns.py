"""Turn columns of a table file into features, texts and identifiers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from labelwise._columns import EncodedTable, encode_table
from labelwise._io import DataError
from labelwise.data.table._files import Tables


def features(tables: Tables, names: Sequence[str], text: Collection[str] | None) -> EncodedTable:
    """Encode the named columns, in their order, within the bound of the file."""
    import pyarrow as pa

    for name in (*names, *(text or ())):
        if pa.types.is_nested(tables.column(name).type):
            problem = f"has lists in column {name!r}, which is no label column."
            raise DataError(tables.files[0].path, problem)
    try:
        return encode_table(tables.table.select(names), text, tables.bound.check)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(tables.files[0].path, str(error)) from error
