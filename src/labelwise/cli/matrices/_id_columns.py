"""Columns of ids: the one that --ids names in a file, and columns that may be ids."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError
from labelwise._text import listed, quoted


def id_column(path: Path, ids: str, columns: Collection[str]) -> str:
    """Return the first of the names of --ids, with commas between them, that a file has."""
    asked = ids.split(",")
    found = next((name for name in asked if name in columns), None)
    if found is None:
        named = " or ".join(map(quoted, asked))
        raise DataError(
            path,
            f"has no column {named}, but {listed(list(columns), 8)}; --ids takes several names "
            "with commas, of which each file uses the first that it has.",
        )
    return found


def columns_like_ids(values: Any, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of columns of distinct whole numbers, which scores and labels are not."""
    if not isinstance(values, np.ndarray) or names is None or len(values) < 3:
        return ()
    # Scores are seldom whole numbers, and one row shows it.
    whole = np.flatnonzero(values[0] == np.round(values[0]))
    return tuple(names[j] for j in whole.tolist() if _are_distinct_whole_numbers(values[:, j]))


def _are_distinct_whole_numbers(column: np.ndarray) -> bool:
    is_whole = np.isfinite(column).all() and (column == np.round(column)).all()
    return bool(is_whole) and np.unique(column).size == column.size


def ids_hint(names: Sequence[str], after: str = "") -> str:
    """Return words that propose --ids for a column that looks like ids; none without one."""
    return f"--ids {names[0]} if this column identifies the rows{after}" if names else ""
