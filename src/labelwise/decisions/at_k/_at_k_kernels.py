"""Kernels of coordinate ascent over samples, and of its upper bounds."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit

# Sizes from which a bound covers several sizes at once, a thirty-second of the size.
FEW = 32


class CandidateCells(NamedTuple):
    """Cells with a probability above 0, row by row; `amounts` is what a decision adds to `hits`."""

    starts: np.ndarray
    labels: np.ndarray
    proba: np.ndarray
    amounts: np.ndarray


class Ratios(NamedTuple):
    """Values of labels, ``(a + b·hits + c·decided) / (d + e·hits + f·decided)``.

    `factors` has a row (a, b, c, d, e, f) for each label, and no row for the coverage.
    """

    factors: np.ndarray
    when_empty: float


class Decisions(NamedTuple):
    """Which cells are decided, and the sums over the decided cells of each label."""

    chosen: np.ndarray
    hits: np.ndarray
    decided: np.ndarray


@njit(cache=True, nogil=True)
def ratio_of(ratios, j, hits, decided):
    """Return the value of a label."""
    own = ratios.factors[j]
    below = own[3] + own[4] * hits + own[5] * decided
    if below <= 0:
        return ratios.when_empty
    return (own[0] + own[1] * hits + own[2] * decided) / below


@njit(cache=True, nogil=True)
def gain_of(cells, ratios, state, entry):
    """Return how much the sum of the labels' values rises if a cell is decided as well.

    For the coverage, ``exp(-hits)`` is the chance that no decision of the label is a hit.
    """
    j = cells.labels[entry]
    hits, decided = state.hits[j], state.decided[j]
    if ratios.factors.shape[0] == 0:
        return np.exp(-hits) * cells.proba[entry]
    after = ratio_of(ratios, j, hits + cells.amounts[entry], decided + 1)
    return after - ratio_of(ratios, j, hits, decided)


@njit(cache=True, nogil=True)
def release_row(cells, state, first, end):
    """Take back the decisions of a row."""
    for entry in range(first, end):
        if state.chosen[entry]:
            j = cells.labels[entry]
            state.decided[j] -= 1
            # Rounding must not leave hits to a label that has no decisions.
            hits = state.hits[j] - cells.amounts[entry]
            state.hits[j] = max(hits, 0.0) if state.decided[j] > 0 else 0.0


@njit(cache=True, nogil=True)
def improve_rows(cells, ratios, state, k, backwards):
    """Decide the best labels of each row while all other rows stay; return how many rows change.

    At most k labels of a row are decided, and only those that raise the sum of the values.
    """
    n_rows, n_changed = cells.starts.size - 1, 0
    gains, entries = np.empty(k), np.empty(k, np.int64)
    for turn in range(n_rows):
        i = n_rows - 1 - turn if backwards else turn
        first, end = cells.starts[i], cells.starts[i + 1]
        release_row(cells, state, first, end)
        size = 0
        for entry in range(first, end):
            gain = gain_of(cells, ratios, state, entry)
            if gain <= 1e-15 or (size == k and gain <= gains[k - 1]):
                continue
            place = size if size < k else k - 1
            while place > 0 and gains[place - 1] < gain:
                gains[place], entries[place] = gains[place - 1], entries[place - 1]
                place -= 1
            gains[place], entries[place] = gain, entry
            size = min(size + 1, k)
        n_same = 0
        for entry in entries[:size]:
            n_same += state.chosen[entry]
        n_before = np.sum(state.chosen[first:end])
        n_changed += n_same < size or n_before > size
        state.chosen[first:end] = False
        for entry in entries[:size]:
            state.chosen[entry] = True
            state.hits[cells.labels[entry]] += cells.amounts[entry]
            state.decided[cells.labels[entry]] += 1
    return n_changed


@njit(cache=True, nogil=True)
def top_of_rows(starts, weights, k):
    """Mark the k largest weights of each row that are above 0; among equal ones the first."""
    chosen = np.zeros(weights.size, np.bool_)
    entries = np.empty(k, np.int64)
    for i in range(starts.size - 1):
        size = 0
        for entry in range(starts[i], starts[i + 1]):
            weight = weights[entry]
            if weight <= 0 or (size == k and weight <= weights[entries[k - 1]]):
                continue
            place = size if size < k else k - 1
            while place > 0 and weights[entries[place - 1]] < weight:
                entries[place] = entries[place - 1]
                place -= 1
            entries[place] = entry
            size = min(size + 1, k)
        for entry in entries[:size]:
            chosen[entry] = True
    return chosen


@njit(cache=True, nogil=True)
def best_less_prices(starts, proba, prices, scale, constant):
    """Return, for each label, an upper bound of ``scale·hits / (constant + decided) - prices``.

    The maximum is over all sets of the label's cells, given column by column with the price of
    each; it is at least 0, the value of no cells.
    """
    found = np.zeros(starts.size - 1)
    for j in range(found.size):
        own, cost = proba[starts[j] : starts[j + 1]], prices[starts[j] : starts[j + 1]]
        size = 1
        while size <= own.size:
            last = size + size // FEW
            slope = scale / (constant[j] + size)
            bound, is_last = sum_of_largest(own, cost, slope, last)
            found[j] = max(found[j], bound)
            # With a lower slope and no limit on the size, no set is better.
            if is_last:
                break
            size = last + 1
    return found


@njit(cache=True, nogil=True)
def sum_of_largest(own, cost, slope, size):
    """Return an upper bound of the sum of the `size` largest ``slope·own - cost``, none below 0.

    Also return whether no more than `size` are above 0. For every t >= 0, ``t·size`` plus the sum
    of what exceeds t is such a bound, least at the largest that is left out: bisection finds it.
    """
    low, high, best = 0.0, slope, np.inf
    for turn in range(10):
        level = low if turn == 0 else 0.5 * (low + high)
        total, n_above = level * size, 0
        for entry in range(own.size):
            excess = slope * own[entry] - cost[entry] - level
            if excess > 0:
                total += excess
                n_above += 1
        best = min(best, total)
        if turn == 0 and n_above <= size:
            return best, True
        if n_above == size:
            break
        if n_above > size:
            low = level
        else:
            high = level
    return best, False
