"""Crews: who works on cells. This process, several processes, or a dask cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from labelwise.experiments._cells import Cell, Finished, Work
from labelwise.experiments._measuring import Bench

Report = tuple[float, list[Finished]]  # seconds that a batch took, and what became of its cells
# One thread each, and no module is taken from the folder that the runner was started in.
_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "PYTHONSAFEPATH": "1",
}
_PARENT_SECONDS = 1.0
_AT_ONCE_ON_A_CLUSTER = 256


class Crew(Protocol):
    """Takes batches of cells and gives futures of reports."""

    n_at_once: int

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Return a future of the report on these cells."""

    def renew(self) -> None:
        """Take new workers in the place of those that died."""

    def dismiss(self) -> None:
        """Let all workers go at once, whatever they are doing."""


class ThisProcess:
    """A crew of one: cells run where the study was started, one after the other."""

    n_at_once = 1

    def __init__(self, work: Work) -> None:
        self._bench = Bench(work)

    def submit(self, cells: Sequence[Cell]) -> Future[Report]:
        """Run the cells now."""
        future: Future[Report] = Future()
        future.set_result(report_on(self._bench, cells))
        return future

    def renew(self) -> None:
        """Do nothing: had it died, nobody would ask."""

    def dismiss(self) -> None:
        """Do nothing."""


class Processes:
    """A crew of processes on this machine; each loads a data set once."""

    def __init__(self, work: Work, n_jobs: int) -> None:
        self._work = work
        self._n_jobs = n_jobs
        # One batch at work and one at hand for each.
        self.n_at_once = 2 * n_jobs
        self.renew()

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Hand the cells to the next free process."""
        return self._pool.submit(_report_here, cells)

    def renew(self) -> None:
        """Start new processes."""
        from joblib.externals.loky import ProcessPoolExecutor

        # loky: no guard needed in scripts, and functions of a notebook can be sent.
        self._pool = ProcessPoolExecutor(
            self._n_jobs, initializer=_take_place, initargs=(self._work,), env=_ENVIRONMENT
        )

    def dismiss(self) -> None:
        """Kill the processes."""
        self._pool.shutdown(wait=True, kill_workers=True)


class Cluster:
    """A crew of dask workers; a data set travels to each of them once."""

    def __init__(self, work: Work, client: Any, n_jobs: int | None) -> None:
        self._client = client
        self._bench = client.submit(Bench, work, pure=False)
        self._given: list[Any] = []
        self.n_at_once = 2 * n_jobs if n_jobs else _AT_ONCE_ON_A_CLUSTER

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Hand the cells to the scheduler."""
        future = self._client.submit(report_on, self._bench, cells, pure=False)
        self._given = [*(old for old in self._given if not old.done()), future]
        return future

    def renew(self) -> None:
        """Do nothing: dask looks after its workers."""

    def dismiss(self) -> None:
        """Take back what is not done."""
        for future in self._given:
            future.cancel()


def report_on(bench: Bench, cells: Sequence[Cell]) -> Report:
    """Run cells and say how long they took."""
    start = time.perf_counter()
    finished = bench.run(cells)
    return time.perf_counter() - start, finished


_place: Bench | None = None


def _take_place(work: Work) -> None:
    """Prepare a process for its cells."""
    global _place
    _place = Bench(work)
    # Ctrl-C is for the runner, which then lets its workers go.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()


def _leave_with(parent: int) -> None:
    """End this process when the runner is gone, so that a killed study leaves nobody behind."""
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os._exit(1)


def _report_here(cells: Sequence[Cell]) -> Report:
    if _place is None:
        raise RuntimeError("This process was not prepared for cells.")
    return report_on(_place, cells)
