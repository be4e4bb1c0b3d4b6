"""The rule for columns of ids, by which rows of files are matched; every reader follows it.

A column of ids is the one that the caller names. If none is named, it is the first column if that
has ids by its values: text other than yes and no, or, if its name is one of `ID_NAMES`, numbers
that are neither the 0 and 1 of a label nor scores, of which one is below 1 and not whole. A column
that is not the first is a label, whatever its name, with two exceptions: row names that R and
pandas write are never labels, and are the ids if there are no others; and a last column of text in
a parquet file is an index that pandas wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError
from labelwise._tables._values import NOT_BINARY, binary_value
from labelwise._text import listed, quoted

# What pandas and R call the row names that they write along: a first column, and a last one.
ROW_NAMES = ("", "__index_level_0__")
# Names by which a first column of numbers has ids.
ID_NAMES = ("id", "Id", "ID", "row", "Row")


def row_names(names: Sequence[str]) -> list[str]:
    """Return the columns of row names that R and pandas write, which are never labels."""
    unnamed, of_pandas = ROW_NAMES
    return [*(names[:1] if names[:1] == [unnamed] else ()), *({of_pandas} & {*names})]


def find_ids(
    names: Sequence[str], parts: Callable[[str], Iterable[Any]], *, is_parquet: bool = False
) -> str | None:
    """Return the name of the column of ids; None if a table has none.

    `parts` returns the values of a column as Arrow arrays, of which only as many are read as are
    needed. In parquet files, a last column of text may be an index that pandas wrote.
    """
    of_rows = row_names(list(names))
    if not names:
        return None
    first, *others = [name for name in names if name not in of_rows] or of_rows
    if first in ROW_NAMES or _has_ids(parts(first), may_be_numbers=first in ID_NAMES):
        return first
    if of_rows:
        return of_rows[0]
    is_index = is_parquet and others and _has_ids(parts(others[-1]), may_be_numbers=False)
    return others[-1] if is_index else None


def named_ids(path: Path | str, asked: Sequence[str], columns: Collection[str]) -> str:
    """Return the first of the names of a column of ids that a file has."""
    found = next((name for name in asked if name in columns), None)
    if found is None:
        named = " or ".join(map(quoted, asked))
        raise DataError(
            path,
            f"has no column {named}, but {listed(list(columns), 8)}; --ids takes several names "
            "with commas, of which each file uses the first that it has.",
        )
    return found


def ids_in(columns: Mapping[str, Any]) -> tuple[tuple[str, ...] | None, str]:
    """Return the ids of a data set and the name of their column, if there is exactly one column.

    Row names, which R and pandas add to a table, are ids only if there are no others.
    """
    names = [name for name in columns if name not in ROW_NAMES] or list(columns)
    if len(names) != 1:
        return None, "id"
    return tuple(map(str, columns[names[0]])), names[0]


def _has_ids(parts: Iterable[Any], *, may_be_numbers: bool) -> bool:
    """Return whether values are ids, and neither scores nor labels.

    Values that are all 0 and 1, or words for them, are those of a label, but one or two distinct
    values may be ids if the name says so. A number with a fraction below 1 is a score.
    """
    import pyarrow as pa

    seen: list[str] = []
    n_known, has_binary, has_others = 0, False, False
    for part in parts:
        kind = part.type
        is_whole = pa.types.is_integer(kind)
        is_number = is_whole or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        if pa.types.is_boolean(kind) or pa.types.is_nested(kind):
            return False
        if is_number and not may_be_numbers:
            return False
        known = part.drop_null()
        distinct = known.unique().to_pylist()
        n_known += len(known)
        seen = [*seen, *map(str, distinct[:3])][:3]
        others = [value for value in distinct if binary_value(value) == NOT_BINARY]
        if others and (is_whole or not may_be_numbers or any(map(_is_word, others))):
            return True
        if any(float(value) < 1 and float(value) % 1 for value in others):
            return False
        has_others = has_others or bool(others)
        has_binary = has_binary or any(binary_value(value) >= 0 for value in distinct)
    is_pair = may_be_numbers and n_known <= 2 and len({*seen}) == n_known
    return has_others or not has_binary or is_pair


def _is_word(value: Any) -> bool:
    """Return whether a value is text or a time, and not a number."""
    try:
        return not np.isfinite(float(value))
    except (TypeError, ValueError):
        return True
