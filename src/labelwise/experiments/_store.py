"""The store: one SQLite file, a row for each cell, and the plan of each study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from labelwise.experiments._cells import Cell, Finished, Plan
from labelwise.experiments._store_file import connect, sqlite_errors, transaction

COLUMNS = (
    *("study", "dataset", "model", "split", "fold", "seed", "status", "error"),
    *("fit_seconds", "predict_seconds", "peak_memory", "warnings", "versions", "measures", "found"),
)
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

    def begin(self, study: str, plan: Plan) -> int:
        """Write down the plan in the place of an older one; return the number of runs before."""
        with transaction(self._connection, self.path):
            self._connection.executemany(
                "INSERT OR IGNORE INTO cells (key, status) VALUES (?, 'planned')",
                ((cell.key,) for cell in plan.cells),
            )
            for table in ("plan", "settings"):
                self._connection.execute(f"DELETE FROM {table} WHERE study = ?", (study,))  # noqa: S608
            self._connection.executemany(
                "INSERT INTO plan SELECT ?, ?, id, ?, ?, ?, ?, ? FROM cells WHERE key = ?",
                (
                    (study, position, *cell[1:], cell.key)
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

    def forget(self, cells: Sequence[Cell]) -> None:
        """Take back what is known of cells, so that they run again."""
        with transaction(self._connection, self.path):
            self._connection.executemany(
                "UPDATE cells SET status = 'planned', error = NULL, found = NULL WHERE key = ?",
                ((cell.key,) for cell in cells),
            )

    def add(self, finished: Iterable[Finished]) -> None:
        """Keep what became of cells; one that is done already stays as it is."""
        self._text_ids.clear()  # of a transaction that may have been taken back
        with transaction(self._connection, self.path):
            self._connection.executemany(
                """UPDATE cells SET status = ?, error = ?, fit_seconds = ?, predict_seconds = ?,
                   peak_memory = ?, warnings = ?, versions = ?, measures = ?, found = ?
                   WHERE key = ? AND status != 'done'""",
                [self._row(cell) for cell in finished],
            )

    def columns(self, study: str | None = None) -> Columns:
        """Return the planned cells of a study, or of all, in their order, column by column."""
        query = f"""SELECT {", ".join(COLUMNS)} FROM plan JOIN cells ON cells.id = plan.cell
                    WHERE ? IS NULL OR study = ? ORDER BY study, position"""  # noqa: S608
        columns: Columns = {name: [] for name in COLUMNS}
        with sqlite_errors(self.path):
            cursor = self._connection.execute(query, (study, study))
            # Part by part: a hundred thousand rows at a time would keep the collector busy.
            while rows := cursor.fetchmany(_ROWS_AT_ONCE):
                for column, part in zip(columns.values(), zip(*rows, strict=True), strict=True):
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
        with sqlite_errors(self.path):
            found = self._connection.execute("SELECT id, text FROM texts").fetchall()
        return {number: json.loads(text) for number, text in found}

    def settings(self, study: str) -> list[tuple[str, str, str]]:
        """Return kind, name and text of what a study was made of."""
        query = "SELECT kind, name, text FROM settings WHERE study = ? ORDER BY kind, name"
        with sqlite_errors(self.path):
            return self._connection.execute(query, (study,)).fetchall()

    def _row(self, cell: Finished) -> tuple[Any, ...]:
        failed = cell.error is not None
        return (
            "failed" if failed else "done",
            cell.error,
            cell.fit_seconds,
            cell.predict_seconds,
            cell.peak_memory,
            "\n".join(cell.warnings) or None,
            self._text_id(json.dumps(cell.versions)),
            None if failed else self._text_id(json.dumps(list(cell.values))),
            None if failed else packed(cell.values.values()),
            cell.key,
        )

    def _text_id(self, text: str) -> int:
        if text not in self._text_ids:
            self._connection.execute("INSERT OR IGNORE INTO texts (text) VALUES (?)", (text,))
            found = self._connection.execute("SELECT id FROM texts WHERE text = ?", (text,))
            self._text_ids[text] = found.fetchone()[0]
        return self._text_ids[text]


def packed(values: Iterable[float]) -> bytes:
    """Return numbers as little-endian 64-bit floats."""
    return np.fromiter(values, dtype="<f8").tobytes()


def unpacked(parts: Iterable[bytes]) -> np.ndarray:
    """Return the numbers of all that was packed, one after the other."""
    return np.frombuffer(b"".join(parts), dtype="<f8").astype(np.float64)
