"""Kernels that move and swap whole groups between subsets to balance their labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit
from labelwise.splitting.stratification._balanced_kernels import misfit, pick

# Differences of sizes are sums of proportions; smaller ones are rounding errors.
NOTHING = 1e-9


class Load(NamedTuple):
    """The subset of each group; of each subset the surplus of rows and the number of groups."""

    subset: np.ndarray
    excess: np.ndarray
    n_groups: np.ndarray


@njit(cache=True, nogil=True)
def trade(rows, weight, load, draws, threshold, counts, aims):
    """Try a swap of two groups, or a move of one, for each row of draws.

    Sizes come first: a step that takes them further from their targets is rejected, and a step
    that brings them nearer is accepted. Other steps are accepted if the change of misfit is below
    the threshold.
    """
    n_groups, n_subsets = weight.size, load.excess.size
    for draw in draws:
        a, b = pick(draw[0], n_groups), pick(draw[1], n_groups)
        is_swap = draw[2] % 2 == 0
        j = load.subset[a]
        m = load.subset[b] if is_swap else pick(draw[1], n_subsets)
        if j == m or (not is_swap and load.n_groups[j] == 1):
            continue
        shifted = weight[a] - (weight[b] if is_swap else 0)
        further = distance_change(load.excess, j, m, shifted)
        if further > NOTHING:
            continue
        change = carry(rows, a, j, m, counts, aims)
        if is_swap:
            change += carry(rows, b, m, j, counts, aims)
        if further < -NOTHING or change < threshold:
            settle(load, a, j, m, weight[a])
            if is_swap:
                settle(load, b, m, j, weight[b])
        else:
            carry(rows, a, m, j, counts, aims)
            if is_swap:
                carry(rows, b, j, m, counts, aims)


@njit(inner=True, nogil=True)
def distance_change(excess, j, m, shifted):
    """Return the change of the distance of sizes from their targets if rows move from j to m."""
    after = abs(excess[j] - shifted) + abs(excess[m] + shifted)
    return after - abs(excess[j]) - abs(excess[m])


@njit(cache=True, nogil=True)
def carry(rows, group, j, m, counts, aims):
    """Count the group's labels in subset m instead of j; return the change of misfit."""
    change = 0.0
    for entry in range(rows.indptr[group], rows.indptr[group + 1]):
        label, n = rows.indices[entry], rows.data[entry]
        change += add(counts, aims, label, j, -n) + add(counts, aims, label, m, n)
    return change


@njit(cache=True, nogil=True)
def add(counts, aims, label, j, n):
    """Count n positives more (or fewer) of the label in subset j; return the change of misfit."""
    size, odds = aims.sizes[j], aims.odds[label]
    before = misfit(counts[label, j], size, odds, aims.zero_price)
    counts[label, j] += n
    return misfit(counts[label, j], size, odds, aims.zero_price) - before


@njit(cache=True, nogil=True)
def settle(load, group, j, m, weight):
    """Note that the group belongs to subset m instead of j."""
    load.subset[group] = m
    load.excess[j] -= weight
    load.excess[m] += weight
    load.n_groups[j] -= 1
    load.n_groups[m] += 1
