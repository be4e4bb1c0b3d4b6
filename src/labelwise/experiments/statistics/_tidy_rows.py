"""Tidy rows of a study, one value each, and the matrix of their means over folds and seeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from labelwise._text import check_known
from labelwise._validation import is_frame

# Columns that identify a cell of a study; means are taken over the last two.
KEYS = ("dataset", "model", "split", "fold", "seed")
REPEATED = ("fold", "seed")
_Columns = dict[str, list[Any]]


def is_tidy(values: Any) -> bool:
    """Return whether values are rows of a study: Results, mappings, or a frame with `value`."""
    if isinstance(values, Mapping | np.ndarray | str):
        return False
    if isinstance(values, list | tuple):
        return bool(values) and all(isinstance(row, Mapping) for row in values)
    # Results are recognised by their method, since their module imports this one.
    return hasattr(values, "to_table") or (
        is_frame(values) and {"measure", "value"} <= set(_frame(values).columns)
    )


def tidy_columns(rows: Any) -> _Columns:
    """Return the columns of Results, mappings or a frame as lists."""
    rows = rows.to_table() if hasattr(rows, "to_table") else rows
    if is_frame(rows):
        columns: _Columns = _frame(rows).to_dict(as_series=False)
        return columns
    names = dict.fromkeys(name for row in rows for name in row)
    lacking = {"measure", "value"} - set(names)
    if lacking:
        raise ValueError(f"values must have the column {min(lacking)!r} if they are tidy rows.")
    return {name: [row.get(name) for row in rows] for name in names}


def _frame(rows: Any) -> Any:
    import narwhals as nw

    return nw.from_native(rows, eager_only=True)


def tidy_matrix(
    rows: Any, measure: str | None, of: str, over: str | Sequence[str]
) -> tuple[str, tuple[str, ...], tuple[str, ...], np.ndarray]:
    """Return the measure, the blocks, the methods and the matrix of means, NaN if missing.

    A mean is also missing if the method lacks a fold or seed that another method has on the block.
    """
    columns = tidy_columns(rows)
    measure = _check_measure(columns["measure"], measure)
    across = (over,) if isinstance(over, str) else tuple(over)
    _check_columns(columns, measure, of, across)
    repeated = [name for name in REPEATED if name in columns and name not in (of, *across)]
    cells: dict[tuple[str, str], dict[Hashable, float]] = defaultdict(dict)
    wanted = [i for i, name in enumerate(columns["measure"]) if name == measure]
    for i in wanted:
        place = " / ".join(str(columns[name][i]) for name in across), str(columns[of][i])
        key = tuple(columns[name][i] for name in repeated)
        if key in cells[place]:
            raise ValueError(f"values must have each cell once, but {place[0]} has {key} twice.")
        value = columns["value"][i]
        cells[place][key] = np.nan if value is None else float(value)
    blocks = tuple(dict.fromkeys(block for block, _ in cells))
    methods = tuple(dict.fromkeys(method for _, method in cells))
    return measure, blocks, methods, _means(cells, blocks, methods)


def _means(
    cells: Mapping[tuple[str, str], Mapping[Hashable, float]],
    blocks: tuple[str, ...],
    methods: tuple[str, ...],
) -> np.ndarray:
    matrix = np.full((len(blocks), len(methods)), np.nan)
    for i, block in enumerate(blocks):
        found = [cells.get((block, method), {}) for method in methods]
        everywhere = set().union(*found)
        for j, values in enumerate(found):
            if len(values) == len(everywhere):
                matrix[i, j] = np.mean(list(values.values()))
    return matrix


def _check_measure(present: list[Any], measure: str | None) -> str:
    known = sorted(set(present))
    if measure is None and len(known) == 1:
        return str(known[0])
    return check_known(measure, known)


def _check_columns(columns: _Columns, measure: str, of: str, across: tuple[str, ...]) -> None:
    for name, where in ((of, "of"), *((name, "over") for name in across)):
        if name not in columns or name in ("measure", "value"):
            raise ValueError(f"{where} must name a column of the rows, got {name!r}.")
    if of in across:
        raise ValueError(f"of and over must be different columns, got {of!r} twice.")
    for name in set(KEYS) - {*REPEATED, of, *across}:
        values = zip(columns.get(name, []), columns["measure"], strict=False)
        several = sorted({str(value) for value, which in values if which == measure})
        if len(several) > 1:
            raise ValueError(
                f"values must have one {name!r}, got several ({', '.join(several[:4])}): "
                f"keep the rows of one, or add {name!r} to over."
            )
