"""Worker processes of this machine: each is ended and replaced without the others noticing."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from typing import Any

from labelwise.experiments.running._cell_evaluation import BatchResult, CellEvaluator, run_batch
from labelwise.experiments.running._cells import Cell, StudyInputs

# One thread each, and no module is taken from the folder that the runner was started in.
_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "PYTHONSAFEPATH": "1",
}
_PARENT_SECONDS = 1.0


class Worker:
    """A process that runs batches of cells, one after the other."""

    def __init__(self, inputs: StudyInputs) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        # loky: no guard needed in scripts, and functions of a notebook can be sent. A pool is
        # broken as a whole by the death of one process, so each process is a pool of its own.
        arguments = (inputs, os.getpid())
        self._pool = ProcessPoolExecutor(
            1, initializer=_start_worker, initargs=arguments, env=_ENVIRONMENT
        )
        self._free_since = time.monotonic()
        self._at_work = [self._pool.submit(os.getpid)]  # done when the process has started
        self._at_work[0].add_done_callback(self._set_free)
        self._is_ready = self._at_work[0].done

    @property
    def n_waiting(self) -> int:
        """Batches that are not done."""
        return sum(not future.done() for future in self._at_work)

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Hand over a batch; BrokenExecutor if the process has died."""
        # Seconds count from now, or from the end of what the process is busy with.
        if not self.n_waiting:
            self._free_since = time.monotonic()
        future = self._pool.submit(_run_batch_here, cells)
        self._at_work = [*(old for old in self._at_work if not old.done()), future]
        future.add_done_callback(self._set_free)
        return future

    def seconds(self) -> float:
        """Return how long the process has been at its batch, 0 while it starts."""
        return time.monotonic() - self._free_since if self._is_ready() else 0.0

    def end(self) -> None:
        """Kill the process."""
        self._pool.shutdown(wait=True, kill_workers=True)

    def _set_free(self, _: Any) -> None:
        self._free_since = time.monotonic()


class ProcessExecutor:
    """An executor of processes on this machine; each loads a data set once.

    Parameters
    ----------
    inputs : StudyInputs
        What cells are made of.
    n_jobs : int
        Number of processes.
    timeout : float, optional
        Seconds after which a batch is overdue.
    """

    def __init__(self, inputs: StudyInputs, n_jobs: int, timeout: float | None = None) -> None:
        self._inputs = inputs
        self._n_jobs = n_jobs
        self._timeout = timeout
        self._workers: list[Worker] = []
        self._worker_of: dict[Any, Worker] = {}
        # One batch at work and one at hand for each, unless the time of a batch is limited.
        self.max_batches = 2 * n_jobs if timeout is None else n_jobs

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Hand the cells to the process that has least to do."""
        worker = min(self._workers, key=lambda one: one.n_waiting, default=None)
        if worker is None or (worker.n_waiting and len(self._workers) < self._n_jobs):
            worker = self._start()
        try:
            future = worker.submit(cells)
        except BrokenExecutor:
            self._end(worker)
            worker = self._start()
            future = worker.submit(cells)
        self._worker_of = {old: one for old, one in self._worker_of.items() if not old.done()}
        self._worker_of[future] = worker
        return future

    def stop_overdue(self) -> list[Any]:
        """Kill processes whose batch takes longer than allowed; return the futures of these."""
        limit = self._timeout
        if limit is None:
            return []
        late = [
            (future, worker)
            for future, worker in self._worker_of.items()
            if not future.done() and worker.seconds() > limit
        ]
        for _, worker in late:
            self._end(worker)
        return [future for future, _ in late]

    def shutdown(self) -> None:
        """Kill the processes."""
        while self._workers:
            self._workers.pop().end()

    def _start(self) -> Worker:
        self._workers.append(Worker(self._inputs))
        return self._workers[-1]

    def _end(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.end()


_evaluator: CellEvaluator | None = None


def _start_worker(inputs: StudyInputs, runner: int) -> None:
    """Prepare a process for its cells."""
    global _evaluator
    # Ctrl-C is for the runner, which then lets its workers go.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, args=(runner,), daemon=True).start()
    _evaluator = CellEvaluator(inputs)


def _exit_with_parent(runner: int) -> None:
    """End this process when the runner is gone, also if it went before this process began."""
    while os.getppid() == runner:
        time.sleep(_PARENT_SECONDS)
    os._exit(1)


def _run_batch_here(cells: Sequence[Cell]) -> BatchResult:
    from joblib import parallel_config

    if _evaluator is None:
        raise RuntimeError("This process was not prepared for cells.")
    # Processes that a model starts would outlive this one, and the cores are taken by cells.
    with parallel_config(backend="sequential"):
        return run_batch(_evaluator, cells)
