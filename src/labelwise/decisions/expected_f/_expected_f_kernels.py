"""Kernels of GFM: the best label set of each sample, and projections onto distributions."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit

# Relative rounding error of each term of a sum; values within the error are equal.
ROUNDING = 2.0**-52


class SparseJoint(NamedTuple):
    """CSR arrays with one row per sample and label, and one column per number of labels."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


@njit(cache=True, nogil=True)
def decide_dense(joint, p_empty, weights, decided, value):
    """Write the best label set of each sample and its value, for joint[i, label, s - 1]."""
    n_samples, n_labels, n_sizes = joint.shape
    table = np.empty((n_sizes, n_labels))
    sizes = np.arange(1.0, n_sizes + 1)
    labels = np.arange(n_labels)
    for i in range(n_samples):
        for j in range(n_labels):
            for s in range(n_sizes):
                table[s, j] = joint[i, j, s]
        value[i] = decide(table, sizes, labels, p_empty[i], weights, decided[i])


@njit(cache=True, nogil=True)
def decide_sparse(joint, n_sizes, p_empty, weights, decided, value):
    """Write the best label set of each sample and its value, from the stored entries only."""
    n_samples, n_labels = decided.shape
    row_of = np.empty(n_sizes, np.int64)
    for i in range(n_samples):
        bounds = joint.indptr[i * n_labels : (i + 1) * n_labels + 1]
        labels = np.flatnonzero(bounds[1:] > bounds[:-1])
        row_of[:] = 0
        for place in range(bounds[0], bounds[-1]):
            row_of[joint.indices[place]] = 1
        sizes = np.flatnonzero(row_of) + 1.0
        row_of[:] = np.cumsum(row_of) - 1
        table = np.zeros((sizes.size, labels.size))
        for c in range(labels.size):
            for place in range(bounds[labels[c]], bounds[labels[c] + 1]):
                table[row_of[joint.indices[place]], c] = joint.data[place]
        value[i] = decide(table, sizes, labels, p_empty[i], weights, decided[i])


@njit(cache=True, nogil=True)
def decide(table, sizes, labels, p_empty, weights, decided):
    """Mark the best set of a sample and return its value; table[r, c] = P(labels[c], sizes[r])."""
    k, value = best_number(table, sizes, p_empty, weights)
    decided[:] = 0
    if k == 0:
        return value
    gain = np.empty(labels.size)
    heap = np.empty(labels.size)
    find_gains(table, weigh_sizes(sizes, weights, k, np.empty(sizes.size)), gain)
    sum_of_largest(gain, k, heap)
    least = heap[0]
    n_at_least = k
    for c in range(labels.size):
        n_at_least -= gain[c] > least
    for c in range(labels.size):
        if gain[c] > least:
            decided[labels[c]] = 1
        elif gain[c] == least and n_at_least > 0:
            decided[labels[c]] = 1
            n_at_least -= 1
    return value


@njit(cache=True, nogil=True)
def best_number(table, sizes, p_empty, weights):
    """Return the best number of labels, the fewest among equals, and its expected F.

    Why the loop may stop early: let w_sk = (1 + β²) / (β² s + k), and v_k the highest value of k
    labels. Since no p_is is negative, and w_sk falls as k grows,

        v_k = max_{|h| = k} Σ_{i in h} Σ_s w_sk p_is <= Σ_s w_sk Σ_i p_is = u_k >= u_{k+1} >= ...

    If u_k is not above the best value so far, neither is v_k, nor the value of more labels.
    """
    n_sizes, n_labels = table.shape
    total = np.zeros(n_sizes)
    for r in range(n_sizes):
        for c in range(n_labels):
            total[r] += table[r, c]
    weight = np.empty(n_sizes)
    gain = np.empty(n_labels)
    heap = np.empty(n_labels)
    best_k, best = 0, p_empty
    for k in range(1, n_labels + 1):
        bar = best * (1 + ROUNDING * (n_sizes + k))
        weigh_sizes(sizes, weights, k, weight)
        bound = 0.0
        for r in range(n_sizes):
            bound += weight[r] * total[r]
        if bound <= bar:
            break
        find_gains(table, weight, gain)
        value = sum_of_largest(gain, k, heap)
        if value > bar:
            best_k, best = k, value
    return best_k, best


@njit(cache=True, nogil=True)
def weigh_sizes(sizes, weights, k, weight):
    """Write (1 + β²) / (β² s + k) for each size s; weights = (β², 1) / (1 + β²)."""
    for r in range(sizes.size):
        weight[r] = 1 / (weights[0] * sizes[r] + weights[1] * k)
    return weight


@njit(cache=True, nogil=True)
def find_gains(table, weight, gain):
    """Write the contribution of each label to the expected F, Σ_s p_is w_s.

    The inner loop runs over labels and adds two sizes at a time, so that the compiler vectorises
    it without reordering any sum.
    """
    for c in range(gain.size):
        gain[c] = 0.0
    for r in range(0, weight.size - 1, 2):
        for c in range(gain.size):
            gain[c] += weight[r] * table[r, c] + weight[r + 1] * table[r + 1, c]
    if weight.size % 2:
        for c in range(gain.size):
            gain[c] += weight[-1] * table[-1, c]


@njit(cache=True, nogil=True)
def sum_of_largest(values, k, heap):
    """Return the sum of the k largest values; heap[0] becomes the least of these."""
    for place in range(k):
        heap[place] = values[place]
    for place in range(k // 2 - 1, -1, -1):
        sift_down(heap, k, place)
    for c in range(k, values.size):
        if values[c] > heap[0]:
            heap[0] = values[c]
            sift_down(heap, k, 0)
    total = 0.0
    for place in range(k):
        total += heap[place]
    return total


@njit(cache=True, nogil=True)
def sift_down(heap, size, place):
    """Restore the min-heap below a place whose value may be too large."""
    value = heap[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


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
