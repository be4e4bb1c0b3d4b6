"""Executors of batches of cells: this process, worker processes, and a dask cluster.

A worker process can be killed, because a cell exceeds its time limit or the study was interrupted,
and is replaced by a new one.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from labelwise.experiments.running._cell_evaluation import CellEvaluator, run_batch
from labelwise.experiments.running._cells import Cell, CellRecord, StudyInputs

_MAX_BATCHES_ON_A_CLUSTER = 256
# One thread per process; modules are not imported from the folder that the study was started in.
_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "PYTHONSAFEPATH": "1",
}
_PARENT_CHECK_SECONDS = 1.0
# A process that is killed while it starts is replaced; if as many die in a row, something else is
# the cause.
_MOST_STARTS = 5
Batch = tuple[float, list[CellRecord]]  # the seconds that a batch took, and its records


class CellExecutor(Protocol):
    """Runs batches of cells and returns a future of each batch."""

    max_batches: int  # that may be submitted and unfinished at the same time

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Return a future of the seconds and the records of these cells."""

    def stop_overdue(self) -> list[Any]:
        """Kill workers that exceed the timeout; return the futures of their batches."""

    def shutdown(self) -> None:
        """Stop all workers immediately, also those that are running cells."""


def executor_for(
    inputs: StudyInputs, client: Any, n_jobs: int | None, timeout: float | None
) -> CellExecutor:
    """Return the executor that runs cells on a cluster, in this process or in others."""
    if client is not None:
        return DaskExecutor(inputs, client, n_jobs)
    from joblib import effective_n_jobs

    n_processes = effective_n_jobs(n_jobs)
    if n_processes == 1 and timeout is None:
        return SequentialExecutor(inputs)
    return ProcessExecutor(inputs, n_processes, timeout)


class SequentialExecutor:
    """Run each batch in this process when it is submitted."""

    max_batches = 1

    def __init__(self, inputs: StudyInputs) -> None:
        self._evaluator = CellEvaluator(inputs)

    def submit(self, cells: Sequence[Cell]) -> Future[Batch]:
        """Run the cells, and return a future that is done."""
        future: Future[Batch] = Future()
        future.set_result(run_batch(self._evaluator, cells))
        return future

    def stop_overdue(self) -> list[Any]:
        """Return an empty list: a batch is done as soon as it has been submitted."""
        return []

    def shutdown(self) -> None:
        """Do nothing: there are no workers."""


class DaskExecutor:
    """Run batches on the workers of a dask client; each data set is sent to a worker once."""

    def __init__(self, inputs: StudyInputs, client: Any, n_jobs: int | None) -> None:
        self._client = client
        self._evaluator = client.submit(CellEvaluator, inputs, pure=False)
        self._pending: list[Any] = []
        self.max_batches = 2 * n_jobs if n_jobs else _MAX_BATCHES_ON_A_CLUSTER

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Submit the cells to the scheduler of the cluster."""
        future = self._client.submit(run_batch, self._evaluator, cells, pure=False)
        self._pending = [*(old for old in self._pending if not old.done()), future]
        return future

    def stop_overdue(self) -> list[Any]:
        """Return an empty list: dask applies its own limits to its workers."""
        return []

    def shutdown(self) -> None:
        """Cancel the batches that are not done."""
        for future in self._pending:
            future.cancel()


class Worker:
    """A process that runs batches of cells one after the other."""

    def __init__(self, inputs: StudyInputs) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        # loky needs no guard in scripts, and sends functions that were defined in a notebook. The
        # death of one process breaks a whole pool, so each process has a pool of its own.
        arguments = (inputs, os.getpid())
        self._pool = ProcessPoolExecutor(
            1, initializer=_start_worker, initargs=arguments, env=_ENVIRONMENT
        )
        self._idle_since = time.monotonic()
        with _without_interrupts():
            self._pending = [self._pool.submit(os.getpid)]  # done when the process has started
        self._pending[0].add_done_callback(self._set_idle)
        self._has_started = self._pending[0].done

    @property
    def n_pending(self) -> int:
        """Number of batches that are not done."""
        return sum(not future.done() for future in self._pending)

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Return a future of the batch; raise BrokenExecutor if the process has died."""
        # The time of a batch counts from now, or from the end of the batch before it.
        if not self.n_pending:
            self._idle_since = time.monotonic()
        future = self._pool.submit(_run_batch_here, cells)
        self._pending = [*(old for old in self._pending if not old.done()), future]
        future.add_done_callback(self._set_idle)
        return future

    def seconds(self) -> float:
        """Return the seconds since the current batch began, 0 while the process starts."""
        return time.monotonic() - self._idle_since if self._has_started() else 0.0

    def kill(self) -> None:
        """Kill the process."""
        self._pool.shutdown(wait=True, kill_workers=True)

    def _set_idle(self, _: Any) -> None:
        self._idle_since = time.monotonic()


class ProcessExecutor:
    """Run batches in several processes on this machine; each process loads a data set once."""

    def __init__(self, inputs: StudyInputs, n_jobs: int, timeout: float | None = None) -> None:
        self._inputs = inputs
        self._n_jobs = n_jobs
        self._timeout = timeout
        self._workers: list[Worker] = []
        self._worker_of: dict[Any, Worker] = {}
        # Each process runs one batch while a second one waits; with a timeout no batch waits.
        self.max_batches = 2 * n_jobs if timeout is None else n_jobs

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Submit the cells to the process with the fewest pending batches."""
        worker = min(self._workers, key=lambda one: one.n_pending, default=None)
        if worker is None or (worker.n_pending and len(self._workers) < self._n_jobs):
            worker = self._start()
        try:
            future = worker.submit(cells)
        except BrokenExecutor:
            self._kill(worker)
            worker = self._start()
            future = worker.submit(cells)
        self._worker_of = {old: one for old, one in self._worker_of.items() if not old.done()}
        self._worker_of[future] = worker
        return future

    def stop_overdue(self) -> list[Any]:
        """Kill the processes whose batch exceeds the timeout; return these batches' futures."""
        limit = self._timeout
        if limit is None:
            return []
        overdue = [
            (future, worker)
            for future, worker in self._worker_of.items()
            if not future.done() and worker.seconds() > limit
        ]
        for _, worker in overdue:
            self._kill(worker)
        return [future for future, _ in overdue]

    def shutdown(self) -> None:
        """Kill all processes."""
        while self._workers:
            self._workers.pop().kill()

    def _start(self) -> Worker:
        for _ in range(_MOST_STARTS):
            # The inputs cannot be sent to a process that has died.
            with suppress(BrokenPipeError):
                self._workers.append(Worker(self._inputs))
                return self._workers[-1]
        raise ChildProcessError("No worker lives long enough to start.")

    def _kill(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.kill()


_evaluator: CellEvaluator | None = None


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that SIGINT does not reach: until they ignore it, it prints a traceback.

    A process inherits the signals that its parent blocks. Those of the parent are only delayed.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    # It is started with the first process, and would allow SIGINT again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(inputs: StudyInputs, parent: int) -> None:
    """Prepare this process for batches of cells."""
    global _evaluator
    # Ctrl-C is handled by the parent process, which then kills its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    _evaluator = CellEvaluator(inputs)


def _exit_with_parent(parent: int) -> None:
    """End this process when the parent has ended, also if it ended before this process began."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)


def _run_batch_here(cells: Sequence[Cell]) -> Batch:
    from joblib import parallel_config

    if _evaluator is None:
        raise RuntimeError("This process was not prepared to run cells.")
    # Processes that a model starts would outlive this one, and cells use all the cores already.
    with parallel_config(backend="sequential"):
        return run_batch(_evaluator, cells)
