"""Crews: who works on cells. This process, several processes, or a dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from labelwise.experiments.running._cells import Cell, Work
from labelwise.experiments.running._measuring import Bench, Report, report_on

_AT_ONCE_ON_A_CLUSTER = 256


class Crew(Protocol):
    """Takes batches of cells and gives futures of reports."""

    n_at_once: int

    def submit(self, cells: Sequence[Cell]) -> Any:
        """Return a future of the report on these cells."""

    def end_overdue(self) -> list[Any]:
        """End workers that take longer than allowed; return the futures of their batches."""

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

    def end_overdue(self) -> list[Any]:
        """Return nothing: a batch is done when it has been submitted."""
        return []

    def dismiss(self) -> None:
        """Do nothing."""


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

    def end_overdue(self) -> list[Any]:
        """Return nothing: dask looks after its workers."""
        return []

    def dismiss(self) -> None:
        """Take back what is not done."""
        for future in self._given:
            future.cancel()
