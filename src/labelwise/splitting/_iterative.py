"""Methods "iterative" and "pairs": Algorithm 1 of Sechidis et al. (2011), also for pairs.

The label with the fewest remaining samples is next. Each of its samples is assigned to the subset
that lacks most positives of the label, among equals to the one that lacks most samples. A *unit*
is a sample, or a group of samples that stay together; units are assigned in a random order. The
kernels read labels in this order, by unit and by label, which `unit_labels` prepares for matrices
in memory and `labels_in_order` from blocks of positives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.splitting._iterative_kernels import (
    AHEAD,
    CHILDREN,
    SHIFT,
    Ahead,
    Demand,
    Minima,
    UnitLabels,
    add_cells,
    assign_rarest_first,
    count_cells,
    fill,
    fill_holders,
    sort_buckets,
    take_cells,
)

# Positives from which on `labels_in_order` is worth the time to compile its kernels.
_MANY = 2_000_000
# Samples, and most positives, of a block of a matrix in memory.
_ROWS, _BLOCK = 2**16, 2**19
# Sample and label numbers of positives, in any order.
Cells = tuple[np.ndarray, np.ndarray]
# Returns an array of this many numbers of a type, in memory or in a file.
Allocate = Callable[[int, Any], np.ndarray]


class Units(NamedTuple):
    """Samples or groups to assign: label counts, sizes, and the unit of each sample."""

    counts: sparse.csc_array
    weight: np.ndarray
    of_sample: np.ndarray | None

    @property
    def n_units(self) -> int:
        return self.weight.size

    @property
    def n_labels(self) -> int:
        return int(self.counts.shape[1])

    def to_samples(self, subset: np.ndarray) -> np.ndarray:
        return subset if self.of_sample is None else subset[self.of_sample]


def units_of(Y: sparse.csc_array, groups: np.ndarray | None) -> Units:
    """Return the units of a label matrix; `groups` numbers the group of each sample."""
    if groups is None:
        ones = sparse.csc_array((Y.data.view(np.int8), Y.indices, Y.indptr), shape=Y.shape)
        return Units(ones, np.broadcast_to(np.int64(1), Y.shape[:1]), None)
    weight = np.bincount(groups)
    place = (groups, np.arange(groups.size))
    membership = sparse.csr_array(
        (np.ones(groups.size, dtype=np.int32), place), shape=(weight.size, groups.size)
    )
    return Units(sparse.csc_array(membership @ Y.astype(np.int32)), weight, groups)


def without_empty(weight: np.ndarray, subset: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the subset of each unit after a small unit has moved into each empty subset.

    `weight` is the number of samples of each unit, `wanted` that of each subset; there are at
    least as many units as subsets. Among units of equal size, one of the subset that exceeds its
    wanted number of samples by most moves. No subset becomes empty.
    """
    for empty in np.flatnonzero(np.bincount(subset, minlength=wanted.size) == 0):
        n_units = np.bincount(subset, minlength=wanted.size)
        excess = np.bincount(subset, weights=weight, minlength=wanted.size) - wanted
        movable = np.flatnonzero(n_units[subset] > 1)
        by_size = np.lexsort((-excess[subset[movable]], weight[movable]))
        subset = subset.copy()
        subset[movable[by_size[0]]] = empty
    return subset


def assign_iteratively(
    units: Units, proportions: np.ndarray, rng: np.random.Generator, *, pairs: Units | None = None
) -> np.ndarray:
    """Assign each unit to a subset, the rarest label first; with `pairs`, the rarest pair first."""
    order = random_order(units, rng)
    stages = (units,) if pairs is None else (pairs, units)
    labels = (unit_labels(stage, order) for stage in stages)
    n_samples = int(units.weight.sum())
    return _in_order(labels, order, _weight_in_order(units, order), n_samples, proportions, rng)


def assign_by_size(units: Units, proportions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Assign each group to a subset by size only, ties at random, large groups first."""
    no_labels = sparse.csc_array((units.n_units, 0), dtype=np.int8)
    return assign_iteratively(units._replace(counts=no_labels), proportions, rng)


def assign_from_blocks(
    blocks: Callable[[], Iterable[Cells]],
    shape: tuple[int, int],
    proportions: np.ndarray,
    rng: np.random.Generator,
    allocate: Allocate,
) -> np.ndarray:
    """Assign samples as `assign_iteratively` does, from blocks of positives.

    `blocks` returns arrays of sample and label numbers (int32), and is called twice. Memory grows
    with samples and with labels times subsets; `allocate` provides the arrays that grow with the
    positives.
    """
    n_samples, n_labels = shape
    order, weight = rng.permutation(n_samples), np.ones(1, dtype=np.int64)
    labels = (labels_in_order(blocks, order, n_labels, allocate) for _ in range(1))
    subset = _in_order(labels, order, weight, n_samples, proportions, rng)
    one = np.broadcast_to(np.int64(1), n_samples)
    return without_empty(one, subset, n_samples * proportions)


def _in_order(
    stages: Iterable[UnitLabels],
    order: np.ndarray,
    weight: np.ndarray,
    n_samples: int,
    proportions: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Assign units in the given order by the labels of each stage, then those without labels."""
    heads = np.empty((order.size + 1, 2))
    for first in range(0, order.size, _ROWS):
        some = heads[first : min(first + _ROWS, order.size), 0]
        some[:] = rng.random(some.size)
    examples = n_samples * proportions
    for labels in stages:
        rank = rng.permutation(labels.holder_starts.size - 1)
        assign_labels(labels, proportions, rank, examples, heads)
    # Units without labels: as if there were a single label, which no subset lacks.
    fill(weight, Demand(np.zeros((1, examples.size)), examples), heads)
    in_turn = subsets_of(heads, examples.size)
    subset = np.empty_like(in_turn)
    subset[order] = in_turn
    return subset.astype(np.int64)


def assign_labels(
    labels: UnitLabels,
    proportions: np.ndarray,
    rank: np.ndarray,
    examples: np.ndarray,
    heads: np.ndarray,
) -> np.ndarray:
    """Assign the units that have labels and no subset; return the labels in their order.

    `rank` decides ties between labels. `examples`, the samples that each subset lacks, and `heads`
    are updated. The first column of `heads` has, for each unit without a subset, its lot, a number
    in [0, 1) that decides ties between subsets, and -1 minus the number of the subset for others.
    """
    if not rank.size:
        return np.empty(0, dtype=np.int64)
    assigned = np.full(rank.size, -1, dtype=np.int64)
    in_turn = subsets_of(heads, proportions.size)
    wanted, left = _wanted_and_left(labels, proportions, in_turn)
    demand, minima = Demand(wanted, examples), tree_of_minima(left, rank)
    heads[:, 1] = labels.starts
    is_free = np.packbits(in_turn < 0, bitorder="little")
    ahead = Ahead(heads, is_free, np.empty(AHEAD, dtype=np.int64), np.empty(AHEAD))
    assign_rarest_first(labels, demand, minima, ahead, assigned)
    return assigned[assigned >= 0]


def subsets_of(heads: np.ndarray, n_subsets: int) -> np.ndarray:
    """Return the subset of each unit, -1 if it has none, in the smallest type of integers.

    Subsets are brought into the order of the samples in memory that should be in the cache.
    """
    subset = np.empty(len(heads) - 1, dtype=np.min_scalar_type(-n_subsets))
    # A unit without a subset has a lot in [0, 1), and -1 minus a lot is truncated to -1.
    np.subtract(-1, heads[:-1, 0], out=subset, casting="unsafe")
    return subset


def random_order(units: Units, rng: np.random.Generator) -> np.ndarray:
    """Return the order in which units are assigned: random, but large groups first."""
    order: np.ndarray = rng.permutation(units.n_units)
    if units.of_sample is not None:
        # Small groups that come later can even out a large group, but not the reverse.
        order = order[np.argsort(-units.weight[order], kind="stable")]
    return order


def tree_of_minima(left: np.ndarray, rank: np.ndarray) -> Minima:
    """Return the minima of labels by remaining examples, then by rank."""
    levels = [left * left.size + rank]
    while levels[-1].size > 1 or len(levels) == 1:
        firsts = np.arange(0, levels[-1].size, CHILDREN)
        levels.append(np.minimum.reduceat(levels[-1], firsts))
    starts = np.cumsum([0] + [level.size for level in levels[:-1]])
    return Minima(np.concatenate(levels), starts)


def _wanted_and_left(
    labels: UnitLabels, proportions: np.ndarray, subset: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positives that each subset still lacks, and those not yet assigned, by label."""
    n_labels, n_subsets = labels.holder_starts.size - 1, proportions.size
    counts = None if labels.counts.size == 1 else labels.counts
    if counts is None:
        left = np.diff(labels.holder_starts).astype(np.float64)
    else:
        left = np.bincount(labels.labels, counts, minlength=n_labels).astype(np.float64)
    wanted = left[:, None] * proportions
    if (subset >= 0).any():
        owner = np.repeat(subset, np.diff(labels.starts))
        has = owner >= 0
        cell = labels.labels[has].astype(np.int64) * n_subsets + owner[has]
        got = np.bincount(cell, None if counts is None else counts[has], minlength=wanted.size)
        wanted -= got.reshape(wanted.shape)
        left -= got.reshape(wanted.shape).sum(axis=1)
    return wanted, left.astype(np.int64)


def label_pairs(Y: sparse.csc_array) -> sparse.csc_array:
    """Return a matrix of rows by pairs of labels: True if the row has both labels.

    Only pairs that occur have a column. Memory grows with the sum of the squared numbers of
    labels of the rows.
    """
    rows = sparse.csr_array(Y)
    rows.sort_indices()
    n_samples, n_labels = rows.shape
    sizes = np.diff(rows.indptr)
    holders, codes = [], []
    for size in np.unique(sizes[sizes > 1]):
        same_size = np.flatnonzero(sizes == size)
        members = rows.indices[rows.indptr[same_size][:, None] + np.arange(size)].astype(np.int64)
        left, right = np.triu_indices(size, 1)
        codes.append((members[:, left] * n_labels + members[:, right]).ravel())
        holders.append(np.repeat(same_size, left.size))
    if not codes:
        return sparse.csc_array((n_samples, 0), dtype=bool)
    found, column = np.unique(np.concatenate(codes), return_inverse=True)
    ones = np.ones(column.size, dtype=bool)
    place = (np.concatenate(holders), column)
    return sparse.csc_array((ones, place), shape=(n_samples, found.size))


def _weight_in_order(units: Units, order: np.ndarray) -> np.ndarray:
    """Return the sizes of units in the given order, or one size if units are single rows."""
    return np.ones(1, dtype=np.int64) if units.of_sample is None else units.weight[order]


def unit_labels(units: Units, order: np.ndarray) -> UnitLabels:
    """Return the labels of all units, in the order in which the kernel reads them."""
    if units.of_sample is None and units.counts.nnz >= _MANY:
        return labels_in_order(lambda: cells_of(units.counts), order, units.n_labels)
    by_unit = sparse.csr_array(units.counts)[order]
    by_label = sparse.csc_array(by_unit)
    # Few types, so that the kernels are compiled once.
    number = np.int32 if max(by_unit.nnz, *by_unit.shape) < 2**31 else np.int64
    starts, labels, holder_starts, holders = (
        numbers.astype(number, copy=False)
        for numbers in (by_unit.indptr, by_unit.indices, by_label.indptr, by_label.indices)
    )
    weight = _weight_in_order(units, order)
    # A row has each of its labels once.
    counts = by_unit.data[:1] if units.of_sample is None else by_unit.data
    return UnitLabels(starts, labels, counts, weight, holder_starts, holders)


def labels_in_order(
    blocks: Callable[[], Iterable[Cells]],
    order: np.ndarray,
    n_labels: int,
    allocate: Allocate = np.empty,
) -> UnitLabels:
    """Return the labels of rows, by row and by label, in a given order of the rows.

    Sorting 50 million positives into a random order takes a cache miss for each of them. Here they
    are first divided into buckets of neighbouring places. `blocks` returns the positives in blocks
    of rows and labels, and is called twice; `allocate` makes the arrays that grow with the
    positives.
    """
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    of_bucket = np.zeros((order.size >> SHIFT) + 2, dtype=np.int64)
    of_label = np.zeros(n_labels + 1, dtype=np.int64)
    for rows_and_labels in blocks():
        count_cells(*rows_and_labels, place, of_bucket[1:], of_label[1:])
    bucket_starts, holder_starts = np.cumsum(of_bucket), np.cumsum(of_label)
    n_cells = int(holder_starts[-1])
    # A cell has the label and the place in its bucket, in as few bits as possible.
    cells = allocate(n_cells, np.uint32 if n_labels <= 2**16 else np.int64)
    ends = bucket_starts.copy()
    for rows_and_labels in blocks():
        add_cells(*rows_and_labels, place, ends, cells)
    # Few types, so that the kernels of the assignment are compiled once.
    number = np.int32 if n_cells < 2**31 else np.int64
    starts = np.empty(order.size + 1, dtype=number)
    labels = allocate(n_cells, np.int32)
    sort_buckets(bucket_starts, cells, starts, labels)
    holders = cells.view(np.int32)[:n_cells]  # the positives in buckets are no longer needed
    fill_holders(starts, labels, holder_starts.copy(), holders)
    one = np.ones(1, dtype=np.int8), np.ones(1, dtype=np.int64)
    return UnitLabels(starts, labels, *one, holder_starts.astype(number), holders)


def cells_of(Y: sparse.csc_array) -> Iterator[Cells]:
    """Yield the positives of a matrix in blocks of neighbouring rows, which are used again."""
    rows, labels = np.empty(_BLOCK, dtype=np.int32), np.empty(_BLOCK, dtype=np.int32)
    taken = np.zeros(Y.shape[1], dtype=np.int64)
    for stop in range(_ROWS, Y.shape[0] + _ROWS, _ROWS):
        n_cells = _BLOCK
        while n_cells == _BLOCK:
            n_cells = take_cells(Y.indptr, Y.indices, taken, stop, rows, labels)
            yield rows[:n_cells], labels[:n_cells]
