"""Kernels that find the label set with the highest expected F, sample by sample."""

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
