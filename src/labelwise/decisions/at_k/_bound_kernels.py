"""Kernels of upper bounds: prices of samples, and the best sets of each label at these prices."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit
from labelwise.decisions.at_k._at_k_kernels import largest_of_row

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
