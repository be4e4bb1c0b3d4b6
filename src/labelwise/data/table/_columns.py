"""Turn columns of a table file into features, texts and identifiers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from labelwise._columns import EncodedTable, encode_table
from labelwise._io import DataError, warn_of_assumption
from labelwise._text import listed
from labelwise.data.table._files import Tables


def features(tables: Tables, names: Sequence[str], text: Collection[str] | None) -> EncodedTable:
    """Encode the named columns, in their order, within the bound of the file.

    Columns that read like text are left out with a warning if `text` names other columns.
    """
    import pyarrow as pa

    for name in (*names, *(text or ())):
        if pa.types.is_nested(tables.column(name).type):
            problem = f"has lists in column {name!r}, which is no label column."
            raise DataError(tables.files[0].path, problem)
    try:
        found = encode_table(tables.table.select(names), text, tables.bound.check)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(tables.files[0].path, str(error)) from error
    if found.unused:
        reads, it = ("it reads", "it") if len(found.unused) == 1 else ("they read", "them")
        warn_of_assumption(
            tables.files[0].path,
            f"{listed(found.unused)} left out: {reads} like text, and text (--text) does not name "
            f"{it}",
        )
    return found
