"""Methods "iterative" and "pairs": Algorithm 1 of Sechidis et al. (2011), also for pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from labelwise.splitting.stratification._iterative_kernels import (
    CHILDREN,
    Demand,
    Minima,
    UnitLabels,
    assign_rarest_first,
    fill,
)
from labelwise.splitting.stratification._units import Units

# Positives of rows from which on further kernels bring them into order, which have to be compiled.
_MANY = 2_000_000


def assign_iteratively(
    units: Units, proportions: np.ndarray, rng: np.random.Generator, *, pairs: Units | None = None
) -> np.ndarray:
    """Assign each unit to a subset, the rarest label first; with `pairs`, the rarest pair first."""
    order, lots = random_order(units, rng), rng.random(units.n_units)
    in_turn = np.full(units.n_units, -1, dtype=np.int32)
    examples = units.weight.sum() * proportions
    for stage in (units,) if pairs is None else (pairs, units):
        rank = rng.permutation(stage.n_labels)
        assign_in_order(stage, order, proportions, rank, lots, examples, in_turn)
    fill(_weight_in_order(units, order), without_labels(examples), lots, in_turn)
    subset = np.empty(units.n_units, dtype=np.int64)
    subset[order] = in_turn
    return subset


def assign_rows_iteratively(
    blocks: Callable[[], Iterable[Any]],
    shape: tuple[int, int],
    proportions: np.ndarray,
    rng: np.random.Generator,
    allocate: Callable[[int, Any], np.ndarray],
) -> np.ndarray:
    """Assign rows as `assign_iteratively` does, from blocks of positives (see `labels_in_order`).

    Memory grows with rows and with labels times subsets; `allocate` provides the arrays that grow
    with the positives.
    """
    from labelwise.splitting.stratification._row_labels import labels_in_order

    n_rows, n_labels = shape
    order, lots = rng.permutation(n_rows), rng.random(n_rows)
    in_turn = np.full(n_rows, -1, dtype=np.int32)
    examples = n_rows * proportions
    rank = rng.permutation(n_labels)
    unit_labels = labels_in_order(blocks, order, n_labels, allocate)
    _assign_labels(unit_labels, proportions, rank, lots, examples, in_turn)
    fill(np.ones(1, dtype=np.int64), without_labels(examples), lots, in_turn)
    subset = np.empty(n_rows, dtype=np.int64)
    subset[order] = in_turn
    return subset


def without_labels(examples: np.ndarray) -> Demand:
    """Return the demand for samples without labels: a single label that no subset lacks."""
    return Demand(np.zeros((1, examples.size)), examples)


def assign_by_size(units: Units, proportions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Assign each group to a subset by size only, ties at random, large groups first."""
    no_labels = sparse.csc_array((units.n_units, 0), dtype=np.int8)
    return assign_iteratively(units._replace(counts=no_labels), proportions, rng)


def assign_in_order(
    units: Units,
    order: np.ndarray,
    proportions: np.ndarray,
    rank: np.ndarray,
    lots: np.ndarray,
    examples: np.ndarray,
    in_turn: np.ndarray,
) -> np.ndarray:
    """Assign the units that have labels and no subset; return the labels in their order.

    `in_turn` (the subsets) and `lots` (numbers in [0, 1) that decide ties between subsets) are in
    the given order of the units. `rank` decides ties between labels. `in_turn` and `examples`, the
    samples that each subset lacks, are updated.
    """
    if not units.n_labels:
        return np.empty(0, dtype=np.int64)
    unit_labels = _unit_labels(units, order)
    return _assign_labels(unit_labels, proportions, rank, lots, examples, in_turn)


def _assign_labels(
    unit_labels: UnitLabels,
    proportions: np.ndarray,
    rank: np.ndarray,
    lots: np.ndarray,
    examples: np.ndarray,
    in_turn: np.ndarray,
) -> np.ndarray:
    """Assign units as `assign_in_order` does, from their labels in order."""
    labels = np.full(rank.size, -1, dtype=np.int64)
    wanted, left = _wanted_and_left(unit_labels, proportions, in_turn)
    demand, minima = Demand(wanted, examples), tree_of_minima(left, rank)
    assign_rarest_first(unit_labels, demand, minima, lots, in_turn, labels)
    return labels[labels >= 0]


def random_order(units: Units, rng: np.random.Generator) -> np.ndarray:
    """Return the order in which units are assigned: random, but large groups first."""
    order: np.ndarray = rng.permutation(units.n_units)
    if units.of_row is not None:
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


def _wanted_and_left(
    unit_labels: UnitLabels, proportions: np.ndarray, subset: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positives that each subset still lacks, and those not yet assigned, by label."""
    n_labels, n_subsets = unit_labels.holder_starts.size - 1, proportions.size
    counts = None if unit_labels.counts.size == 1 else unit_labels.counts
    if counts is None:
        left = np.diff(unit_labels.holder_starts).astype(np.float64)
    else:
        left = np.bincount(unit_labels.labels, counts, minlength=n_labels).astype(np.float64)
    wanted = left[:, None] * proportions
    if (subset >= 0).any():
        owner = np.repeat(subset, np.diff(unit_labels.starts))
        has = owner >= 0
        cell = unit_labels.labels[has].astype(np.int64) * n_subsets + owner[has]
        got = np.bincount(cell, None if counts is None else counts[has], minlength=wanted.size)
        wanted -= got.reshape(wanted.shape)
        left -= got.reshape(wanted.shape).sum(axis=1)
    return wanted, left.astype(np.int64)


def _weight_in_order(units: Units, order: np.ndarray) -> np.ndarray:
    """Return the sizes of units in the given order, or one size if units are single rows."""
    return units.weight[:1] if units.of_row is None else units.weight[order]


def _unit_labels(units: Units, order: np.ndarray) -> UnitLabels:
    """Return the labels of all units, in the order in which the kernel reads them."""
    if units.of_row is None and units.counts.nnz >= _MANY:
        from labelwise.splitting.stratification._row_labels import cells_of, labels_in_order

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
    counts = by_unit.data[:1] if units.of_row is None else by_unit.data
    return UnitLabels(starts, labels, counts, weight, holder_starts, holders)
