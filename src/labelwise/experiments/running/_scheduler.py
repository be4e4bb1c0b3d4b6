"""Schedule cells: submit batches, save records, repeat cells after a crash, show progress."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from labelwise._parallel import has_lost_scheduler
from labelwise.experiments.running._cell_evaluation import error_text, provenance
from labelwise.experiments.running._cells import Cell, CellRecord
from labelwise.experiments.running._executors import CellExecutor
from labelwise.experiments.running._store import Store

# Short cells share a batch, which is sent and saved as a whole, up to these limits.
_BATCH_SECONDS = 0.2
_MAX_BATCH_SIZE = 256
# If this many workers die in a row before any cell has finished, the cells are not the cause.
_MAX_CRASHES = 5
_TIMEOUT_CHECK_SECONDS = 0.2
_CRASHED = "The worker died twice with this cell, the second time with no other cell."
_LOST = (
    "The dask scheduler went away; the cells that were done are in the store, and the same call "
    "with a running scheduler continues there."
)
_OVERDUE = "The cell exceeded its timeout; its worker was killed."
_SECONDS_BETWEEN_LINES = 60.0


class Progress(NamedTuple):
    """Numbers of done, failed and all cells of a study, and the time left."""

    done: int
    failed: int
    total: int
    seconds_left: float | None


class Scheduler:
    """Runs cells on an executor until each of them is done or has failed, and stores their records.

    `notify` is called with the `Progress` after each batch; `before` are the counts at first.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        executor: CellExecutor,
        store: Store,
        notify: Callable[[Progress], None],
        before: Progress,
    ) -> None:
        self._waiting = deque(cells)
        self._suspects: deque[Cell] = deque()  # cells of a crashed batch; each is run alone
        self._running: dict[Any, Sequence[Cell]] = {}
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._executor, self._store = executor, store
        self._notify, self._progress = notify, before
        self._seconds_per_cell: float | None = None
        self._start, self._n_cells = time.monotonic(), len(cells)
        self._is_alone = False
        self._n_crashes = 0

    def run(self) -> Progress:
        """Run all cells; return the final counts."""
        self._notify(self._progress)
        try:
            while self._has_more() or self._running:
                self._submit_batches()
                if self._running:
                    self._wait()
        finally:
            self._executor.shutdown()
        return self._progress

    def _submit_batches(self) -> None:
        """Submit batches until the executor has its maximum of unfinished batches."""
        while len(self._running) < self._max_batches() and self._has_more():
            self._is_alone = bool(self._suspects)
            batch = [self._suspects.popleft()] if self._is_alone else self._next_batch()
            if batch:
                self._submit(batch)

    def _max_batches(self) -> int:
        is_alone = self._suspects or (self._is_alone and self._running)
        return 1 if is_alone else self._executor.max_batches

    def _has_more(self) -> bool:
        return bool(self._waiting or self._suspects)

    def _submit(self, batch: Sequence[Cell]) -> None:
        future = self._executor.submit(batch)
        self._running[future] = batch
        future.add_done_callback(self._done.put)

    def _wait(self) -> None:
        """Wait for the next finished batch, and stop batches that exceed the timeout."""
        with suppress(Empty):
            self._collect(self._done.get(timeout=_TIMEOUT_CHECK_SECONDS))
        for future in self._executor.stop_overdue():
            batch = self._running.pop(future, ())
            self._repeat_or_fail(batch, len(batch) == 1, _OVERDUE)

    def _next_batch(self) -> list[Cell]:
        """Return the next cells, without those that another process has finished meanwhile."""
        seconds = self._seconds_per_cell
        size = 1 if seconds is None else int(_BATCH_SECONDS / max(seconds, 1e-6))
        fair = -(-len(self._waiting) // self._executor.max_batches)
        size = max(1, min(size, fair, _MAX_BATCH_SIZE))
        batch = [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]
        known = self._store.statuses(batch)
        unfinished = [cell for cell in batch if known.get(cell.key) != "done"]
        self._count(done=len(batch) - len(unfinished))
        return unfinished

    def _collect(self, future: Any) -> None:
        """Save the records of a batch, or handle the death of its worker."""
        batch = self._running.pop(future, None)
        if batch is None:  # stopped because of the timeout
            return
        try:
            seconds, records = future.result()
        except Exception as error:
            if has_lost_scheduler(error):
                raise ConnectionError(_LOST) from error
            self._handle_crash(batch, error)
            return
        latest, mean = seconds / len(batch), self._seconds_per_cell
        self._seconds_per_cell = latest if mean is None else (mean + latest) / 2
        self._save(records)

    def _handle_crash(self, batch: Sequence[Cell], error: Exception) -> None:
        """Run the cells of a dead worker again, each alone; a cell that was alone has failed."""
        if self._is_alone:
            self._n_crashes += 1
            if self._seconds_per_cell is None and self._n_crashes == _MAX_CRASHES:
                raise ChildProcessError("No worker lives long enough to finish a cell.")
        # Of a process that was killed, the traceback shows only where its result was awaited.
        was_killed = isinstance(error, BrokenExecutor) and error.__cause__ is None
        text = _CRASHED if was_killed else f"{_CRASHED}\n{error_text(error)}"
        self._repeat_or_fail(batch, self._is_alone, text)

    def _repeat_or_fail(self, batch: Sequence[Cell], has_failed: bool, error: str) -> None:
        if not has_failed:
            self._suspects.extend(batch)
            return
        self._save(
            [CellRecord(cell.key, {}, error, 0.0, 0.0, None, (), provenance()) for cell in batch]
        )

    def _save(self, records: Sequence[CellRecord]) -> None:
        self._store.save(records)
        n_failed = sum(record.error is not None for record in records)
        self._count(done=len(records) - n_failed, failed=n_failed)

    def _count(self, done: int = 0, failed: int = 0) -> None:
        """Add finished cells to the progress, estimate the time left, and notify the caller."""
        if done == failed == 0:
            return
        progress = self._progress
        done, failed = progress.done + done, progress.failed + failed
        n_left = progress.total - done - failed
        n_run = self._n_cells - n_left
        seconds = (time.monotonic() - self._start) / n_run * n_left if n_run else None
        self._progress = Progress(done, failed, progress.total, seconds)
        self._notify(self._progress)


@contextmanager
def progress_callback(
    progress: bool | Callable[[Progress], None] | None,
) -> Iterator[Callable[[Progress], None]]:
    """Provide the function to call after every batch of cells.

    It is `progress` itself if that is callable; else it updates a line on stderr, or does nothing.
    If stderr is not a terminal, or rich is not installed, it writes a new line at most once a
    minute.
    """
    if callable(progress):
        yield progress
    elif not (sys.stderr.isatty() if progress is None else progress):
        yield lambda _: None
    elif sys.stderr.isatty() and find_spec("rich") is not None:
        with _line_on_terminal() as update:
            yield update
    else:
        yield _lines_in_a_file()


@contextmanager
def _line_on_terminal() -> Iterator[Callable[[Progress], None]]:
    """Provide a function that draws one line again and again, until the end of the context."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress as Line, TextColumn

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Line(*columns, console=Console(stderr=True), transient=True) as line:
        task = line.add_task("starting", total=None)

        def update(now: Progress) -> None:
            finished = now.done + now.failed
            line.update(task, completed=finished, total=now.total, description=progress_text(now))

        yield update


def _lines_in_a_file() -> Callable[[Progress], None]:
    """Return a function that writes a line to stderr if the last one is a minute old."""
    last = time.monotonic()

    def update(now: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            sys.stderr.write(f"{progress_text(now)}\n")
            sys.stderr.flush()

    return update


def progress_text(now: Progress) -> str:
    """Return the counts and the time left as one phrase."""
    failed = f", {now.failed:,} failed" if now.failed else ""
    left = (
        "" if now.seconds_left is None else f", {timedelta(seconds=round(now.seconds_left))} left"
    )
    return f"{now.done:,} of {now.total:,} cells done{failed}{left}"
