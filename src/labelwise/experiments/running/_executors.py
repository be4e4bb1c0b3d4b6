"""Crews: who works on cells. This process, several processes, or a dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from labelwise.experiments.running._cell_evaluation import BatchResult, CellEvaluator, run_batch
from labelwise.experiments.running._cells import Cell, StudyInputs

_AT_ONCE_ON_A_CLUSTER = 256


class CellExecutor(Protocol):
    """Takes batches of cells and gives futures of reports."""

    max_batches: int

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Return a future of the report on these cells."""

    def stop_overdue(self) -> list[Any]:
        """End workers that take longer than allowed; return the futures of their batches."""

    def shutdown(self) -> None:
        """Let all workers go at once, whatever they are doing."""


class SequentialExecutor:
    """An executor of one: cells run where the study was started, one after the other."""

    max_batches = 1

    def __init__(self, inputs: StudyInputs) -> None:
        self._evaluator = CellEvaluator(inputs)

    def submit(self, cells: Sequence[Cell]) -> Future[BatchResult]:
        """Run the cells now."""
        future: Future[BatchResult] = Future()
        future.set_result(run_batch(self._evaluator, cells))
        return future

    def stop_overdue(self) -> list[Any]:
        """Return nothing: a batch is done when it has been submitted."""
        return []

    def shutdown(self) -> None:
        """Do nothing."""


class DaskExecutor:
    """An executor of dask workers; a data set travels to each of them once."""

    def __init__(self, inputs: StudyInputs, client: Any, n_jobs: int | None) -> None:
        self._client = client
        self._evaluator = client.submit(CellEvaluator, inputs, pure=False)
        self._given: list[Any] = []
        self.max_batches = 2 * n_jobs if n_jobs else _AT_ONCE_ON_A_CLUSTER

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Hand the cells to the scheduler."""
        future = self._client.submit(run_batch, self._evaluator, cells, pure=False)
        self._given = [*(old for old in self._given if not old.done()), future]
        return future

    def stop_overdue(self) -> list[Any]:
        """Return nothing: dask looks after its workers."""
        return []

    def shutdown(self) -> None:
        """Take back what is not done."""
        for future in self._given:
            future.cancel()
