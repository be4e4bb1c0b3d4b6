"""The store of a study: records of cells and plans, written to and read from SQLite tables."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError
from labelwise.experiments.running._cells import Cell, CellRecord, StudyPlan, storable_text
from labelwise.experiments.running._store_file import (
    connect,
    sqlite_errors,
    transaction,
)

# Columns under the checksum of a planned cell, and under that of a finished cell.
_PLANNED = ("study", "position", "dataset", "model", "split", "fold", "seed")
_RECORDED = (
    *("status", "error", "fit_seconds", "predict_seconds", "peak_memory", "warnings"),
    *("versions", "measures", "found"),
)
COLUMNS = ("key", *_PLANNED, *_RECORDED)
Columns = dict[str, list[Any]]
_ROWS_AT_ONCE = 4096
# Kind of the settings that say whether higher or lower values of a measure are better.
DIRECTION = "direction"


class Store:
    """Plans of studies and records of their cells; each batch is saved in one transaction."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        self._connection = connect(self.path, create=create)
        self._text_ids: dict[str, int] = {}

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def start_run(self, study: str, plan: StudyPlan) -> int:
        """Replace the plan of a study; return the number of earlier runs on this store."""
        with transaction(self._connection, self.path):
            self._connection.executemany(
                "INSERT OR IGNORE INTO cells (key, status) VALUES (?, 'planned')",
                ((cell.key,) for cell in plan.cells),
            )
            for table in ("plan", "settings"):
                self._connection.execute(f"DELETE FROM {table} WHERE study = ?", (study,))  # noqa: S608
            self._connection.executemany(
                "INSERT INTO plan SELECT ?, ?, id, ?, ?, ?, ?, ?, ? FROM cells WHERE key = ?",
                (_planned_row(study, position, cell) for position, cell in enumerate(plan.cells)),
            )
            self._connection.executemany(
                "INSERT INTO settings VALUES (?, ?, ?, ?)",
                ((study, *setting) for setting in plan.settings),
            )
            run = self._connection.execute("INSERT INTO runs (study) VALUES (?)", (study,))
            return int(run.lastrowid or 1) - 1

    def statuses(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Return the status ("planned", "done" or "failed") of each cell by its key."""
        wanted = json.dumps([cell.key for cell in cells])
        query = "SELECT key, status FROM cells WHERE key IN (SELECT value FROM json_each(?))"
        with sqlite_errors(self.path):
            return dict(self._connection.execute(query, (wanted,)).fetchall())

    def finished_by_other_code(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Return by key of each unfinished cell the last finished one of the same settings."""
        known = self.statuses(cells)
        unfinished = {cell.settings: cell.key for cell in cells if known.get(cell.key) != "done"}
        # The first 64 characters of a key are the hash of the settings.
        query = """SELECT substr(key, 1, 64), key FROM cells WHERE status = 'done'
                   AND substr(key, 1, 64) IN (SELECT value FROM json_each(?)) ORDER BY id"""
        with sqlite_errors(self.path):
            found = self._connection.execute(query, (json.dumps(list(unfinished)),)).fetchall()
        return {unfinished[settings]: key for settings, key in found}

    def reset(self, cells: Sequence[Cell]) -> None:
        """Delete the records of cells, so that the cells are run again."""
        with transaction(self._connection, self.path):
            self._connection.executemany(
                """UPDATE cells SET status = 'planned', error = NULL, found = NULL, checksum = NULL
                   WHERE key = ?""",
                ((cell.key,) for cell in cells),
            )

    def save(self, records: Iterable[CellRecord]) -> None:
        """Save records; the record of a cell that is done already is not changed."""
        self._text_ids.clear()  # the last transaction may have been rolled back
        with transaction(self._connection, self.path):
            self._connection.executemany(
                """UPDATE cells SET status = ?, error = ?, fit_seconds = ?, predict_seconds = ?,
                   peak_memory = ?, warnings = ?, versions = ?, measures = ?, found = ?,
                   checksum = ? WHERE key = ? AND status != 'done'""",
                [self._row(cell) for cell in records],
            )

    def columns(self, study: str | None = None) -> Columns:
        """Return the planned cells of a study, or of all studies, in order, as columns.

        Raises
        ------
        DataError
            If a row differs from what was written.
        """
        names = ", ".join((*COLUMNS, "plan.checksum", "cells.checksum"))
        # LEFT: a planned cell without its record must be found, not left out.
        query = f"""SELECT {names} FROM plan LEFT JOIN cells ON cells.id = plan.cell
                    WHERE ? IS NULL OR study = ? ORDER BY study, position"""  # noqa: S608
        columns: Columns = {name: [] for name in COLUMNS}
        texts = self._raw_texts()
        with sqlite_errors(self.path):
            cursor = self._connection.execute(query, (study, study))
            # In parts: garbage collection is slow while a hundred thousand rows are in memory.
            while rows := cursor.fetchmany(_ROWS_AT_ONCE):
                for row in rows:
                    if not _is_sound(row, texts):
                        cell = dict(zip(COLUMNS, row, strict=False))
                        place = " / ".join(str(cell[name]) for name in _PLANNED)
                        raise DataError(
                            self.path, storable_text(f"is damaged (the cell {place} was changed).")
                        )
                parts = zip(*rows, strict=True)
                for column, part in zip(columns.values(), parts, strict=False):
                    column.extend(part)
        return columns

    def planned_keys(self, study: str) -> list[str]:
        """Return the keys of the planned cells of a study, in order."""
        query = """SELECT key FROM plan JOIN cells ON cells.id = plan.cell
                   WHERE study = ? ORDER BY position"""
        with sqlite_errors(self.path):
            return [key for (key,) in self._connection.execute(query, (study,))]

    def texts(self) -> dict[int | None, Any]:
        """Return the lists that cells refer to (versions, names of measures) by their number."""
        try:
            return {number: json.loads(text) for number, text in self._raw_texts().items()}
        except (ValueError, TypeError) as error:
            raise DataError(self.path, f"is damaged ({error}).") from error

    def _raw_texts(self) -> dict[int | None, str]:
        with sqlite_errors(self.path):
            return dict(self._connection.execute("SELECT id, text FROM texts").fetchall())

    def directions(self, study: str | None) -> dict[str, bool]:
        """Return whether higher values are better, by measure; None for a study means all studies.

        A measure of which studies say different things is left out.
        """
        query = "SELECT name, text FROM settings WHERE kind = ? AND (study = ? OR ? IS NULL)"
        with sqlite_errors(self.path):
            rows = self._connection.execute(query, (DIRECTION, study, study)).fetchall()
        said: dict[str, set[bool]] = {}
        for name, text in rows:
            said.setdefault(name, set()).add(text == "higher")
        return {name: found.pop() for name, found in said.items() if len(found) == 1}

    def settings(self, study: str) -> list[tuple[str, str, str]]:
        """Return kind, name and text of each data set, model, split and direction of a study."""
        query = "SELECT kind, name, text FROM settings WHERE study = ? ORDER BY kind, name"
        with sqlite_errors(self.path):
            return self._connection.execute(query, (study,)).fetchall()

    def parameters(self, study: str | None) -> list[tuple[str, str, str, Any]]:
        """Return study, kind, name and canonical form of models and splits, of one or all."""
        query = """SELECT study, kind, name, text FROM settings
                   WHERE kind IN ('model', 'split') AND (study = ? OR ? IS NULL)
                   ORDER BY study, kind, name"""
        with sqlite_errors(self.path):
            rows = self._connection.execute(query, (study, study)).fetchall()
        try:
            return [(*names, json.loads(text)) for *names, text in rows]
        except (ValueError, TypeError, RecursionError) as error:
            raise DataError(self.path, f"is damaged ({error}).") from error

    def _row(self, cell: CellRecord) -> tuple[Any, ...]:
        failed = cell.error is not None
        versions, measures = json.dumps(cell.versions), json.dumps(list(cell.values))
        outcome = (
            "failed" if failed else "done",
            None if cell.error is None else storable_text(cell.error),
            cell.fit_seconds,
            cell.predict_seconds,
            cell.peak_memory,
            "\n".join(cell.warnings) or None,
        )
        found = None if failed else packed(cell.values.values())
        return (
            *outcome,
            self._text_id(versions),
            None if failed else self._text_id(measures),
            found,
            checksum(cell.key, *outcome, versions, None if failed else measures, found),
            cell.key,
        )

    def _text_id(self, text: str) -> int:
        if text not in self._text_ids:
            self._connection.execute("INSERT OR IGNORE INTO texts (text) VALUES (?)", (text,))
            found = self._connection.execute("SELECT id FROM texts WHERE text = ?", (text,))
            self._text_ids[text] = found.fetchone()[0]
        return self._text_ids[text]


def _planned_row(study: str, position: int, cell: Cell) -> tuple[Any, ...]:
    names = (cell.dataset, cell.model, cell.split, cell.fold, cell.seed)
    return (study, position, *names, checksum(cell.key, study, position, *names), cell.key)


def checksum(*parts: Any) -> int:
    """Return the CRC-32 of the parts."""
    return zlib.crc32(repr(parts).encode("utf-8", "backslashreplace"))


def _is_sound(row: Sequence[Any], texts: dict[int | None, str]) -> bool:
    """Check the two checksums of a row, which follow its `COLUMNS`."""
    key, *parts, of_plan, of_cell = row
    planned, outcome = parts[: len(_PLANNED)], parts[len(_PLANNED) :]
    *outcome, versions, measures, found = outcome
    if checksum(key, *planned) != of_plan:
        return False
    if of_cell is None:
        return bool(outcome[0] == "planned")
    return bool(checksum(key, *outcome, texts.get(versions), texts.get(measures), found) == of_cell)


def packed(values: Iterable[float]) -> bytes:
    """Return numbers as little-endian 64-bit floats."""
    return np.fromiter(values, dtype="<f8").tobytes()


def unpacked(parts: Iterable[bytes]) -> np.ndarray:
    """Return the numbers of all packed parts as one array."""
    return np.frombuffer(b"".join(parts), dtype="<f8").astype(np.float64)
