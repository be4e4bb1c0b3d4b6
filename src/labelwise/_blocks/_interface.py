"""The interface of rows that are read in blocks, and which arguments are such rows.

It imports no reader of files, so that functions of rows in memory do not load any.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from labelwise._text import listed
from labelwise._validation import Outcome

# Bytes of the scores of a block, unless `block_rows` says how many rows.
BLOCK_BYTES = 2**25
_ROWS: ContextVar[int | None] = ContextVar("rows of a block", default=None)
Part = TypeVar("Part")
Total = TypeVar("Total")


class RowSource(ABC):
    """A matrix whose rows are read in order, as often as needed, a block at a time."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    names: tuple[str, ...] | None = None
    id_name: str | None = None  # of the column of ids; None if rows have none
    path: Path | None = None  # of the file or folder
    is_array = False  # whether it is an array in memory, which has neither names nor ids

    @abstractmethod
    def rows(self, start: int, stop: int) -> Any:
        """Return some rows, which need not be in order with other calls."""

    def ids(self) -> Iterator[Any]:
        """Yield arrow arrays of the ids of all rows in order, as text; nothing without ids."""
        return iter(())

    @property
    def row_bytes(self) -> int:
        """Bytes of a row in memory, as if it were dense."""
        return self.dtype.itemsize * self.shape[1]

    def chunk_sizes(self, n_together: int) -> list[int]:
        """Return numbers of rows, about `n_together` each, that can be read by themselves."""
        n_rows = self.shape[0]
        return [min(n_together, n_rows - start) for start in range(0, n_rows, n_together)]

    def blocks(self, n_together: int) -> Iterator[Any]:
        """Yield all rows in order, about `n_together` at a time."""
        start = 0
        for size in self.chunk_sizes(n_together):
            yield self.rows(start, start + size)
            start += size


@contextmanager
def block_rows(n_rows: int | None) -> Iterator[None]:
    """Read blocks of some rows below, as a bound on memory asks for; None means about 32 MB.

    No result depends on it. The blocks of dask arrays are their chunks.
    """
    token = _ROWS.set(n_rows)
    try:
        yield
    finally:
        _ROWS.reset(token)


def rows_together(row_bytes: int) -> int:
    """Return how many rows of the given size are a block."""
    return _ROWS.get() or max(1, BLOCK_BYTES // row_bytes)


class Accumulator(Protocol[Total]):
    """A total over the scores of all blocks, which does not depend on their order.

    On a cluster, the accumulator is sent to each worker once.
    """

    def empty(self) -> Total:
        """Return the total of no block."""

    def add(self, total: Total, scores: np.ndarray) -> None:
        """Add the scores of a block, in place."""

    def joined(self, one: Total, other: Total) -> Total:
        """Return the total of both."""


class Blocks(Protocol):
    """Rows of scores and labels that are read in blocks, wherever these are."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the labels, or None."""

    @property
    def n_samples(self) -> int:
        """Number of rows."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    def reduced(
        self, of_block: Callable[[Outcome], Part], merge: Callable[[Sequence[Part]], Part]
    ) -> Part:
        """Merge what a function returns for each block, in any grouping."""

    def accumulated(self, accumulator: Accumulator[Total]) -> Total:
        """Return the total over the scores of all blocks."""

    def label_groups(self, most_bytes: int) -> Iterator[Outcome]:
        """Yield all rows of a few labels at a time."""


def is_dask(data: Any) -> bool:
    """Return whether data is a dask array, without importing dask."""
    return type(data).__module__.split(".")[0] == "dask" and hasattr(data, "to_delayed")


def is_stored(*given: Any) -> bool:
    """Return whether rows are read in blocks: those of a path, a dask array or a `RowSource`."""
    return any(isinstance(data, str | Path | RowSource) or is_dask(data) for data in given)


def refuse_in_blocks(**options: Any) -> None:
    """Refuse options that need all rows in memory; None, 0 and empty values are not given."""
    for name, value in options.items():
        if value is not None and np.size(value) and not (np.ndim(value) == 0 and not value):
            raise ValueError(
                f"{name} needs all rows in memory: it cannot be given for rows that are read in "
                "blocks."
            )


def warn_of_label_order(
    names: tuple[str, ...] | None,
    names_of_Y: tuple[str, ...] | None,
    label_names: Sequence[str] | None,
    stacklevel: int = 3,
) -> None:
    """Warn once if Y or `label_names` have the labels in another order than the result.

    Names that are not labels are those of columns of ids.
    """
    if names is None:
        return
    given, known = {"Y": names_of_Y, "label_names": label_names}, frozenset(names)
    others = [
        name
        for name, order in given.items()
        if order is not None
        and tuple(label for label in map(str, order) if label in known) != names
    ]
    if others:
        warnings.warn(
            f"The labels of {' and '.join(others)} are in another order than those of scores: they "
            f"are matched by name, and the result has the order of scores ({listed(names)}).",
            stacklevel=stacklevel,
        )
