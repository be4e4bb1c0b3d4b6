"""Kernels that find the label set with the highest expected F of independent labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from math import log

import numpy as np

from labelwise._jit import njit

# Relative rounding error of each term of a sum; values within the error are equal.
ROUNDING = 2.0**-52
# Counts that are exceeded with a probability below 1e-18 are ignored: -log(1e-18).
TAIL = 18 * 2.302585092994046


@njit(cache=True, nogil=True)
def decide_rows(proba, bounds, weights, allows_empty, decided, value):
    """Write the best label set and its value for each row proba[bounds[i]:bounds[i + 1]]."""
    for i in range(bounds.size - 1):
        row = proba[bounds[i] : bounds[i + 1]]
        heap = np.flatnonzero(row > 0)
        mean = row.sum()
        chance = count_distribution(row[heap], last_count(mean, heap.size))
        for place in range(heap.size // 2 - 1, -1, -1):
            sink(heap, heap.size, place, row)
        k, value[i] = best_number(row, heap, mean, chance, weights, allows_empty)
        decided[bounds[i] : bounds[i + 1]] = 0
        # Popped labels are at the end of the heap, the most probable one last.
        for place in range(heap.size - k, heap.size):
            decided[bounds[i] + heap[place]] = 1


@njit(cache=True, nogil=True)
def best_number(row, heap, mean, chance, weights, allows_empty):
    """Return how many of the most probable labels to decide, and the expected F.

    Why the loop may stop early: let Q(s) be the sum of P(y_j = 1, S = s) over the labels before
    the k-th, and r the sum of the probabilities p_j of the others, p_k being the highest. For the
    k' >= k most probable labels, with w_s = (1 + β²) / (β² s + k'),

        v_k' = Σ_s w_s Q(s) + Σ_{k <= j <= k'} p_j Σ_s w_s P(S_{-j} = s - 1)
            <= Σ_s w_s (Q(s) + min((k' - k + 1) p_k, r) P(S_{-k} = s - 1)),

    since a label of lower probability leaves more of the count to the others, and w falls. As a
    function of k', each term is monotonic until (k' - k + 1) p_k = r, and falls
    after. So no v_k' exceeds the sum over s of the greater of its terms at k' = k and there.
    """
    best_k, best = 0, chance[0] if allows_empty or heap.size == 0 else 0.0
    hits = np.zeros(chance.size)
    others = np.empty(chance.size)
    rounding = ROUNDING * (row.size + chance.size)
    for k in range(1, heap.size + 1):
        p = row[pop(heap, heap.size - k + 1, row)]
        leave_out(chance, p, others)
        # Rounding must not move the remaining sum out of its possible range.
        rest = min(max(p, mean), p * (heap.size - k + 1))
        farthest = k - 1 + rest / p
        value = 0.0
        bound = 0.0
        for s in range(1, chance.size):
            beyond = hits[s] + rest * others[s - 1]
            hits[s] += p * others[s - 1]
            term = hits[s] / (weights[0] * s + weights[1] * k)
            value += term
            bound += max(term, beyond / (weights[0] * s + weights[1] * farthest))
        if value > best * (1 + rounding):
            best_k, best = k, value
        if bound <= best * (1 + rounding):
            break
        mean -= p
    return best_k, best


@njit(cache=True, nogil=True)
def last_count(mean, n_labels):
    """Return a count that is exceeded with a probability below 1e-18 (Chernoff's bound)."""
    count = int(mean) + 1
    while count < n_labels and count * (log(count) - log(mean)) - (count - mean) < TAIL:
        count += 1
    return min(count, n_labels)


@njit(cache=True, nogil=True)
def count_distribution(proba, last):
    """Return P(exactly s of the independent labels are on) for s = 0, ..., last.

    Labels are added one at a time. Nothing is subtracted, so that even the smallest values are
    accurate. Writing into a second array, both with a leading zero, lets the compiler vectorise a
    step.
    """
    before = np.zeros(last + 2)
    after = np.zeros(last + 2)
    before[1] = 1.0
    for n_seen in range(proba.size):
        p = proba[n_seen]
        for s in range(1, min(n_seen + 1, last) + 2):
            after[s] = (1 - p) * before[s] + p * before[s - 1]
        before, after = after, before
    return before[1:]


@njit(cache=True, nogil=True)
def leave_out(chance, p, others):
    """Write the distribution of the count without one label of probability p.

    chance[s] = (1 - p) others[s] + p others[s - 1] is solved from the end at which an error is
    multiplied by at most 1 in each step: by p / (1 - p) or by (1 - p) / p.
    """
    last = chance.size - 1
    if p <= 0.5:
        carried = 0.0
        for s in range(last + 1):
            carried = max(0.0, (chance[s] - p * carried) / (1 - p))
            others[s] = carried
    else:
        carried = 0.0
        others[last] = 0.0
        for s in range(last, 0, -1):
            carried = max(0.0, (chance[s] - (1 - p) * carried) / p)
            others[s - 1] = carried


@njit(cache=True, nogil=True)
def pop(heap, size, row):
    """Move the most probable label of the heap to its end, and return it."""
    label = heap[0]
    heap[0] = heap[size - 1]
    heap[size - 1] = label
    sink(heap, size - 1, 0, row)
    return label


@njit(cache=True, nogil=True)
def sink(heap, size, place, row):
    """Restore the max-heap below a place; among equal probabilities the first label is higher."""
    label = heap[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and is_before(heap[child + 1], heap[child], row):
            child += 1
        if not is_before(heap[child], label, row):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = label


@njit(inner=True, nogil=True)
def is_before(first, second, row):
    """Return whether a label precedes another: more probable, or equally and with less index."""
    return row[first] > row[second] or (row[first] == row[second] and first < second)
