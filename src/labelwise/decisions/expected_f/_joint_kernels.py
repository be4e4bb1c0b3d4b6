"""Kernels that project probabilities onto those of a distribution, sample by sample."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

# Bisection alone ends within this number of steps; Newton steps need only a few.
MAX_STEPS = 200


@njit(cache=True, nogil=True)
def project_rows(joint, ranked, sums, p_empty, nearest_empty):
    """Replace joint[i, label, s - 1] by its projection, for each sample i.

    ranked[i, s - 1] is the column of s in falling order, and sums[i, s - 1] its cumulative sums.

    Let K_s be the cone of columns that sets of s labels can have, 0 <= p_is <= Σ_j p_js / s. With
    a multiplier λ of the constraint Σ_s π_s + p_empty = 1, the projection is that of each column
    p_·s + λ / s onto K_s, and max(0, p_empty + λ). Its total mass is a piecewise linear function
    that rises with λ.
    """
    n_samples, n_labels, n_sizes = joint.shape
    for i in range(n_samples):
        shift = find_shift(ranked[i], sums[i], p_empty[i])
        nearest_empty[i] = max(0.0, p_empty[i] + shift)
        for s in range(n_sizes):
            up = shift / (s + 1)
            chance, floor, _ = project_column(ranked[i, s], sums[i, s], s + 1, up)
            for j in range(n_labels):
                moved = joint[i, j, s] + up - floor
                joint[i, j, s] = min(max(moved, 0.0), chance)


@njit(cache=True, nogil=True)
def find_shift(ranked, sums, p_empty):
    """Return the λ at which the total mass is 1, by Newton steps inside a shrinking bracket.

    Below `low` the mass is 0; at `high` the empty set alone has the mass 1.
    """
    low, high = -max(0.0, p_empty), 1 - p_empty
    for s in range(len(ranked)):
        low = min(low, -(s + 1) * ranked[s, 0])
    shift = min(max(0.0, low), high)
    for _ in range(MAX_STEPS):
        mass = max(0.0, p_empty + shift)
        slope = 1.0 if mass > 0 else 0.0
        for s in range(len(ranked)):
            projected = project_column(ranked[s], sums[s], s + 1, shift / (s + 1))
            mass += projected[0]
            slope += projected[2]
        if mass > 1:
            high = shift
        else:
            low = shift
        target = shift + (1 - mass) / slope if slope > 0 else np.inf
        if abs(target - shift) <= 1e-17:
            break
        if not low <= target <= high:
            target = (low + high) / 2
            if target == low or target == high:
                break
        shift = target
    return shift


@njit(cache=True, nogil=True)
def project_column(ranked, sums, s, up):
    """Project a falling column v = ranked + up onto K_s; return π, z and dπ / dλ for up = λ / s.

    The projection is clip(v - z, 0, π). With t = z + π, its optimality conditions are

        z = -Σ_i max(0, v_i - t) / s    and    Σ_i max(0, v_i - z) + 2 s z - s t = 0,

    where the second falls as t grows, at (s - a)² / s + a (b - a) / s if a values lie above t and
    b above z. So a is found by bisection, then b, and the rest is linear.
    """
    n_labels = ranked.size
    # In the polar cone, where no s values have a positive sum, the projection is 0.
    if s > n_labels or sums[s] + s * up <= 0:
        return 0.0, 0.0, 0.0
    n_capped = count_capped(ranked, sums, s, up)
    capped = sums[n_capped] + n_capped * up
    n_positive = count_positive(ranked, sums, s, up, n_capped)
    positive = sums[n_positive] + n_positive * up
    scale = (s - n_capped) ** 2 + n_capped * (n_positive - n_capped)
    chance = ((s - n_capped) * positive + (n_positive - s) * capped) / scale
    floor = (n_capped * chance - capped) / (s - n_capped)
    return chance, floor, (n_positive - n_capped) / scale


@njit(inner=True, nogil=True)
def count_capped(ranked, sums, s, up):
    """Return how many values lie above the t of `project_column`; there are fewer than s.

    Bisection on the second condition at t = v_i, where it is at least 0 for i = s - 1.
    """
    low, high = 0, s - 1
    while low < high:
        i = (low + high) // 2
        t = ranked[i] + up
        z = (i * t - sums[i] - i * up) / s
        n_above = count_above(ranked, z - up)
        above = sums[n_above] + n_above * (up - z)
        if above + 2 * s * z - s * t >= 0:
            high = i
        else:
            low = i + 1
    return low


@njit(inner=True, nogil=True)
def count_positive(ranked, sums, s, up, n_capped):
    """Return how many values lie above the z of `project_column`, given how many lie above t.

    If any lie above t, t = (s z + their sum) / n_capped; bisection on the second condition at
    z = v_i.
    """
    if n_capped == 0:
        return count_above(ranked, -up)
    capped = sums[n_capped] + n_capped * up
    low, high = n_capped, ranked.size
    while low < high:
        i = (low + high) // 2
        z = ranked[i] + up
        above = sums[i] + i * (up - z)
        if above + 2 * s * z - s * (s * z + capped) / n_capped >= 0:
            high = i
        else:
            low = i + 1
    return low


@njit(cache=True, nogil=True)
def count_above(ranked, cut):
    """Return how many values of a falling array are greater than the cut."""
    low, high = 0, ranked.size
    while low < high:
        middle = (low + high) // 2
        if ranked[middle] > cut:
            low = middle + 1
        else:
            high = middle
    return low
