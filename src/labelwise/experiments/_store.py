"""The store: one SQLite file, a row for each cell, and the plan of each study."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from labelwise.experiments._cells import Cell, Finished, Plan
from labelwise.experiments._store_file import connect, sqlite_errors, transaction


class PlannedRow(NamedTuple):
    """A cell of a plan and what is known of it."""

    study: str
    key: str
    dataset: str
    model: str
    split: str
    fold: int
    seed: int
    status: str
    error: str | None
    fit_seconds: float | None
    predict_seconds: float | None
    peak_memory: int | None
    warnings: str | None
    versions: int | None
    measures: int | None
    found: str | None


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

    def rows(self, study: str | None = None) -> list[PlannedRow]:
        """Return the planned cells of a study, or of all, in their order."""
        query = """SELECT study, key, dataset, model, split, fold, seed, status, error, fit_seconds,
                          predict_seconds, peak_memory, warnings, versions, measures, found
                   FROM plan JOIN cells ON cells.id = plan.cell
                   WHERE ? IS NULL OR study = ? ORDER BY study, position"""
        with sqlite_errors(self.path):
            found = self._connection.execute(query, (study, study))
            return list(map(PlannedRow._make, found))

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

    def n_unplanned(self) -> int:
        """Return the number of finished cells that no plan asks for any more."""
        query = """SELECT count(*) FROM cells
                   WHERE status = 'done' AND id NOT IN (SELECT cell FROM plan)"""
        with sqlite_errors(self.path):
            return int(self._connection.execute(query).fetchone()[0])

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
            None if failed else as_json(cell.values.values()),
            cell.key,
        )

    def _text_id(self, text: str) -> int:
        if text not in self._text_ids:
            self._connection.execute("INSERT OR IGNORE INTO texts (text) VALUES (?)", (text,))
            found = self._connection.execute("SELECT id FROM texts WHERE text = ?", (text,))
            self._text_ids[text] = found.fetchone()[0]
        return self._text_ids[text]


def as_json(values: Iterable[float]) -> str:
    """Return numbers as a JSON list, exact to the last digit; NaN is null, infinity 9e999."""
    return f"[{','.join(map(_number, values))}]"


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "null" if math.isnan(value) else "9e999" if value > 0 else "-9e999"
