"""Scores, labels and decisions of dask arrays, worked on where their chunks are.

`open_lazily` opens files as such arrays, for workers that see the same file system.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
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
    check_n_rows,
    checked_block,
    match_blocks,
    match_rows,
    some_labels,
    stacked,
)
from labelwise._blocks._sources import open_source
from labelwise._parallel import has_lost_scheduler
from labelwise._validation import (
    MatchedSide,
    Outcome,
    check_labels,
    check_names,
    check_scores,
    is_list_of_sets,
    rows_in_order,
    rows_of,
    same_labels,
    without_position,
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

        parts = self._tasks(of_block)
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
            tasks = self._tasks(partial(some_labels, labels=slice(first, first + width)))
            yield stacked([part for part in computed(tasks) if part is not None])

    def _tasks(self, of_block: Callable[[Outcome], Any]) -> list[Any]:
        """Return a delayed call of the function for each chunk."""
        from dask.delayed import delayed

        run = delayed(_on_chunk, pure=False)
        return [run(of_block, start, cells) for start, cells in self.chunks]


class DaskRows(RowSource):
    """Rows of a dask array, computed a few chunks at a time."""

    is_array = True

    def __init__(self, array: Any) -> None:
        self._array = array
        n_rows, n_columns = array.shape
        self.shape, self.dtype = (int(n_rows), int(n_columns)), array.dtype

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


def open_blocks(
    given: dict[str, Any],
    label_names: Any = None,
    columns: str | Sequence[str] | None = None,
    ids: Any = None,
    labels_of: str = "Y",
) -> Blocks:
    """Open files and arrays in blocks of rows, or take the chunks of dask arrays as blocks."""
    if any(is_dask(data) for data in given.values()):
        if columns is not None:
            raise ValueError(f"columns must be None for dask arrays, got {columns!r}.")
        return dask_blocks(given, label_names, ids, labels_of)
    return match_blocks(given, label_names, columns, ids, labels_of)


def dask_blocks(
    given: dict[str, Any],
    label_names: Any = None,
    ids: Any = None,
    labels_of: str = "Y",
) -> DaskBlocks:
    """Match the chunks of dask arrays; arrays in memory beside them are cut into the same rows.

    `given` has "Y" and "scores" or "decided", of which at least one is a dask array. Rows must have
    the same ids in the same order; `ids` is as in `rows_of`, or False to match by position. Labels
    are matched by name, as in `match_blocks`; dask arrays have no names.
    """
    given = {name: data for name, data in given.items() if data is not None}
    first = next(given[name] for name in ("scores", "Y", "decided") if is_dask(given.get(name)))
    if any(np.isnan(size) for sizes in first.chunks for size in sizes):
        raise ValueError("Dask arrays must have known chunk sizes: call compute_chunk_sizes().")
    ids, by_position = without_position(ids)
    names = None if label_names is None else check_names(label_names, "label_names")
    sides = {name: rows_of(data, ids, name) for name, data in given.items()}
    matrices, matched = {}, {}
    for name, (data, side) in sides.items():
        matrices[name], known = (data, names) if is_dask(data) else _in_memory(name, data, names)
        matched[name] = side._replace(shape=matrices[name].shape, label_names=known)
    _refuse_other_rows(matched, by_position)
    check_n_rows(matched)
    if names is not None and len(names) != matrices["Y"].shape[1]:
        raise ValueError(f"label_names has {len(names)} names for {matrices['Y'].shape[1]} labels.")
    same = same_labels(matched[labels_of], [*matched.values()], by_position)
    n_samples, n_labels = map(int, matrices["Y"].shape)
    for name, order in zip(given, same.places[1:], strict=True):
        if not np.array_equal(order, np.arange(n_labels)):
            matrices[name] = matrices[name][:, order]
    cells = {name: _rows_of_chunks(matrix, first.chunks[0]) for name, matrix in matrices.items()}
    starts = np.cumsum([0, *first.chunks[0][:-1]]).tolist()
    chunks = [
        (start, {name: rows[i] for name, rows in cells.items()}) for i, start in enumerate(starts)
    ]
    return DaskBlocks(chunks, same.names, n_samples, n_labels, first.dtype.itemsize)


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


def _refuse_other_rows(sides: dict[str, MatchedSide], by_position: bool) -> None:
    """Refuse matrices whose rows do not have the ids of Y in the same order."""
    for name, side in sides.items():
        if rows_in_order(sides["Y"], side, by_position) is not None:
            raise ValueError(
                f"{name} and Y must have the same ids in the same order to be read in blocks: sort "
                "both by their ids."
            )


def _in_memory(
    name: str, data: Any, label_names: tuple[str, ...] | None
) -> tuple[Any, tuple[str, ...] | None]:
    """Check a matrix beside dask arrays; also return the names of its columns, if it has any.

    Columns with names have the order of `label_names`.
    """
    from scipy import sparse

    if isinstance(data, str | os.PathLike):
        raise TypeError(
            f"{name} must be an array or a dask array beside a dask array, got a path: open the "
            "file with dask."
        )
    if label_names is None and is_list_of_sets(data):
        raise ValueError(f"{name} is a list of sets: give label_names beside a dask array.")
    if name == "scores":
        scores = check_scores(data, label_names=label_names)
        return scores.matrix, scores.names
    labels = check_labels(data, label_names=label_names, input_name=name)
    return sparse.csr_array(labels.matrix), labels.names


def _rows_of_chunks(matrix: Any, sizes: Sequence[int]) -> list[Any]:
    """Return the delayed blocks, or the rows in memory, of each chunk of rows."""
    if not is_dask(matrix):
        ends = np.cumsum([0, *sizes]).tolist()
        return [matrix[a:b] for a, b in pairwise(ends)]
    # Labels are few bytes beside scores; only neighbouring chunks are joined.
    aligned = matrix if matrix.chunks[0] == tuple(sizes) else matrix.rechunk({0: tuple(sizes)})
    return [list(row) for row in aligned.to_delayed()]


def _on_chunk(of_block: Callable[[Outcome], Any], start: int, cells: dict[str, Any]) -> Any:
    """Check the rows of a chunk, and call the function; None for a chunk without rows."""
    given = {name: _joined(block) for name, block in cells.items()}
    return of_block(checked_block(given, start)) if given["Y"].shape[0] else None


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
    ids: Any = None,
    *,
    labels_of: str = "Y",
) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    """Open files as dask arrays, for workers that see the same file system.

    Return the arrays, with columns in the same order, and the names of the labels. A chunk has
    about 32 MB; in parquet files, it is a row group. Arguments are as in `match_blocks`.
    """
    ids, by_position = without_position(ids)
    given = {name: path for name, path in paths.items() if path is not None}
    sources = {name: open_source(path, "scores", None, ids) for name, path in given.items()}
    names, orders = match_rows(sources, by_position=by_position, labels_of=labels_of)
    if labels_of == "scores":
        warn_of_label_order(names, sources["Y"].names, None)
    # Files whose chunks have the same rows need not be cut again.
    n_together = max(1, BLOCK_BYTES // max(source.row_bytes for source in sources.values()))
    arrays = {}
    for name, source in sources.items():
        array, order = _lazy_array(given[name], source, n_together), orders[name]
        arrays[name] = array if order is None else array[:, order]
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
