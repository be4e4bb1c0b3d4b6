"""Scores, labels and decisions of dask arrays, worked on where their chunks are.

`open_lazily` opens files as such arrays, for workers that see the same file system.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._blocks._interface import (
    BLOCK_BYTES,
    Accumulator,
    Blocks,
    Part,
    RowSource,
    Total,
    is_dask,
    warn_of_label_order,
)
from labelwise._blocks._matching import (
    check_same,
    check_shape,
    checked_block,
    match_blocks,
    some_labels,
    stacked,
)
from labelwise._blocks._sources import open_source
from labelwise._parallel import has_lost_scheduler
from labelwise._validation import (
    Outcome,
    check_labels,
    check_names,
    check_scores,
    columns_in_order,
)

# Parts that one task of a merge tree joins.
_FAN_IN = 8
_SCHEDULER_LOST = (
    "The dask scheduler went away before the result was there: start it and run the same call "
    "again."
)
_WORKERS_LOST = (
    "The dask workers died before the result was computed, as they do if their memory is too "
    "small: give them more memory or fewer threads."
)
# Reasons of dask for a cancelled task that have nothing to do with workers.
_OF_SCHEDULER = ("scheduler-connection-lost", "scheduler-restart")


class DaskBlocks(NamedTuple):
    """Chunks of rows of dask arrays; only what a function returns for a chunk is moved.

    `chunks` has the first row and the matrices by name of each chunk, as delayed objects.
    """

    chunks: list[tuple[int, dict[str, Any]]]
    names: tuple[str, ...] | None
    n_samples: int
    n_labels: int
    score_bytes: int

    def reduced(
        self, of_block: Callable[[Outcome], Part], merge: Callable[[Sequence[Part]], Part]
    ) -> Part:
        """Merge what a function returns for each chunk, in a tree on the workers."""
        from dask.delayed import delayed

        parts = self._tasks(lambda outcome, _: of_block(outcome), None)
        while len(parts) > 1:
            groups = [parts[i : i + _FAN_IN] for i in range(0, len(parts), _FAN_IN)]
            parts = [delayed(_merge_some, pure=False)(merge, group) for group in groups]
        found: Part = computed(parts[0])
        return found

    def accumulated(self, accumulator: Accumulator[Total]) -> Total:
        """Return the total over the scores of all chunks, which are computed a second time.

        A total may be larger than a chunk, as that of gaps between positives is, so that totals of
        single chunks would fill the workers. Each thread of a worker adds one chunk after the other
        to its own total, and these are joined at the end, two at a time.
        """
        from dask.delayed import delayed

        common = sent_to_workers(accumulator)
        add, join = delayed(_with_chunk, pure=False), delayed(_joined_totals, pure=False)
        parts: list[Any] = []
        for numbers in np.array_split(np.arange(len(self.chunks)), n_worker_threads()):
            part = None
            for number in numbers.tolist():
                part = add(part, self.chunks[number][1]["scores"], common)
            parts += [] if part is None else [part]
        while len(parts) > 1:
            pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
            parts = [join(common, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
        found: Total = computed(parts[0])
        return found

    def label_groups(self, most_bytes: int) -> Iterator[Outcome]:
        """Yield all rows of a few labels at a time, gathered in this process."""
        width = max(1, most_bytes // (self.score_bytes * self.n_samples))
        for first in range(0, self.n_labels, width):
            labels = slice(first, first + width)
            tasks = self._tasks(lambda outcome, chosen: some_labels(outcome, chosen), labels)
            yield stacked([part for part in computed(tasks) if part is not None])

    def _tasks(self, of_chunk: Any, shared: Any) -> list[Any]:
        """Return a delayed call of the function for each chunk."""
        from dask.delayed import delayed

        run = delayed(_on_chunk, pure=False)
        return [run(of_chunk, start, cells, shared) for start, cells in self.chunks]


class DaskRows:
    """Rows of a dask array, computed a few chunks at a time."""

    id_name: str | None = None
    is_array = True

    def __init__(self, array: Any, names: tuple[str, ...] | None = None) -> None:
        self._array = array
        self.names = names

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        kind: np.dtype[Any] = self._array.dtype
        return kind

    def ids(self) -> Iterator[Any]:
        """Yield nothing: rows have no ids."""
        return iter(())

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Return some rows."""
        return np.asarray(computed(self._array[start:stop]))

    def chunk_sizes(self, n_together: int) -> list[int]:
        """Return the rows of blocks of neighbouring chunks, about `n_together` each."""
        ends, sizes, start = np.cumsum(self._array.chunks[0]), [], 0
        while start < self.shape[0]:
            within = ends[(ends > start) & (ends <= start + n_together)]
            end = int(within[-1] if within.size else ends[ends > start][0])
            sizes.append(end - start)
            start = end
        return sizes

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        n_rows, n_columns = self._array.shape
        return int(n_rows), int(n_columns)

    @property
    def row_bytes(self) -> int:
        """Bytes of a row in memory."""
        return int(self._array.dtype.itemsize) * self.shape[1]

    def blocks(self, n_together: int) -> Iterator[np.ndarray]:
        """Yield all rows in order, in blocks of chunks of about `n_together` rows."""
        start = 0
        for size in self.chunk_sizes(n_together):
            yield self.rows(start, start + size)
            start += size


def open_blocks(
    given: dict[str, Any],
    label_names: Any = None,
    columns: str | Sequence[str] | None = None,
    ids: str | Sequence[str] | dict[str, Any] | None = None,
    by_position: bool = False,
    labels_of: str = "Y",
) -> Blocks:
    """Open files and arrays in blocks of rows, or take the chunks of dask arrays as blocks."""
    if any(is_dask(data) for data in given.values()):
        if columns is not None:
            raise ValueError(f"columns must be None for dask arrays, got {columns!r}.")
        return dask_blocks(given, label_names)
    return match_blocks(given, label_names, columns, ids, by_position, labels_of)


def dask_blocks(given: dict[str, Any], label_names: Any = None) -> DaskBlocks:
    """Match the chunks of dask arrays; arrays in memory beside them are cut into the same rows.

    Parameters
    ----------
    given : dict of str to array
        "Y" and "scores" or "decided"; at least one is a dask array.
    label_names : sequence of str, default=None
        Names of the labels.

    Returns
    -------
    DaskBlocks
        The chunks of rows.
    """
    given = {name: data for name, data in given.items() if data is not None}
    first = next(given[name] for name in ("scores", "Y", "decided") if is_dask(given.get(name)))
    if any(np.isnan(size) for sizes in first.chunks for size in sizes):
        raise ValueError("Dask arrays must have known chunk sizes: call compute_chunk_sizes().")
    names = None if label_names is None else check_names(label_names, "label_names")
    matrices = {
        name: data if is_dask(data) else _in_memory(name, data, names)
        for name, data in given.items()
    }
    for name, matrix in matrices.items():
        check_shape(name, matrix.shape, matrices["Y"].shape)
    cells = {name: _rows_of_chunks(matrix, first.chunks[0]) for name, matrix in matrices.items()}
    starts = np.cumsum([0, *first.chunks[0][:-1]]).tolist()
    n_samples, n_labels = (int(side) for side in first.shape)
    if 0 in (n_samples, n_labels):
        raise ValueError(
            f"Y must have a row and a label, got {n_samples} rows and {n_labels} labels."
        )
    if names is not None and len(names) != n_labels:
        raise ValueError(f"label_names has {len(names)} names for {n_labels} labels.")
    chunks = [
        (start, {name: rows[i] for name, rows in cells.items()}) for i, start in enumerate(starts)
    ]
    return DaskBlocks(chunks, names, n_samples, n_labels, first.dtype.itemsize)


def computed(task: Any) -> Any:
    """Compute a delayed object; one sentence if the scheduler or the workers are gone."""
    from dask import base

    compute: Any = base.compute  # which has no types
    try:
        return compute(task)[0]
    except Exception as error:
        if _has_lost_workers(error):
            raise ConnectionError(_WORKERS_LOST) from error
        if has_lost_scheduler(error):
            raise ConnectionError(_SCHEDULER_LOST) from error
        raise


def _has_lost_workers(error: Exception) -> bool:
    """Return whether a task killed its workers, or data that were sent to them are lost."""
    if type(error).__name__ == "KilledWorker":
        return True
    reason = getattr(error, "reason", None)
    is_there = getattr(current_client(), "status", "") == "running"
    return is_there and reason is not None and reason not in _OF_SCHEDULER


def sent_to_workers(value: Any) -> Any:
    """Send a large value to the workers once; without a client, tasks share it in memory."""
    from dask.delayed import delayed

    client = current_client()
    if client is None:
        return delayed(value, pure=False, traverse=False)
    return client.scatter(value, broadcast=True, hash=False)


def current_client() -> Any:
    """Return the client of a dask cluster that is in use, or None."""
    try:
        import distributed
    except ModuleNotFoundError:
        return None
    find: Any = distributed.default_client
    try:
        return find()
    except ValueError:
        return None


def n_worker_threads() -> int:
    """Return the number of threads of all workers, or of cores without a cluster."""
    client = current_client()
    if client is None:
        return os.cpu_count() or 1
    n_threads: int = sum(client.nthreads().values())
    return max(1, n_threads)


def _in_memory(name: str, data: Any, label_names: tuple[str, ...] | None) -> Any:
    """Check a matrix beside dask arrays; columns with names have the order of `label_names`."""
    from scipy import sparse

    if name == "scores":
        return check_scores(data, label_names=label_names).matrix
    return sparse.csr_array(check_labels(data, label_names=label_names, input_name=name).matrix)


def _rows_of_chunks(matrix: Any, sizes: Sequence[int]) -> list[Any]:
    """Return the delayed blocks, or the rows in memory, of each chunk of rows."""
    if not is_dask(matrix):
        ends = np.cumsum([0, *sizes]).tolist()
        return [matrix[a:b] for a, b in pairwise(ends)]
    # Labels are few bytes beside scores; only neighbouring chunks are joined.
    aligned = matrix if matrix.chunks[0] == tuple(sizes) else matrix.rechunk({0: tuple(sizes)})
    return [list(row) for row in aligned.to_delayed()]


def _on_chunk(of_chunk: Any, start: int, cells: dict[str, Any], shared: Any) -> Any:
    """Check the rows of a chunk, and call the function; None for a chunk without rows."""
    given = {name: _joined(block) for name, block in cells.items()}
    if given["Y"].shape[0] == 0:
        return None
    return of_chunk(checked_block(given, start), shared)


def _joined(block: Any) -> Any:
    """Join the chunks of columns of one chunk of rows."""
    if not isinstance(block, list):
        return block
    parts = [np.asarray(part) for part in block]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _merge_some(merge: Any, parts: list[Any]) -> Any:
    found = [part for part in parts if part is not None]
    return merge(found) if found else None


def _with_chunk(so_far: Total | None, block: Any, accumulator: Accumulator[Total]) -> Total:
    """Return the total with one more chunk; a task must not change its arguments."""
    total = accumulator.empty() if so_far is None else deepcopy(so_far)
    scores: Any = check_scores(_joined(block)).matrix
    if len(scores):
        accumulator.add(total, scores)
    return total


def _joined_totals(accumulator: Accumulator[Total], one: Total, other: Total) -> Total:
    return accumulator.joined(one, other)


def open_lazily(
    paths: dict[str, Path | None],
    ids: Sequence[str] | None = None,
    *,
    by_position: bool = False,
    labels_of: str = "Y",
) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    """Open files as dask arrays, for workers that see the same file system.

    A chunk has about 32 MB; in parquet files, it is a row group.

    Parameters
    ----------
    paths : dict of str to Path or None
        Files of "Y", "scores" and "decided"; None for one that is not given.
    ids : sequence of str, default=None
        Names of the column of ids, see `open_source`.
    by_position : bool, default=False
        Whether rows and labels are matched by position if only some files have ids or names.
    labels_of : {"Y", "scores"}, default="Y"
        The file whose names, if it has any, give the order of the labels.

    Returns
    -------
    arrays : dict of str to dask array
        The files with their columns in the same order.
    names : tuple of str or None
        The names of the labels, or None.
    """
    sources = {
        name: (path, open_source(path, "scores", None, ids))
        for name, path in paths.items()
        if path is not None
    }
    opened = {name: one for name, (_, one) in sources.items()}
    names = check_same(opened, by_position=by_position, labels_of=labels_of)
    if labels_of == "scores":
        warn_of_label_order(names, opened["Y"].names, None)
    # Files whose chunks have the same rows need not be cut again.
    n_together = max(1, BLOCK_BYTES // max(source.row_bytes for _, source in sources.values()))
    arrays = {}
    for name, (path, source) in sources.items():
        array, own = _lazy_array(path, source, n_together), source.names
        if own is not None and names is not None and own != names:
            array = array[:, columns_in_order(names, own, name)]
        arrays[name] = array
    return arrays, names


def _lazy_array(path: Path, source: RowSource, n_together: int) -> Any:
    """Return a file as a dask array."""
    from dask import array as dask_array
    from dask.delayed import delayed

    read: Any = delayed(_read_rows, pure=True)
    from_delayed: Any = dask_array.from_delayed
    concatenate: Any = dask_array.concatenate
    parts, start = [], 0
    for size in source.chunk_sizes(n_together):
        shape = (size, source.shape[1])
        parts.append(
            from_delayed(read(path, source.names, start, start + size), shape, source.dtype)
        )
        start += size
    return concatenate(parts)


def _read_rows(path: Path, columns: tuple[str, ...] | None, start: int, stop: int) -> Any:
    return open_source(path, "scores", columns).rows(start, stop)
