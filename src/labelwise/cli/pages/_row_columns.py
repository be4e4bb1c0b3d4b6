"""Columns that belong to the rows of a matrix: groups for slices, and texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from labelwise._io import DataError
from labelwise._matrices import Matching, position_note
from labelwise._tables import ID_NAMES, ROW_NAMES, named_ids, read_frame
from labelwise._validation import NamedMatrix


class RowColumns(NamedTuple):
    """Columns of text by name, in the order of the rows of the labels, and lines for the user."""

    columns: dict[str, list[str]]
    notes: list[str]


def read_row_columns(
    path: Path,
    truth: NamedMatrix,
    matching: Matching,
    ids: str | None = None,
    max_bytes: int | None = None,
) -> RowColumns:
    """Read the columns of a table as text, in the order of the rows of the labels.

    Rows are matched by id: by the column that --ids (`ids`) names, the one that is called as in the
    labels, or a first one with a usual name. Where neither file has ids, they are matched by
    position, with a note; where one file has them, this is refused unless --by-position.
    """
    asked = [] if ids is None else ids.split(",")
    table = read_frame(path, [*asked, truth.id_name], max_bytes)
    names = table.column_names
    id_name = named_ids(path, asked, names) if asked else _id_column(names, truth.id_name)
    columns = {name: _texts(table.column(name)) for name in names}
    found = None if id_name is None else columns.pop(id_name)
    if not columns:
        raise DataError(path, "has no column beside the ids.")
    if found is None or truth.ids is None:
        _check_positions(path, truth, found, table.num_rows, matching)
        return RowColumns(columns, [position_note(path, truth.source, rows=True, labels=False)])
    rows = _rows(path, truth, found)
    return RowColumns({name: [of[row] for row in rows] for name, of in columns.items()}, [])


def only_texts(path: Path, columns: dict[str, list[str]]) -> list[str]:
    """Return the text of each row: the only column beside the ids, or the one called "text"."""
    if len(columns) == 1:
        return next(iter(columns.values()))
    if "text" not in columns:
        names = ", ".join(map(repr, columns))
        raise DataError(path, f"must have one column of texts, or one called 'text', got {names}.")
    return columns["text"]


def _id_column(names: list[str], name_in_labels: str) -> str | None:
    """Return the column that is called as in the labels, or a first one with a usual name.

    Texts and groups are words as ids are, so that the values of a column do not show ids.
    """
    if name_in_labels in names:
        return name_in_labels
    return names[0] if names[0] in (*ID_NAMES, *ROW_NAMES) else None


def _texts(column: Any) -> list[str]:
    return ["" if value is None else str(value) for value in column.to_pylist()]


def _check_positions(
    path: Path, truth: NamedMatrix, ids: list[str] | None, n_rows: int, matching: Matching
) -> None:
    """Refuse rows that cannot be matched by position, or not without being asked for."""
    n_wanted = truth.values.shape[0]
    if n_rows != n_wanted:
        raise DataError(path, f"has {n_rows} rows but {truth.source} has {n_wanted}.")
    if matching.by_position or (ids is None and truth.ids is None):
        return
    having, lacking = (truth.source, path) if ids is None else (path, truth.source)
    raise DataError(
        lacking,
        f"has no ids and {having} has: name the column with --ids, or give --by-position to match "
        "rows by their order.",
    )


def _rows(path: Path, truth: NamedMatrix, ids: list[str]) -> list[int]:
    """Return the row of the table for each row of the labels."""
    places = {name: row for row, name in enumerate(ids)}
    if len(places) < len(ids):
        twice = next(name for row, name in enumerate(ids) if places[name] != row)
        raise DataError(path, f"has row {twice!r} twice.")
    missing = next((name for name in truth.ids or () if name not in places), None)
    if missing is not None:
        raise DataError(path, f"lacks row {missing!r}, which {truth.source} has.")
    return [places[name] for name in truth.ids or ()]
