"""Assign samples to subsets by one of the stratification methods.

`assign` checks its arguments and chooses the method; the methods are in `_subsets` (random, label
set), `_iterative` and `_balanced`. All splitters of the stage are made of it.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks import Blocks, is_stored
from labelwise._validation import (
    check_groups,
    check_labels,
    check_random_state,
    in_row_order,
    is_whole,
    rows_of,
)
from labelwise.splitting._subsets import (
    check_proportions,
    label_set_subsets,
    random_subsets,
    rarest_label_subsets,
    subset_sizes,
)

METHODS = ("auto", "balanced", "iterative", "labelset", "pairs", "random", "rarest-label")
# Methods that cannot keep groups together.
_WITHOUT_GROUPS = ("labelset", "rarest-label")
# Samples and positives together up to which "auto" is "balanced".
BALANCED_UP_TO = 10_000_000


def assign(
    Y: Any,
    proportions: Any,
    *,
    method: str = "auto",
    groups: Any = None,
    random_state: Any = None,
    budget: int | timedelta | None = None,
    columns: str | Sequence[str] | None = None,
    ids: str | Sequence[str] | None = None,
) -> np.ndarray:
    """Assign each sample to a subset, with equal label ratios in all subsets.

    Parameters
    ----------
    Y : array, sparse matrix, frame, list of sets, path or dask array of shape (n_samples, n_labels)
        Labels of the samples, 0 or 1. A sparse matrix is not made dense. A path (npy, parquet file
        or folder, zarr) and a dask array are read in blocks.
    proportions : int or sequence of float
        Share of each subset, positive and summing to 1; a whole number k means k equal parts.
    method : str, default="auto"
        How samples are assigned: "auto", "balanced", "iterative", "labelset", "pairs", "random" or
        "rarest-label"; the notes describe the methods. "auto" means "balanced", but "iterative" if
        samples and positives together are more than 10 million and `budget` is None.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together. There must be at least as many
        groups as subsets. Not for methods "labelset" and "rarest-label".
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the order of the
        samples and ties.
    budget : int or timedelta, default=None
        Only for method "balanced": number of swaps to try. None means 400 for each sample, but at
        most 500,000, which takes less than a second for some thousand samples and some seconds
        for a million. A `datetime.timedelta` limits the time of the search instead; then the same
        seed may give different results.
    columns : str or sequence of str, default=None
        Only for a parquet file or folder: names of the columns that are labels, or a prefix with a
        star such as ``"label:*"``; other columns are not read. None means all columns but the ids.
    ids : str or sequence of str, default=None
        Name of the column of ids, or several names of which the file has one. Only for a parquet
        file or folder. None finds the column.

    Returns
    -------
    ndarray of int64 of shape (n_samples,)
        Number of the subset of each sample, counted from 0. No subset is empty.

    Raises
    ------
    TypeError
        If `proportions` or `budget` is of the wrong kind.
    ValueError
        If `method` is unknown, `proportions` do not sum to 1 or leave a subset without a sample,
        there are fewer groups than subsets, or an argument does not fit `method`.

    See Also
    --------
    split_quality : Measure how well subsets preserve label ratios and sizes.
    train_test_split : Split arrays into stratified parts.
    MultilabelStratifiedKFold : Stratified folds for cross-validation.

    Notes
    -----
    "iterative" is Algorithm 1 of sechidis2011. The label with the fewest remaining samples is
    next (ties at random). Each of its samples is assigned to the subset that lacks most positives
    of the label, among equals to the one that lacks most samples, then at random. Samples without
    labels are assigned last. Label ratios are preserved, but sizes may deviate. With n samples, q
    labels, k subsets and nnz positives it takes O(nnz + n·k + q log q) time and O(nnz + q·k)
    memory.

    "balanced" has sizes as exact as random sampling. It moves and swaps samples to decrease first
    FLZ and then LD (see `split_quality`). Its LD is at most that of "random", of "labelset", and
    of "iterative" brought to the same sizes. With groups, sizes are as near to their targets as
    moves and swaps of whole groups can bring them.

    "pairs" assigns samples of the rarest pair of labels first, and then those of single labels.
    Memory and time grow with the sum of the squared numbers of labels of the samples.

    "labelset" divides the samples of each label set evenly, "rarest-label" those that have the
    same rarest label, and "random" ignores labels; all three have exact sizes and need no search.

    Files are read three times by method "iterative"; memory then grows with the samples (36 bytes
    each) and with labels times subsets, and the positives are in a temporary file, 12 bytes each.
    Other methods, groups and dask arrays join the positives in memory.

    If a method leaves a subset empty, a sample or the smallest group moves there from a subset
    that has several.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data",
    ECML PKDD 2011, Algorithm 1 and section 4 (sechidis2011).

    P. Szymański, T. Kajdanowicz, "A Network Perspective on Stratification of Multi-Label Data",
    LIDTA 2017.

    Examples
    --------
    >>> from labelwise.splitting import assign
    >>> Y = [[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]]
    >>> subset = assign(Y, 2, random_state=0)
    >>> [sorted(map(tuple, (row for row, s in zip(Y, subset) if s == j))) for j in (0, 1)]
    [[(0, 1), (1, 0), (1, 1)], [(0, 1), (1, 0), (1, 1)]]
    """
    if is_stored(Y) or columns is not None:
        # Labels in memory need no readers of files.
        from labelwise._blocks import open_blocks

        labels: Any = open_blocks({"Y": Y}, columns=columns, ids=ids)
    else:
        labels = check_labels(Y, allow_missing=True).matrix
        groups = in_row_order(groups, rows_of(Y, None, "Y")[1], "groups")
    return assign_checked(
        labels,
        proportions,
        method=method,
        groups=groups,
        random_state=random_state,
        budget=budget,
    )


def assign_checked(
    labels: Any,
    proportions: Any,
    *,
    method: str = "auto",
    groups: Any = None,
    random_state: Any = None,
    budget: int | timedelta | None = None,
) -> np.ndarray:
    """Assign samples as `assign` does, from a checked boolean CSC matrix or `Blocks`."""
    shares = check_proportions(proportions)
    budget = _check_budget(budget)
    _check_method(method, groups, budget)
    n_samples = labels.shape[0] if sparse.issparse(labels) else labels.n_samples
    numbers = None if groups is None else check_groups(groups, n_samples)
    _check_enough(n_samples, numbers, shares)
    if not sparse.issparse(labels):
        if groups is None and budget is None and _is_assigned_by_files(labels, method):
            return _assign_by_files(labels, shares, generator(random_state))
        labels = stored_labels(labels)
    method = method_for(labels, method, budget)
    return _assigned(labels, shares, method, numbers, generator(random_state), budget)


def method_for(matrix: sparse.csc_array, method: str, budget: int | timedelta | None = None) -> str:
    """Return the method that "auto" means for the labels; other methods mean themselves."""
    if method != "auto":
        return method
    is_small = matrix.shape[0] + matrix.nnz <= BALANCED_UP_TO
    return "balanced" if is_small or budget is not None else "iterative"


def stored_labels(blocks: Blocks) -> sparse.csc_array:
    """Return the labels of all rows, with their positives in memory."""
    return blocks.reduced(lambda outcome: outcome.Y, _stacked)


def _stacked(parts: Sequence[sparse.csc_array]) -> sparse.csc_array:
    stacked = sparse.csc_array(sparse.vstack(parts, format="csr"))
    stacked.sort_indices()
    return stacked


def label_blocks(labels: Any) -> Iterator[sparse.csc_array]:
    """Yield the labels of each block; those in memory and those of dask arrays as one block."""
    if sparse.issparse(labels):
        yield labels
        return
    from labelwise._blocks import MatchedBlocks

    if isinstance(labels, MatchedBlocks):
        yield from (outcome.Y for outcome in labels.outcomes())
    else:
        yield stored_labels(labels)


def _is_assigned_by_files(blocks: Blocks, method: str) -> bool:
    """Return whether the method is "iterative", or "auto" on so many positives that it is."""
    from labelwise._blocks import MatchedBlocks

    if not isinstance(blocks, MatchedBlocks) or method not in ("auto", "iterative"):
        return False
    if method == "iterative":
        return True
    n_positives = blocks.reduced(lambda outcome: int(outcome.Y.nnz), lambda parts: sum(parts))
    return blocks.n_samples + n_positives > BALANCED_UP_TO


def _assign_by_files(blocks: Blocks, shares: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Assign rows by method "iterative", with the positives in temporary files."""
    from labelwise.splitting._iterative import assign_from_blocks

    shape = blocks.n_samples, blocks.n_labels
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        numbers = itertools.count()

        def allocate(size: int, dtype: Any) -> np.ndarray:
            path = Path(folder) / f"{next(numbers)}.bin"
            return np.asarray(np.memmap(path, dtype, "w+", shape=max(1, size)))[:size]

        return assign_from_blocks(lambda: _positive_cells(blocks), shape, shares, random, allocate)


def _positive_cells(blocks: Blocks) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows and labels of the positives of each block."""
    start = 0
    for labels in label_blocks(blocks):
        rows = sparse.csr_array(labels)
        n_rows = rows.shape[0]
        numbers = np.arange(start, start + n_rows, dtype=np.int32)
        yield np.repeat(numbers, np.diff(rows.indptr)), rows.indices.astype(np.int32, copy=False)
        start += n_rows


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator that is seeded from a scikit-learn random state."""
    return np.random.default_rng(
        check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    )


def _assigned(
    Y: sparse.csc_array,
    shares: np.ndarray,
    method: str,
    groups: np.ndarray | None,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return the subset of each sample by one of the methods but "auto"."""
    sizes = subset_sizes(Y.shape[0], shares)
    if method == "random" and groups is None:
        return random_subsets(sizes, rng)
    if method == "labelset":
        return label_set_subsets(Y, sizes, rng)
    if method == "rarest-label":
        return rarest_label_subsets(Y, sizes, rng)
    # Kernels are imported by the methods that use them.
    if method == "balanced":
        from labelwise.splitting._balanced import balance_groups, balance_samples

        if groups is None:
            return balance_samples(Y, shares, rng, budget)
        return balance_groups(Y, groups, shares, rng, budget)
    from labelwise.splitting._iterative import (
        assign_by_size,
        assign_iteratively,
        label_pairs,
        units_of,
        without_empty,
    )

    units = units_of(Y, groups)
    if method == "random":
        subset = assign_by_size(units, shares, rng)
    else:
        pairs = units_of(label_pairs(Y), groups) if method == "pairs" else None
        subset = assign_iteratively(units, shares, rng, pairs=pairs)
    # Iterative assignment has no quota of samples, so a small subset may stay empty.
    return units.to_samples(without_empty(units.weight, subset, Y.shape[0] * shares))


def _check_method(method: str, groups: Any, budget: int | timedelta | None) -> None:
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}.")
    if method in _WITHOUT_GROUPS and groups is not None:
        raise ValueError(f'groups cannot stay together under method "{method}"; try "balanced".')
    if budget is not None and method not in ("auto", "balanced"):
        raise ValueError(f'budget is for method "balanced", got it with {method!r}.')


def _check_budget(budget: Any) -> int | timedelta | None:
    if budget is None:
        return None
    if not is_whole(budget) and not isinstance(budget, timedelta):
        raise TypeError(f"budget must be a number of trials or a timedelta, got {budget!r}.")
    amount = budget.total_seconds() if isinstance(budget, timedelta) else budget
    if amount < 0:
        raise ValueError(f"budget must not be negative, got {budget}.")
    return budget if isinstance(budget, timedelta) else int(budget)


def _check_enough(n_samples: int, groups: np.ndarray | None, shares: np.ndarray) -> None:
    """Refuse proportions that leave a subset without samples, or without groups."""
    empty = np.flatnonzero(subset_sizes(n_samples, shares) == 0)
    if empty.size:
        raise ValueError(
            f"proportions must give every subset a sample, but subset {empty[0]} "
            f"({shares[empty[0]]:.3g} of {n_samples} samples) gets none."
        )
    if groups is not None and groups.max() + 1 < shares.size:
        raise ValueError(
            f"groups must be at least as many as the {shares.size} subsets, got {groups.max() + 1}."
        )
