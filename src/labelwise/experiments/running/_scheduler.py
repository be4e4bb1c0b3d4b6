"""Run cells on an executor and keep what becomes of them, whoever dies on the way."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from labelwise.experiments.running._cell_evaluation import versions
from labelwise.experiments.running._cells import Cell, CellRecord
from labelwise.experiments.running._executors import CellExecutor
from labelwise.experiments.running._progress import Progress
from labelwise.experiments.running._storable_text import error_text
from labelwise.experiments.running._store import Store

# A batch is what takes about so long: short cells share one trip and one write to the disk.
_BATCH_SECONDS = 0.2
_BATCH_MOST = 256
# So many in a row, and none that lived: the fault is not in the cells.
_DEATHS_MOST = 5
# How often it is looked whether a cell takes longer than allowed.
_LOOK_SECONDS = 0.2
_DEAD = "The worker died twice with this cell, the second time on nothing else."
_OVERDUE = "The cell took longer than its timeout allows; its worker was ended."


class Scheduler:
    """Hands out cells, takes back reports, writes them down."""

    def __init__(
        self,
        cells: Sequence[Cell],
        executor: CellExecutor,
        store: Store,
        notify: Callable[[Progress], None],
        before: Progress,
    ) -> None:
        self._waiting = deque(cells)
        self._suspects: deque[Cell] = deque()  # at work when a worker died: each again, alone
        self._at_work: dict[Any, Sequence[Cell]] = {}
        self._reports: SimpleQueue[Any] = SimpleQueue()
        self._executor, self._store = executor, store
        self._notify, self._progress = notify, before
        self._pace: float | None = None  # seconds for a cell
        self._start, self._n_left_at_start = time.monotonic(), len(cells)
        self._alone = False
        self._n_deaths = 0

    def run(self) -> Progress:
        """Return when every cell has been tried."""
        self._notify(self._progress)
        try:
            while self._has_more() or self._at_work:
                self._hand_out()
                if self._at_work:
                    self._wait()
        finally:
            self._executor.shutdown()
        return self._progress

    def _hand_out(self) -> None:
        """Submit what the executor has room for."""
        while len(self._at_work) < self._room() and self._has_more():
            self._alone = bool(self._suspects)
            batch = [self._suspects.popleft()] if self._alone else self._next_batch()
            if batch:
                self._submit(batch)

    def _room(self) -> int:
        is_alone = self._suspects or (self._alone and self._at_work)
        return 1 if is_alone else self._executor.max_batches

    def _has_more(self) -> bool:
        return bool(self._waiting or self._suspects)

    def _submit(self, batch: Sequence[Cell]) -> None:
        future = self._executor.submit(batch)
        self._at_work[future] = batch
        future.add_done_callback(self._reports.put)

    def _wait(self) -> None:
        """Take back the next report, and end what takes longer than allowed."""
        with suppress(Empty):
            self._take_back(self._reports.get(timeout=_LOOK_SECONDS))
        for future in self._executor.stop_overdue():
            batch = self._at_work.pop(future, ())
            self._again_or_failed(batch, len(batch) == 1, _OVERDUE)

    def _next_batch(self) -> list[Cell]:
        """Return the next cells that nobody has finished meanwhile."""
        size = 1 if self._pace is None else int(_BATCH_SECONDS / max(self._pace, 1e-6))
        fair = -(-len(self._waiting) // self._executor.max_batches)
        size = max(1, min(size, fair, _BATCH_MOST))
        batch = [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]
        known = self._store.statuses(batch)
        wanted = [cell for cell in batch if known.get(cell.key) != "done"]
        self._count(done=len(batch) - len(wanted))
        return wanted

    def _take_back(self, future: Any) -> None:
        batch = self._at_work.pop(future, None)
        if batch is None:  # was overdue
            return
        try:
            seconds, finished = future.result()
        except Exception as error:
            self._died(batch, error)
            return
        pace = seconds / len(batch)
        self._pace = pace if self._pace is None else (self._pace + pace) / 2
        self._keep(finished)

    def _died(self, batch: Sequence[Cell], error: Exception) -> None:
        """Try cells again by themselves after a worker died; one that was alone has failed."""
        if self._alone:
            self._n_deaths += 1
            if self._pace is None and self._n_deaths == _DEATHS_MOST:
                raise RuntimeError("No worker lives long enough to finish a cell.")
        self._again_or_failed(batch, self._alone, f"{_DEAD}\n{error_text(error)}")

    def _again_or_failed(self, batch: Sequence[Cell], is_last: bool, error: str) -> None:
        if not is_last:
            self._suspects.extend(batch)
            return
        self._keep(
            [CellRecord(cell.key, {}, error, 0.0, 0.0, None, (), versions()) for cell in batch]
        )

    def _keep(self, finished: Sequence[CellRecord]) -> None:
        self._store.save(finished)
        n_failed = sum(cell.error is not None for cell in finished)
        self._count(done=len(finished) - n_failed, failed=n_failed)

    def _count(self, done: int = 0, failed: int = 0) -> None:
        if done == failed == 0:
            return
        progress = self._progress
        done, failed = progress.done + done, progress.failed + failed
        n_left = progress.total - done - failed
        n_run = self._n_left_at_start - n_left
        seconds = (time.monotonic() - self._start) / n_run * n_left if n_run else None
        self._progress = Progress(done, failed, progress.total, seconds)
        self._notify(self._progress)
