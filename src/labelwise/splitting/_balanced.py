"""Method "balanced": sizes as exact as possible, then a search for evenly spread labels.

The search starts from the best of several assignments whose sizes are exact (with groups: as near
to exact as moves and swaps of whole groups can bring them). It tries random swaps of samples, or
moves and swaps of groups, and accepts those that spread labels more evenly: first FLZ, the pairs
of label and subset without positives, then LD, the distance between odds (see `split_quality`).
Sizes never get worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from time import monotonic
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.splitting._balanced_kernels import (
    NOTHING,
    Aims,
    Load,
    PricedCounts,
    RowLabels,
    Seats,
    move_cheapest,
    reprice_all,
    trade,
    try_swaps,
)
from labelwise.splitting._iterative import (
    Units,
    assign_by_size,
    assign_iteratively,
    units_of,
    without_empty,
)
from labelwise.splitting._subsets import (
    label_distribution,
    label_set_subsets,
    positives_by_subset,
    random_subsets,
    subset_sizes,
)

# About half a second for any number of samples; small problems need fewer trials.
MOST_TRIALS = 500_000
TRIALS_PER_UNIT = 400
# A label without positives in a subset costs more than any distance between odds.
ZERO_PRICE = 1e3

_CHUNK = 4096
# Threshold accepting: at first, changes for the worse are accepted up to half the step of a rare
# label, and in the last fifth none, so that the search leaves local optima of plain descent.
_HEAT = 0.5
_COLD_FROM = 0.8
_NOISE = 1e-12
# Candidates on either side of a swap, and for each sample that moves to another subset.
_LOOKS = 8


class _Task(NamedTuple):
    """Samples to balance: their labels by label and by sample, and the exact sizes."""

    Y: sparse.csc_array
    rows: RowLabels
    sizes: np.ndarray

    def aims(self, zero_price: float) -> Aims:
        totals = np.diff(self.Y.indptr)
        return Aims(self.sizes, totals / (self.Y.shape[0] - totals), zero_price)

    def counts(self, subsets: np.ndarray) -> np.ndarray:
        return positives_by_subset(self.Y, subsets, self.sizes.size)


def balance_samples(
    Y: sparse.csc_array,
    proportions: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return subsets of exact sizes; LD is at most that of each start brought to these sizes."""
    sizes = subset_sizes(Y.shape[0], proportions)
    Y = Y[:, np.diff(Y.indptr) < Y.shape[0]]  # labels of every sample cannot be balanced
    if Y.shape[1] == 0:
        return random_subsets(sizes, rng)
    units = units_of(Y, None)
    task = _Task(Y, kernel_rows(units), sizes)
    starts = [
        _with_exact_sizes(task, assign_iteratively(units, proportions, rng), rng),
        label_set_subsets(Y, sizes, rng),
        random_subsets(sizes, rng),
    ]
    qualities = [flz_and_ld(Y, start, sizes.size) for start in starts]
    found = _swap_samples(task, starts[qualities.index(min(qualities))], rng, budget)
    lds = [ld for _, ld in qualities]
    if flz_and_ld(Y, found, sizes.size)[1] > min(lds):
        # After few trials, or if swaps worsened LD, descend from the start with the lowest LD.
        start = starts[lds.index(min(lds))]
        found = _swap_samples(task, start, rng, budget, ld_only=True)
        # Swaps take a finite price for a subset without negatives of a label, whose LD is infinite.
        if flz_and_ld(Y, found, sizes.size)[1] > min(lds):
            return start
    return found


def _swap_samples(
    task: _Task,
    subsets: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
    *,
    ld_only: bool = False,
) -> np.ndarray:
    """Return better subsets of the same sizes; with `ld_only`, no step increases a finite LD."""
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
    """Move one sample for each (from, to) in flows, which are few: of those drawn, the cheapest."""
    aims = task.aims(ZERO_PRICE)
    spread = priced(task.counts(subsets), aims)
    seats = _seats(subsets, np.bincount(subsets, minlength=task.sizes.size))
    levelled = subsets.copy()
    move_cheapest(task.rows, seats, flows, draws, spread, aims, levelled)
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


def balance_groups(
    Y: sparse.csc_array,
    groups: np.ndarray,
    proportions: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return subsets that keep groups together; no move or swap of groups brings sizes nearer."""
    Y = Y[:, np.diff(Y.indptr) < Y.shape[0]]
    units, wanted = units_of(Y, groups), Y.shape[0] * proportions
    starts = [
        with_nearest_sizes(units.weight, assign_units(units, proportions, rng), wanted)
        for assign_units in (assign_iteratively, assign_by_size)
    ]
    if Y.shape[1] == 0:
        nearest = min(starts, key=lambda start: _distance(units.weight, start, wanted))
        return units.to_samples(nearest)

    def rank(subset: np.ndarray) -> tuple[float, int, float]:
        far = round(_distance(units.weight, subset, wanted), 6)
        return far, *flz_and_ld(Y, units.to_samples(subset), wanted.size)

    first = min(starts, key=rank)
    found = _trade_groups(Y, units, first, wanted, rng, budget)
    # If swaps worsened LD, keep the starting assignment with the lower LD.
    as_near = [subset for subset in (found, *starts) if rank(subset)[0] <= rank(found)[0]]
    return units.to_samples(min(as_near, key=lambda subset: rank(subset)[2]))


def with_nearest_sizes(weight: np.ndarray, subset: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the subsets after the moves and swaps of groups that bring sizes nearest.

    Each step is the best of all, until none brings sizes nearer. Only a step from a subset that is
    too large to one that is too small can do so.
    """
    subset = without_empty(weight, subset, wanted)
    excess = np.bincount(subset, weights=weight, minlength=wanted.size) - wanted
    by_size = _groups_by_size(weight, subset, wanted.size)
    while True:
        steps = [
            (*_best_step(by_size[j], by_size[m], excess[j], excess[m]), j, m)
            for j in np.flatnonzero(excess > 0).tolist()
            for m in np.flatnonzero(excess < 0).tolist()
        ]
        if not steps or min(steps)[0] >= -NOTHING:
            return subset
        _, leaving, coming, j, m = min(steps)
        _move_group(by_size, subset, leaving, j, m)
        if coming:
            _move_group(by_size, subset, coming, m, j)
        excess[[j, m]] += np.array([coming - leaving, leaving - coming])


def _groups_by_size(
    weight: np.ndarray, subset: np.ndarray, n_subsets: int
) -> list[dict[int, list[int]]]:
    """List the groups of each subset under their sizes."""
    by_size: list[dict[int, list[int]]] = [{} for _ in range(n_subsets)]
    for group, (size, j) in enumerate(zip(weight.tolist(), subset.tolist(), strict=True)):
        by_size[j].setdefault(size, []).append(group)
    return by_size


def _move_group(
    by_size: list[dict[int, list[int]]], subset: np.ndarray, size: int, j: int, m: int
) -> None:
    """Move a group of this size from subset j to subset m."""
    group = by_size[j][size].pop()
    if not by_size[j][size]:
        del by_size[j][size]
    by_size[m].setdefault(size, []).append(group)
    subset[group] = m


def _best_step(
    here: dict[int, list[int]], there: dict[int, list[int]], too_many: float, too_few: float
) -> tuple[float, int, int]:
    """Return the change of distance, and the sizes of the groups that go and come (0 for none)."""
    leaving, coming = np.array(sorted(here)), np.array([0, *sorted(there)])
    shifted = leaving[:, None] - coming
    after = np.abs(too_many - shifted) + np.abs(too_few + shifted)
    if sum(map(len, here.values())) == 1:
        after[:, 0] = np.inf  # no subset is left empty
    a, b = np.unravel_index(np.argmin(after), after.shape)
    change = after[a, b] - abs(too_many) - abs(too_few)
    return float(change), int(leaving[a]), int(coming[b])


def _trade_groups(
    Y: sparse.csc_array,
    units: Units,
    subset: np.ndarray,
    wanted: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return better subsets whose sizes are at least as near."""
    n_subsets, totals = wanted.size, np.diff(Y.indptr)
    counts = positives_by_subset(Y, units.to_samples(subset), n_subsets)
    excess = np.bincount(subset, weights=units.weight, minlength=n_subsets) - wanted
    rows = kernel_rows(units)
    load = Load(subset.copy(), excess, np.bincount(subset, minlength=n_subsets))
    for n_trials, threshold in schedule(budget, units.n_units, n_subsets, cold=False):
        # Sizes may change as long as they stay as near, so the targets use the present sizes.
        sizes = np.rint(wanted + load.excess).astype(np.int64)
        aims = Aims(sizes, totals / (Y.shape[0] - totals), ZERO_PRICE)
        draws = rng.integers(2**32, size=(n_trials, 3), dtype=np.uint32)
        trade(rows, units.weight, load, draws, threshold, counts, aims)
    return load.subset


def _distance(weight: np.ndarray, subset: np.ndarray, wanted: np.ndarray) -> float:
    sizes = np.bincount(subset, weights=weight, minlength=wanted.size)
    return float(np.abs(sizes - wanted).sum())


def flz_and_ld(Y: sparse.csc_array, subsets: np.ndarray, n_subsets: int) -> tuple[int, float]:
    """Return the quality of subsets as a pair to compare; no label may belong to every sample."""
    counts = positives_by_subset(Y, subsets, n_subsets)
    sizes = np.bincount(subsets, minlength=n_subsets)
    return int((counts == 0).sum()), float(label_distribution(counts, sizes).mean())


def schedule(
    budget: int | timedelta | None, n_units: int, n_subsets: int, *, cold: bool
) -> Iterator[tuple[int, float]]:
    """Yield numbers of trials, each with the change below which a trial is accepted."""
    heat = 0.0 if cold else _HEAT * n_subsets / n_units
    for share, n_trials in _chunks(budget, n_units):
        yield n_trials, heat * max(0.0, 1 - share / _COLD_FROM) ** 2 - _NOISE


def _chunks(budget: int | timedelta | None, n_units: int) -> Iterator[tuple[float, int]]:
    """Yield the share of the budget that is spent, and the number of trials to come."""
    if isinstance(budget, timedelta):
        begin, total = monotonic(), budget.total_seconds()
        while (spent := monotonic() - begin) < total:
            yield spent / total, _CHUNK
        return
    n_trials = min(MOST_TRIALS, TRIALS_PER_UNIT * n_units) if budget is None else budget
    for done in range(0, n_trials, _CHUNK):
        yield done / n_trials, min(_CHUNK, n_trials - done)
