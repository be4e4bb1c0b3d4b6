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


# Columns of the table that `improve_rows` has of the labels: one cache line for each label.
ABOVE, BELOW, VALUE, DECIDED, PER_HIT, PER_DECISION, BELOW_PER_HIT, BELOW_PER_DECISION = range(8)


@njit(cache=True, nogil=True)
def table_of_labels(ratios, state):
    """Return numerator, denominator and value of each label, and what a decision adds to them.

    For the coverage, the numerator is the sum of the amounts, and the value the chance that no
    decision of the label is a hit.
    """
    table = np.zeros((state.hits.size, 8))
    is_coverage = ratios.factors.shape[0] == 0
    for j in range(state.hits.size):
        table[j, DECIDED] = state.decided[j]
        table[j, PER_HIT] = 1.0
        if not is_coverage:
            own = ratios.factors[j]
            table[j, PER_HIT], table[j, PER_DECISION] = own[1], own[2]
            table[j, BELOW_PER_HIT], table[j, BELOW_PER_DECISION] = own[4], own[5]
            table[j, ABOVE], table[j, BELOW] = own[0], own[3]
        add_to_label(table[j], state.hits[j], state.decided[j], ratios.when_empty, is_coverage)
    return table


@njit(cache=True, nogil=True)
def add_to_label(label, hits, decided, when_empty, is_coverage):
    """Add hits and decisions to a row of the table, and update its value."""
    label[ABOVE] += label[PER_HIT] * hits + label[PER_DECISION] * decided
    if is_coverage:
        label[VALUE] = np.exp(-max(label[ABOVE], 0.0))
        return
    label[BELOW] += label[BELOW_PER_HIT] * hits + label[BELOW_PER_DECISION] * decided
    label[VALUE] = label[ABOVE] / label[BELOW] if label[BELOW] > 0 else when_empty


@njit(cache=True, nogil=True)
def gain_of(label, proba, is_coverage):
    """Return how much the sum of the labels' values rises if a cell is decided as well."""
    if is_coverage:
        return label[VALUE] * proba
    above = label[ABOVE] + label[PER_HIT] * proba + label[PER_DECISION]
    below = label[BELOW] + label[BELOW_PER_HIT] * proba + label[BELOW_PER_DECISION]
    return above / below - label[VALUE]


@njit(cache=True, nogil=True)
def release_row(cells, ratios, table, chosen, first, end):
    """Take back the decisions of a row; `chosen` still marks them."""
    is_coverage = ratios.factors.shape[0] == 0
    for entry in range(first, end):
        if chosen[entry]:
            j, hits, decided = cells.labels[entry], -cells.amounts[entry], -1.0
            table[j, DECIDED] -= 1
            if table[j, DECIDED] == 0:
                # Rounding must not leave hits to a label that has no decisions.
                table[j, ABOVE] = 0.0 if is_coverage else ratios.factors[j, 0]
                table[j, BELOW] = 0.0 if is_coverage else ratios.factors[j, 3]
                hits, decided = 0.0, 0.0
            add_to_label(table[j], hits, decided, ratios.when_empty, is_coverage)


@njit(cache=True, nogil=True)
def improve_rows(cells, ratios, state, k, backwards):
    """Decide the best labels of each row while all other rows stay; return how many rows change.

    At most k labels of a row are decided, and only those that raise the sum of the values. Of
    `state`, only `chosen` is updated.
    """
    n_rows, n_changed, chosen = cells.starts.size - 1, 0, state.chosen
    is_coverage, table = ratios.factors.shape[0] == 0, table_of_labels(ratios, state)
    gains, entries = np.empty(k), np.empty(k, np.int64)
    for turn in range(n_rows):
        i = n_rows - 1 - turn if backwards else turn
        first, end = cells.starts[i], cells.starts[i + 1]
        release_row(cells, ratios, table, chosen, first, end)
        size = 0
        for entry in range(first, end):
            gain = gain_of(table[cells.labels[entry]], cells.proba[entry], is_coverage)
            if gain <= 1e-15 or (size == k and gain <= gains[k - 1]):
                continue
            place = size if size < k else k - 1
            while place > 0 and gains[place - 1] < gain:
                gains[place], entries[place] = gains[place - 1], entries[place - 1]
                place -= 1
            gains[place], entries[place] = gain, entry
            size = min(size + 1, k)
        n_before, n_same = np.sum(chosen[first:end]), 0
        for entry in entries[:size]:
            n_same += chosen[entry]
        n_changed += n_same < max(size, n_before)
        chosen[first:end] = False
        for entry in entries[:size]:
            chosen[entry] = True
            label = table[cells.labels[entry]]
            label[DECIDED] += 1
            add_to_label(label, cells.amounts[entry], 1.0, ratios.when_empty, is_coverage)
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
def best_less_prices(cells, scale, constant, guesses, reached):
    """Return, for each label, an upper bound of ``scale·hits / (constant + decided) - prices``.

    The maximum is over all sets of the label's cells, given label by label as (starts, proba,
    prices). `reached` has values of some sets, which bounds need not be below, and `guesses` the
    value per decision of these sets, which makes good bounds of sizes near theirs.
    """
    starts, proba, prices = cells
    found = np.maximum(reached, 0.0)
    for j in range(found.size):
        own, cost = proba[starts[j] : starts[j + 1]], prices[starts[j] : starts[j + 1]]
        size = 1
        while size <= own.size:
            last = size + size // FEW
            slope = scale / (constant[j] + size)
            bound, is_last = sum_of_largest(own, cost, slope, last, guesses[j], found[j])
            found[j] = max(found[j], bound)
            # With a lower slope and no limit on the size, no set is better.
            if is_last:
                break
            size = last + 1
    return found


@njit(cache=True, nogil=True)
def sum_of_largest(own, cost, slope, size, guess, enough):
    """Return an upper bound of the sum of the `size` largest ``slope·own - cost``, none below 0.

    Also return whether no more than `size` are above 0. For every t >= 0, ``t·size`` plus the sum
    of what exceeds t is such a bound, least at the largest that is left out. The guess of t comes
    first; if its bound is larger than `enough`, bisection finds a better one.
    """
    low, high, best, level = 0.0, slope, np.inf, min(guess, slope)
    for turn in range(10):
        total, all_above, n_above, n_positive = level * size, 0.0, 0, 0
        for entry in range(own.size):
            excess = slope * own[entry] - cost[entry]
            n_positive += excess > 0
            all_above += max(excess, 0.0)
            n_above += excess > level
            total += max(excess - level, 0.0)
        if turn == 0 and n_positive <= size:
            return all_above, True
        best = min(best, total, all_above)
        if best <= enough or n_above == size:
            break
        if n_above > size:
            low = level
        else:
            high = level
        level = 0.5 * (low + high)
    return best, False
