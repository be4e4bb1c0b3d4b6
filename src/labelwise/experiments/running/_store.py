"""The store: one SQLite file, a row for each cell, and the plan of each study."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from labelwise.experiments.running._cells import Cell, CellRecord, StudyPlan
from labelwise.experiments.running._storable_text import storable_text
from labelwise.experiments.running._store_file import (
    StoreError,
    connect,
    sqlite_errors,
    transaction,
)

# What the checksum of a planned cell stands for, and that of a finished one.
_PLANNED = ("study", "position", "dataset", "model", "split", "fold", "seed")
_FINISHED = (
    *("status", "error", "fit_seconds", "predict_seconds", "peak_memory", "warnings"),
    *("versions", "measures", "found"),
)
COLUMNS = ("key", *_PLANNED, *_FINISHED)
Columns = dict[str, list[Any]]
_ROWS_AT_ONCE = 4096


class Store:
    """Finished cells in a file that outlives whatever happens to the one who writes it."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        self._connection = connect(self.path, create=create)
        self._text_ids: dict[str, int] = {}

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def start_run(self, study: str, plan: StudyPlan) -> int:
        """Write down the plan in the place of an older one; return the number of runs before."""
        with transaction(self._connection, self.path):
            self._connection.executemany(
                "INSERT OR IGNORE INTO cells (key, status) VALUES (?, 'planned')",
                ((cell.key,) for cell in plan.cells),
            )
            for table in ("plan", "settings"):
                self._connection.execute(f"DELETE FROM {table} WHERE study = ?", (study,))  # noqa: S608
            self._connection.executemany(
                "INSERT INTO plan SELECT ?, ?, id, ?, ?, ?, ?, ?, ? FROM cells WHERE key = ?",
                (
                    (
                        *(study, position, *cell[1:]),
                        checksum(cell.key, study, position, *cell[1:]),
                        cell.key,
                    )
                    for position, cell in enumerate(plan.cells)
                ),
            )
            self._connection.executemany(
                "INSERT INTO settings VALUES (?, ?, ?, ?)",
                ((study, *setting) for setting in plan.settings),
            )
            run = self._connection.execute("INSERT INTO runs (study) VALUES (?)", (study,))
            return int(run.lastrowid or 1) - 1

    def statuses(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Return "planned", "done" or "failed" by key."""
        wanted = json.dumps([cell.key for cell in cells])
        query = "SELECT key, status FROM cells WHERE key IN (SELECT value FROM json_each(?))"
        with sqlite_errors(self.path):
            return dict(self._connection.execute(query, (wanted,)).fetchall())

    def reset(self, cells: Sequence[Cell]) -> None:
        """Take back what is known of cells, so that they run again."""
        with transaction(self._connection, self.path):
            self._connection.executemany(
                """UPDATE cells SET status = 'planned', error = NULL, found = NULL, checksum = NULL
                   WHERE key = ?""",
                ((cell.key,) for cell in cells),
            )

    def save(self, records: Iterable[CellRecord]) -> None:
        """Keep what became of cells; one that is done already stays as it is."""
        self._text_ids.clear()  # of a transaction that may have been taken back
        with transaction(self._connection, self.path):
            self._connection.executemany(
                """UPDATE cells SET status = ?, error = ?, fit_seconds = ?, predict_seconds = ?,
                   peak_memory = ?, warnings = ?, versions = ?, measures = ?, found = ?,
                   checksum = ? WHERE key = ? AND status != 'done'""",
                [self._row(cell) for cell in records],
            )

    def columns(self, study: str | None = None) -> Columns:
        """Return the planned cells of a study, or of all, in their order, column by column.

        Raises
        ------
        StoreError
            If a row is not what was written.
        """
        names = ", ".join((*COLUMNS, "plan.checksum", "cells.checksum"))
        query = f"""SELECT {names} FROM plan JOIN cells ON cells.id = plan.cell
                    WHERE ? IS NULL OR study = ? ORDER BY study, position"""  # noqa: S608
        columns: Columns = {name: [] for name in COLUMNS}
        texts = self._raw_texts()
        with sqlite_errors(self.path):
            cursor = self._connection.execute(query, (study, study))
            # Part by part: a hundred thousand rows at a time would keep the collector busy.
            while rows := cursor.fetchmany(_ROWS_AT_ONCE):
                for row in rows:
                    if not _is_sound(row, texts):
                        place = " / ".join(str(part) for part in row[1:8])
                        raise StoreError(
                            self.path, storable_text(f"is damaged (the cell {place} was changed).")
                        )
                parts = zip(*rows, strict=True)
                for column, part in zip(columns.values(), parts, strict=False):
                    column.extend(part)
        return columns

    def planned_keys(self, study: str) -> list[str]:
        """Return the keys of the plan of a study, in their order."""
        query = """SELECT key FROM plan JOIN cells ON cells.id = plan.cell
                   WHERE study = ? ORDER BY position"""
        with sqlite_errors(self.path):
            return [key for (key,) in self._connection.execute(query, (study,))]

    def texts(self) -> dict[int | None, Any]:
        """Return the lists that cells share, by their number."""
        try:
            return {number: json.loads(text) for number, text in self._raw_texts().items()}
        except (ValueError, TypeError) as error:
            raise StoreError(self.path, f"is damaged ({error}).") from error

    def _raw_texts(self) -> dict[int | None, str]:
        with sqlite_errors(self.path):
            return dict(self._connection.execute("SELECT id, text FROM texts").fetchall())

    def settings(self, study: str) -> list[tuple[str, str, str]]:
        """Return kind, name and text of what a study was made of."""
        query = "SELECT kind, name, text FROM settings WHERE study = ? ORDER BY kind, name"
        with sqlite_errors(self.path):
            return self._connection.execute(query, (study,)).fetchall()

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


def checksum(*parts: Any) -> int:
    """Return a number that differs, all but surely, if any part does."""
    return zlib.crc32(repr(parts).encode("utf-8", "backslashreplace"))


def _is_sound(row: Sequence[Any], texts: dict[int | None, str]) -> bool:
    """Tell whether a row of `COLUMNS` and two checksums is what was written."""
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
    """Return the numbers of all that was packed, one after the other."""
    return np.frombuffer(b"".join(parts), dtype="<f8").astype(np.float64)
