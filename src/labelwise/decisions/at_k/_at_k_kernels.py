"""Kernels of coordinate ascent over samples, and of upper bounds.

Fields of named tuples are read once, before a loop: each reading counts a reference to an array,
which takes longer than the gain of a cell.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit

# Gains up to this one may come from rounding, and decide nothing.
LEAST = 1e-15
# Columns of the terms of a label, see `gain_of`: with four, a label is in one cache line.
BASE, SLOPE, BEND, VALUE = range(4)


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
    """The numbers of the decided cells, rising, and the sums over these cells for each label."""

    chosen: np.ndarray
    hits: np.ndarray
    decided: np.ndarray


class Climb(NamedTuple):
    """Decided cells of each row, in order and then -1, with the sums and terms of the labels."""

    picked: np.ndarray
    hits: np.ndarray
    decided: np.ndarray
    terms: np.ndarray


@njit(inner=True, nogil=True)
def gain_of(terms, j, proba):
    """Return how much the sum of the labels' values rises if a cell is decided as well."""
    line = terms[j, BASE] + terms[j, SLOPE] * proba
    if terms[j, BEND] == 0.0:
        return line
    return line / (1 + terms[j, BEND] * proba) - terms[j, VALUE]


@njit(inner=True, nogil=True)
def value_at(factors, when_empty, j, hits, decided):
    """Return the value of a label, less 1 for the coverage: minus the chance of no hit."""
    if factors.shape[0] == 0:
        return -np.exp(-hits)
    above = factors[j, 0] + factors[j, 1] * hits + factors[j, 2] * decided
    below = factors[j, 3] + factors[j, 4] * hits + factors[j, 5] * decided
    return above / below if below > 0 else when_empty


@njit(inner=True, nogil=True)
def update_label(ratios, state, j, hits, decided):
    """Add hits and decisions to a label, and compute the terms of its gains."""
    factors, terms = ratios.factors, state.terms
    decided += state.decided[j]
    # Rounding must not leave hits to a label that has no decisions.
    hits = max(state.hits[j] + hits, 0.0) if decided > 0 else 0.0
    state.hits[j], state.decided[j] = hits, decided
    value = value_at(factors, ratios.when_empty, j, hits, decided)
    if factors.shape[0] == 0:
        terms[j, SLOPE] = -value
        return
    more, bend = decided + 1, factors[j, 4]
    share = 1 / (factors[j, 3] + bend * hits + factors[j, 5] * more)
    base = (factors[j, 0] + factors[j, 1] * hits + factors[j, 2] * more) * share
    terms[j, BASE] = base - value if bend == 0 else base
    terms[j, SLOPE], terms[j, BEND], terms[j, VALUE] = factors[j, 1] * share, bend * share, value


@njit(cache=True, nogil=True)
def add_up(cells, ratios, state):
    """Compute the sums and the terms of all labels from the decided cells."""
    labels, amounts, hits, decided = cells.labels, cells.amounts, state.hits, state.decided
    for j in range(hits.size):
        hits[j], decided[j] = 0.0, 0.0
    for picks in state.picked:
        for entry in picks:
            if entry >= 0:
                hits[labels[entry]] += amounts[entry]
                decided[labels[entry]] += 1
    for j in range(hits.size):
        update_label(ratios, state, j, 0.0, 0.0)


@njit(inner=True, nogil=True)
def largest_of_row(cells, terms, i, least, found):
    """Store the entries of the largest gains of a row above `least`, the first among equal ones.

    `found` has an array of gains and one of entries, which are filled in falling order of gains.
    Return how many gains there are.
    """
    labels, proba, (gains, entries) = cells.labels, cells.proba, found
    size, most = 0, gains.size
    for entry in range(cells.starts[i], cells.starts[i + 1]):
        gain = gain_of(terms, labels[entry], proba[entry])
        if gain > least:
            place = min(size, most - 1)
            while place > 0 and gains[place - 1] < gain:
                gains[place], entries[place] = gains[place - 1], entries[place - 1]
                place -= 1
            gains[place], entries[place] = gain, entry
            size = min(size + 1, most)
            if size == most:
                least = gains[most - 1]
    return size


@njit(inner=True, nogil=True)
def put_in_order(entries, size, picked, i):
    """Store some entries of a row in rising order, and then -1."""
    for number in range(size):
        place = number
        while place > 0 and picked[i, place - 1] > entries[number]:
            picked[i, place] = picked[i, place - 1]
            place -= 1
        picked[i, place] = entries[number]
    for place in range(size, picked.shape[1]):
        picked[i, place] = -1


@njit(cache=True, nogil=True)
def top_of_rows(cells, terms, k):
    """Return the entries of the k largest gains above 0 of each row, in order, and then -1."""
    picked = np.empty((cells.starts.size - 1, k), np.int64)
    found = (np.empty(k), np.empty(k, np.int64))
    for i in range(picked.shape[0]):
        put_in_order(found[1], largest_of_row(cells, terms, i, 0.0, found), picked, i)
    return picked


@njit(inner=True, nogil=True)
def next_to_change(cells, ratios, state, i):
    """Return the first row from i on that has better decisions, and the least gain of its present.

    The gain of a decision is what the sum of the values loses without it. It is infinite if the
    row has no decisions. Without such a row, return the number of rows.
    """
    starts, labels, proba, amounts = cells
    picked, hits, decided, terms = state
    factors, when_empty = ratios
    lowest, k = np.inf, picked.shape[1]
    while i < picked.shape[0]:
        lowest, other, first, end = np.inf, -np.inf, starts[i], starts[i + 1]
        for number in range(k + 1):
            # Decided cells are in order, so that the others are the ranges between them.
            is_last = number == k or picked[i, number] < 0
            stop = end if is_last else picked[i, number]
            for entry in range(first, stop):
                gain = gain_of(terms, labels[entry], proba[entry])
                other = gain if gain > other else other
            if is_last:
                break
            first, j = stop + 1, np.int64(labels[stop])
            # A label without other decisions has no hits; the difference may be rounded.
            rest = hits[j] - amounts[stop] if decided[j] > 1 else 0.0
            without = value_at(factors, when_empty, j, rest, decided[j] - 1)
            gain = value_at(factors, when_empty, j, hits[j], decided[j]) - without
            lowest = gain if gain < lowest else lowest
        if lowest < LEAST or other > (lowest if picked[i, k - 1] >= 0 else LEAST):
            break
        i += 1
    return i, lowest


@njit(inner=True, nogil=True)
def decide_row(cells, ratios, state, i, least, found):
    """Decide the cells of a row with the largest gains above `least`, and update their labels."""
    labels, amounts, picked = cells.labels, cells.amounts, state.picked
    for number in range(picked.shape[1]):
        entry = picked[i, number]
        if entry >= 0:
            update_label(ratios, state, np.int64(labels[entry]), -amounts[entry], -1.0)
    size = largest_of_row(cells, state.terms, i, least, found)
    put_in_order(found[1], size, picked, i)
    for number in range(size):
        entry = picked[i, number]
        update_label(ratios, state, np.int64(labels[entry]), amounts[entry], 1.0)


@njit(cache=True, nogil=True)
def improve_rows(cells, ratios, state):
    """Decide the best labels of each row while all other rows stay; return how many rows change.

    Only labels that raise the sum of the values are decided. A row whose decisions all add more
    than any other cell would is only read.
    """
    n_changed, (n_rows, k) = 0, state.picked.shape
    found = (np.empty(k), np.empty(k, np.int64))
    i, lowest = next_to_change(cells, ratios, state, np.int64(0))
    while i < n_rows:
        # If k cells are decided now, the best k have gains of at least `lowest`, rounded.
        is_full = state.picked[i, k - 1] >= 0
        least = max(LEAST, lowest * (1 - 1e-9)) if is_full else LEAST
        decide_row(cells, ratios, state, i, least, found)
        n_changed += 1
        i, lowest = next_to_change(cells, ratios, state, i + 1)
    return n_changed


# Sizes from which a bound covers several sizes at once, a thirty-second of the size.
FEW = 32


@njit(cache=True, nogil=True)
def prices_of_rows(cells, terms, k):
    """Return a price for each row, and what the gains of all rows exceed their prices by.

    The price is halfway between the k-th gain and the one after it, and 0 if there are at most k
    gains above 0: one decision more costs nothing then.
    """
    prices, total = np.zeros(cells.starts.size - 1), 0.0
    gains, entries = np.empty(k + 1), np.empty(k + 1, np.int64)
    for i in range(prices.size):
        size = largest_of_row(cells, terms, i, 0.0, (gains, entries))
        if size > k:
            prices[i] = (gains[k - 1] + gains[k]) / 2
        for number in range(min(size, k)):
            total += gains[number] - prices[i]
    return prices, total


@njit(cache=True, nogil=True)
def cells_of_labels(cells, prices, slopes):
    """Return the cells label by label, as (starts, proba, prices).

    Cells with a price of at least ``slope·proba``, the slope of the label, are left out.
    """
    row_starts, labels, proba = cells.starts, cells.labels, cells.proba
    starts = np.zeros(slopes.size + 1, np.int64)
    for i in range(prices.size):
        for entry in range(row_starts[i], row_starts[i + 1]):
            starts[labels[entry] + 1] += slopes[labels[entry]] * proba[entry] > prices[i]
    for j in range(slopes.size):
        starts[j + 1] += starts[j]
    place, own, cost = starts.copy(), np.empty(starts[-1]), np.empty(starts[-1])
    for i in range(prices.size):
        for entry in range(row_starts[i], row_starts[i + 1]):
            j = labels[entry]
            if slopes[j] * proba[entry] > prices[i]:
                own[place[j]], cost[place[j]] = proba[entry], prices[i]
                place[j] += 1
    return starts, own, cost


@njit(cache=True, nogil=True)
def best_less_prices(cells, scale, constant, found):
    """Raise `found` to upper bounds of ``scale·hits / (constant + decided) - prices`` by label.

    The maximum is over all sets of the label's cells, given label by label as (starts, proba,
    prices), which are overwritten. `found` has values of some sets, which bounds need not be below.
    """
    starts, proba, prices = cells
    for j in range(found.size):
        first, n_left, size, level = starts[j], starts[j + 1] - starts[j], 1, np.inf
        while size <= n_left:
            own, cost = proba[first : first + n_left], prices[first : first + n_left]
            last, slope = size + size // FEW, scale / (constant[j] + size)
            n_left, total, most = keep_above_price(own, cost, slope)
            if n_left <= last or total <= found[j]:
                # With a lower slope and no limit on the size, no set is better.
                found[j] = max(found[j], total)
                break
            # The level of the size before is nearly that of this size.
            own, cost, enough = own[:n_left], cost[:n_left], found[j]
            bound, level = sum_of_largest(own, cost, slope, last, (min(level, most), most, enough))
            found[j] = max(found[j], bound)
            size = last + 1


@njit(inner=True, nogil=True)
def keep_above_price(own, cost, slope):
    """Move the cells with ``slope·own`` above `cost` to the front.

    Return how many there are, the sum of the excesses, and the largest. Larger sets have lower
    slopes, at which the other cells stay below their prices.
    """
    n_above, total, most = 0, 0.0, 0.0
    for entry in range(own.size):
        value, price = own[entry], cost[entry]
        excess = slope * value - price
        own[n_above], cost[n_above] = value, price
        n_above += excess > 0
        total += excess if excess > 0 else 0.0
        most = excess if excess > most else most
    return n_above, total, most


@njit(cache=True, nogil=True)
def sum_of_largest(own, cost, slope, size, search):
    """Return an upper bound of the sum of the `size` largest ``slope·own - cost``, and its level.

    For every level t >= 0, ``t·size`` plus the sum of what exceeds t is a bound, least at the
    largest that is left out. `search` has a guess of t, the largest t, and a bound that is low
    enough; bisection finds a t if that of the guess is not.
    """
    level, high, enough = search
    low, best, best_level = 0.0, np.inf, level
    for _ in range(10):
        bound, n_above = level * size, 0
        for entry in range(own.size):
            excess = slope * own[entry] - cost[entry] - level
            n_above += excess > 0
            bound += excess if excess > 0 else 0.0
        if bound < best:
            best, best_level = bound, level
        if best <= enough or n_above == size:
            break
        if n_above > size:
            low = level
        else:
            high = level
        level = 0.5 * (low + high)
    return best, best_level
