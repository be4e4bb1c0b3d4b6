"""Method "balanced" for groups: sizes as near as groups allow, then evenly spread labels."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
from scipy import sparse

from labelwise.splitting._quality import positives_by_subset
from labelwise.splitting.stratification._balanced import kernel_rows
from labelwise.splitting.stratification._balanced_kernels import Aims
from labelwise.splitting.stratification._grouped_kernels import NOTHING, Load, trade
from labelwise.splitting.stratification._iterative import assign_by_size, assign_iteratively
from labelwise.splitting.stratification._search import ZERO_PRICE, schedule, verdict_on
from labelwise.splitting.stratification._units import Units, units_of, without_empty


def balance_groups(
    Y: sparse.csc_array,
    groups: np.ndarray,
    proportions: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return the subset of each group; no move or swap of groups brings sizes nearer."""
    Y = Y[:, np.diff(Y.indptr) < Y.shape[0]]
    units, wanted = units_of(Y, groups), Y.shape[0] * proportions
    starts = [
        with_nearest_sizes(units.weight, assign_units(units, proportions, rng), wanted)
        for assign_units in (assign_iteratively, assign_by_size)
    ]
    if Y.shape[1] == 0:
        return min(starts, key=lambda start: _distance(units.weight, start, wanted))

    def rank(subset: np.ndarray) -> tuple[float, int, float]:
        far = round(_distance(units.weight, subset, wanted), 6)
        return far, *verdict_on(Y, units.to_rows(subset), wanted.size)

    first = min(starts, key=rank)
    found = _search(Y, units, first, wanted, rng, budget)
    nearest = [subset for subset in (*starts, found) if rank(subset)[0] <= rank(found)[0]]
    least = min(rank(subset)[2] for subset in nearest)
    # If swaps worsened LD, keep the starting assignment with the lower LD.
    return found if rank(found)[2] <= least else min(nearest, key=lambda s: rank(s)[2])


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


def _search(
    Y: sparse.csc_array,
    units: Units,
    subset: np.ndarray,
    wanted: np.ndarray,
    rng: np.random.Generator,
    budget: int | timedelta | None,
) -> np.ndarray:
    """Return better subsets whose sizes are at least as near."""
    n_subsets, totals = wanted.size, np.diff(Y.indptr)
    counts = positives_by_subset(Y, units.to_rows(subset), n_subsets)
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
