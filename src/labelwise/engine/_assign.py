"""The public functions `assign` and `compare_splits` of the engine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks import Blocks, MatchedBlocks, open_blocks
from labelwise._validation import Outcome
from labelwise.splitting import (
    BALANCED_UP_TO,
    SplitComparison,
    SplitQuality,
    assign_blocks,
    check_proportions,
    positives_by_subset,
    quality_of_counts,
)
from labelwise.splitting import assign as assign_in_memory


def assign(
    Y: Any,
    proportions: int | Sequence[float],
    *,
    method: str = "auto",
    groups: Any = None,
    random_state: Any = None,
    columns: str | Sequence[str] | None = None,
    block_rows: int | None = None,
    ids: str | Sequence[str] | None = None,
) -> np.ndarray:
    """Assign the rows of a label file to subsets, with every label spread evenly.

    The subsets are those of `labelwise.splitting.assign` on all rows. The file is read in blocks.

    Parameters
    ----------
    Y : path, array, sparse matrix, frame, list of sets or dask array
        The labels, 0 or 1, of shape (n_samples, n_labels), as in `best_thresholds` of the engine.
    proportions : int or sequence of float
        Number of subsets of equal size, or the share of each subset.
    method : str, default="auto"
        The method, as in `labelwise.splitting.assign`.
    groups : array of shape (n_samples,), default=None
        Group of each row; the rows of a group are in the same subset.
    random_state : int, RandomState instance or None, default=None
        Seed of the choices.
    columns : str or sequence of str, default=None
        Names of the columns of a parquet file that are labels, or a prefix with a star such as
        ``"label:*"``; other columns are not read. None means all columns but the ids.
    block_rows : int, default=None
        Rows of a block; None means about 32 MB of labels.
    ids : str or sequence of str, default=None
        Name of the column of ids in a parquet file, as in `best_thresholds` of the engine.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        Number of the subset of each row.

    Raises
    ------
    ValueError
        If a value is not 0 or 1, or if an option is out of its range.
    DataError
        If a file cannot be read.

    See Also
    --------
    compare_splits : The same, with the quality of the split.
    labelwise.splitting.assign : The same for labels in memory.

    Notes
    -----
    By method "iterative" (and "auto" for more than 10 million samples and positives together), rows
    are read three times. Memory grows with the rows (36 bytes each) and with labels times subsets;
    the positives are in a temporary file, 12 bytes each, which the system may keep in memory if
    there is room. Other methods, groups and dask arrays join the positives in memory.

    Examples
    --------
    >>> from labelwise.engine import assign
    >>> assign([[1, 0], [0, 1], [1, 0], [0, 1]], 2, random_state=0, block_rows=3).tolist()
    [0, 1, 1, 0]
    """
    blocks = open_blocks({"Y": Y}, None, block_rows, columns, ids)
    return _assigned(blocks, proportions, method, groups, random_state)


def compare_splits(
    Y: Any,
    proportions: int | Sequence[float],
    *,
    method: str = "auto",
    random_state: Any = None,
    columns: str | Sequence[str] | None = None,
    block_rows: int | None = None,
    ids: str | Sequence[str] | None = None,
) -> SplitComparison:
    """Split the rows of a label file, and measure the split beside one at random.

    Parameters
    ----------
    Y : path, array, sparse matrix, frame, list of sets or dask array
        The labels, 0 or 1, of shape (n_samples, n_labels), as in `assign`.
    proportions : int or sequence of float
        Number of subsets of equal size, or the share of each subset.
    method : str, default="auto"
        The method, as in `labelwise.splitting.assign`.
    random_state : int, RandomState instance or None, default=None
        Seed of the choices.
    columns : str or sequence of str, default=None
        The columns of a parquet file that are labels, as in `assign`.
    block_rows : int, default=None
        Rows of a block; None means about 32 MB of labels.
    ids : str or sequence of str, default=None
        Name of the column of ids in a parquet file, as in `best_thresholds` of the engine.

    Returns
    -------
    SplitComparison
        The subsets, and LD, ED, FZ and FLZ of both methods.

    Raises
    ------
    ValueError
        If a value is not 0 or 1, or if an option is out of its range.
    DataError
        If a file cannot be read.

    See Also
    --------
    labelwise.splitting.compare_splits : Compare all methods on labels in memory.

    Notes
    -----
    Positives of each label in each subset are added up block by block, in one more pass. Those of
    dask arrays are joined in memory.

    Examples
    --------
    >>> from labelwise.engine import compare_splits
    >>> found = compare_splits([[1, 0], [0, 1], [1, 0], [0, 1]], 2, random_state=0)
    >>> found.quality.flz, list(found.qualities)
    (0, ['auto', 'random'])
    """
    shares = check_proportions(proportions)
    blocks = open_blocks({"Y": Y}, None, block_rows, columns, ids)
    subsets = {
        name: _assigned(blocks, proportions, name, None, random_state)
        for name in dict.fromkeys([method, "random"])
    }
    return SplitComparison(method, subsets[method], _qualities(blocks, subsets, shares))


def _assigned(
    blocks: Blocks, proportions: Any, method: str, groups: Any, random_state: Any
) -> np.ndarray:
    """Assign rows by files if the method can, and otherwise with all positives in memory."""
    if groups is None and isinstance(blocks, MatchedBlocks) and _is_iterative(blocks, method):
        return _assign_by_files(blocks, proportions, random_state)
    labels = blocks.reduced(_labels_of_block, _joined)
    return assign_in_memory(
        labels, proportions, method=method, groups=groups, random_state=random_state
    )


def _qualities(
    blocks: Blocks, subsets: Mapping[str, np.ndarray], shares: np.ndarray
) -> dict[str, SplitQuality]:
    """Measure splits by one pass over the labels."""
    counts = {name: np.zeros((blocks.n_labels, shares.size), dtype=np.int64) for name in subsets}
    start = 0
    for labels in _label_blocks(blocks):
        end = start + labels.shape[0]
        for name, numbers in subsets.items():
            counts[name] += positives_by_subset(labels, numbers[start:end], shares.size)
        start = end
    names = blocks.names or tuple(map(str, range(blocks.n_labels)))
    sizes = {name: np.bincount(one, minlength=shares.size) for name, one in subsets.items()}
    return {
        name: quality_of_counts(counts[name], sizes[name], sizes[name], shares, names)
        for name in subsets
    }


def _label_blocks(blocks: Blocks) -> Iterator[sparse.csc_array]:
    """Yield the labels of each block; those of dask arrays as one block."""
    if isinstance(blocks, MatchedBlocks):
        yield from (outcome.Y for outcome in blocks.outcomes())
    else:
        yield sparse.csc_array(blocks.reduced(_labels_of_block, _joined))


def _is_iterative(blocks: MatchedBlocks, method: str) -> bool:
    """Return whether the method is "iterative", or "auto" on so many positives that it is."""
    if method != "auto":
        return method == "iterative"
    return blocks.n_samples + blocks.reduced(_n_positives, _total) > BALANCED_UP_TO


def _assign_by_files(blocks: MatchedBlocks, proportions: Any, random_state: Any) -> np.ndarray:
    """Assign rows with the positives in temporary files."""
    shape = (blocks.n_samples, blocks.n_labels)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        numbers = count()

        def allocate(size: int, dtype: Any) -> np.ndarray:
            path = Path(folder) / f"{next(numbers)}.bin"
            return np.asarray(np.memmap(path, dtype, "w+", shape=max(1, size)))[:size]

        return assign_blocks(
            lambda: _cells(blocks),
            shape,
            proportions,
            random_state=random_state,
            allocate=allocate,
        )


def _cells(blocks: MatchedBlocks) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows and labels of the positives of each block."""
    start = 0
    for outcome in blocks.outcomes():
        rows = sparse.csr_array(outcome.Y)
        n_rows = rows.shape[0]
        numbers = np.arange(start, start + n_rows, dtype=np.int32)
        yield np.repeat(numbers, np.diff(rows.indptr)), rows.indices.astype(np.int32, copy=False)
        start += n_rows


def _n_positives(outcome: Outcome) -> int:
    return int(outcome.Y.nnz)


def _total(parts: Sequence[int]) -> int:
    return sum(parts)


def _labels_of_block(outcome: Outcome) -> sparse.csr_array:
    return sparse.csr_array(outcome.Y)


def _joined(parts: Sequence[sparse.csr_array]) -> sparse.csr_array:
    return sparse.csr_array(sparse.vstack(parts, format="csr"))
