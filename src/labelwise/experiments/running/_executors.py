"""Executors of batches of cells: their protocol, this process, and a dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from labelwise.experiments.running._cell_evaluation import BatchResult, CellEvaluator, run_batch
from labelwise.experiments.running._cells import Cell, StudyInputs

_MAX_BATCHES_ON_A_CLUSTER = 256


class CellExecutor(Protocol):
    """Runs batches of cells and returns a future of each batch."""

    max_batches: int  # that may be submitted and unfinished at the same time

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Return a future of the `BatchResult` of these cells."""

    def stop_overdue(self) -> list[Any]:
        """Kill workers that exceed the timeout; return the futures of their batches."""

    def shutdown(self) -> None:
        """Stop all workers immediately, also those that are running cells."""


class SequentialExecutor:
    """Run each batch in this process when it is submitted."""

    max_batches = 1

    def __init__(self, inputs: StudyInputs) -> None:
        self._evaluator = CellEvaluator(inputs)

    def submit(self, cells: Sequence[Cell]) -> Future[BatchResult]:
        """Run the cells, and return a future that is done."""
        future: Future[BatchResult] = Future()
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
