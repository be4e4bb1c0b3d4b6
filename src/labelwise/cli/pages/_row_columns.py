"""Columns that belong to the rows of a matrix: groups for slices, and texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labelwise._io import DataError
from labelwise.cli.matrices._id_columns import id_column
from labelwise.cli.matrices._matrices import Matrix
from labelwise.data import ROW_NAMES, read_frame

_ID_NAMES = ("id", "Id", "ID", "row", "Row", *ROW_NAMES)


def read_row_columns(
    path: Path, truth: Matrix, ids: str | None = None, max_bytes: int | None = None
) -> dict[str, list[str]]:
    """Read the columns of a table as text, in the order of the rows of the labels.

    Rows are matched by id if the labels have ids and the table has a column of ids: the one that
    --ids (`ids`) names, the one that is called as in the labels, or a first column with a usual
    name. Otherwise they are matched by position.
    """
    asked = [] if ids is None else ids.split(",")
    table = read_frame(path, [*asked, truth.id_name], max_bytes)
    names = table.column_names
    id_name = _id_column(names, truth.id_name) if ids is None else id_column(path, ids, names)
    columns = {name: _texts(table.column(name)) for name in names}
    found = None if id_name is None else columns.pop(id_name)
    if not columns:
        raise DataError(path, "has no column beside the ids.")
    rows = _rows(path, truth, found, table.num_rows)
    return {name: [column[row] for row in rows] for name, column in columns.items()}


def read_texts(
    path: Path, truth: Matrix, ids: str | None = None, max_bytes: int | None = None
) -> list[str]:
    """Read the text of each row: the only column beside the ids, or the one called "text"."""
    columns = read_row_columns(path, truth, ids, max_bytes)
    if len(columns) == 1:
        return next(iter(columns.values()))
    if "text" not in columns:
        names = ", ".join(map(repr, columns))
        raise DataError(path, f"must have one column of texts, or one called 'text', got {names}.")
    return columns["text"]


def _id_column(names: list[str], name_in_labels: str) -> str | None:
    if name_in_labels in names:
        return name_in_labels
    return names[0] if names[0] in _ID_NAMES else None


def _texts(column: Any) -> list[str]:
    return ["" if value is None else str(value) for value in column.to_pylist()]


def _rows(path: Path, truth: Matrix, ids: list[str] | None, n_rows: int) -> list[int]:
    """Return the row of the table for each row of the labels."""
    n_wanted = truth.values.shape[0]
    if ids is None or truth.ids is None:
        if n_rows != n_wanted:
            raise DataError(path, f"has {n_rows} rows but {truth.path} has {n_wanted}.")
        return list(range(n_rows))
    places = {name: row for row, name in enumerate(ids)}
    if len(places) < len(ids):
        twice = next(name for row, name in enumerate(ids) if places[name] != row)
        raise DataError(path, f"has row {twice!r} twice.")
    missing = next((name for name in truth.ids if name not in places), None)
    if missing is not None:
        raise DataError(path, f"lacks row {missing!r}, which {truth.path} has.")
    return [places[name] for name in truth.ids]
