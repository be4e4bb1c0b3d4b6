"""Method "balanced" for rows: exact sizes, then a search for evenly spread labels."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.splitting._proportions import subset_sizes
from labelwise.splitting._quality import positives_by_subset
from labelwise.splitting.stratification._balanced_kernels import (
    Aims,
    PricedCounts,
    RowLabels,
    Seats,
    cost_of_leaving,
    pick,
    relocate,
    reprice_all,
    try_swaps,
)
from labelwise.splitting.stratification._iterative import assign_iteratively
from labelwise.splitting.stratification._sampling import labelset_subsets, random_subsets
from labelwise.splitting.stratification._search import ZERO_PRICE, schedule, verdict_on
from labelwise.splitting.stratification._units import Units, units_of

# Candidate rows on either side of a swap, and for each row that moves to another subset.
_LOOKS = 8


class _Task(NamedTuple):
    """Rows to balance: their labels by label and by row, and the exact sizes."""

    Y: sparse.csc_array
    rows: RowLabels
    sizes: np.ndarray

    def aims(self, zero_price: float) -> Aims:
        totals = np.diff(self.Y.indptr)
        return Aims(self.sizes, totals / (self.Y.shape[0] - totals), zero_price)

    def counts(self, subsets: np.ndarray) -> np.ndarray:
        return positives_by_subset(self.Y, subsets, self.sizes.size)


def balance_rows(
    Y: sparse.csc_array,
    proportions: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return subsets of exact sizes; LD is at most that of each start brought to these sizes."""
    sizes = subset_sizes(Y.shape[0], proportions)
    Y = Y[:, np.diff(Y.indptr) < Y.shape[0]]  # labels of every row cannot be balanced
    if Y.shape[1] == 0:
        return random_subsets(sizes, rng)
    units = units_of(Y, None)
    task = _Task(Y, kernel_rows(units), sizes)
    starts = [
        _with_exact_sizes(task, assign_iteratively(units, proportions, rng), rng),
        labelset_subsets(Y, sizes, rng),
        random_subsets(sizes, rng),
    ]
    verdicts = [verdict_on(Y, start, sizes.size) for start in starts]
    found = _search(task, starts[verdicts.index(min(verdicts))], rng, budget)
    fairest = min(range(len(starts)), key=lambda number: verdicts[number].ld)
    if verdict_on(Y, found, sizes.size).ld > verdicts[fairest].ld:
        # After few trials, or if swaps worsened LD, descend from the start with the lowest LD.
        found = _search(task, starts[fairest], rng, budget, ld_only=True)
    return found


def _search(
    task: _Task,
    subsets: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
    *,
    ld_only: bool = False,
) -> np.ndarray:
    """Return better subsets of the same sizes; with `ld_only`, no step increases LD."""
    aims = task.aims(0.0 if ld_only else ZERO_PRICE)
    spread = priced(task.counts(subsets), aims)
    seats, carried = _seats(subsets, task.sizes), np.zeros(task.Y.shape[1], dtype=bool)
    plan = schedule(budget, subsets.size, task.sizes.size, cold=ld_only)
    for n_trials, threshold in plan:
        draws = _draws(rng, n_trials, 2 * (_LOOKS + 1))
        try_swaps(task.rows, seats, draws, threshold, spread, aims, carried)
    found = np.empty_like(subsets)
    found[seats.rows] = np.repeat(np.arange(task.sizes.size), task.sizes)
    return found


def _with_exact_sizes(task: _Task, subsets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the subsets after moves from those that are too large to those too small."""
    sizes = np.bincount(subsets, minlength=task.sizes.size)
    excess = sizes - task.sizes
    numbers = np.arange(sizes.size)
    origin = np.repeat(numbers, np.maximum(excess, 0))
    target = np.repeat(numbers, np.maximum(-excess, 0))
    flows = np.column_stack((rng.permutation(origin), rng.permutation(target)))
    draws = _draws(rng, len(flows), _LOOKS)
    return level(task, subsets, flows, draws) if len(flows) else subsets


def level(task: _Task, subsets: np.ndarray, flows: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Move one row for each (from, to) in flows, which are few: of those drawn, the cheapest."""
    aims = task.aims(ZERO_PRICE)
    spread = priced(task.counts(subsets), aims)
    seats = _seats(subsets, np.bincount(subsets, minlength=task.sizes.size))
    levelled = subsets.copy()
    for (j, m), bits in zip(flows, draws, strict=True):
        rows = seats.rows[seats.starts[j] : seats.starts[j + 1]]
        drawn = rows[[pick(one, rows.size) for one in bits]]
        # Rows that were drawn may have moved before, even all of them.
        left = drawn[levelled[drawn] == j]
        left = left if left.size else rows[levelled[rows] == j][:1]
        costs = [cost_of_leaving(task.rows, row, j, m, spread) for row in left]
        best = left[np.argmin(costs)]
        relocate(task.rows, best, j, m, spread, aims)
        levelled[best] = m
    return levelled


def priced(counts: np.ndarray, aims: Aims) -> PricedCounts:
    """Return these counts with the costs of all changes by one."""
    # Allocated here: numba takes longer to compile an allocation than the loops.
    spread = PricedCounts(counts, np.empty(counts.shape), np.empty(counts.shape))
    reprice_all(spread, aims)
    return spread


def kernel_rows(units: Units) -> RowLabels:
    """Return the labels of units in the types that the kernels are compiled for."""
    counts = sparse.csr_array(units.counts)
    return RowLabels(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data)


def _seats(subsets: np.ndarray, sizes: np.ndarray) -> Seats:
    return Seats(np.argsort(subsets, kind="stable"), np.concatenate(([0], np.cumsum(sizes))))


def _draws(rng: np.random.Generator, n_rows: int, n_columns: int) -> np.ndarray:
    return rng.integers(2**32, size=(n_rows, n_columns), dtype=np.uint32)
