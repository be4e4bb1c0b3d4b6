"""Kernels that move and swap samples, or whole groups, between subsets to balance labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import compiled_if_worth, njit

# Differences of sizes are sums of proportions; smaller ones are rounding errors.
NOTHING = 1e-9


class RowLabels(NamedTuple):
    """The labels of each row, or of each group with their counts, in the arrays of a CSR matrix."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class Aims(NamedTuple):
    """Targets of the search: the size of each subset and the odds of each label.

    `zero_price` is added to the cost of a label without positives in a subset.
    """

    sizes: np.ndarray
    odds: np.ndarray
    zero_price: float


class PricedCounts(NamedTuple):
    """Positives of each (label, subset), and the cost of one more or one fewer.

    The arrays `more` and `fewer` have the shape of `counts`; a cost below 0 is an improvement.
    """

    counts: np.ndarray
    more: np.ndarray
    fewer: np.ndarray


class Seats(NamedTuple):
    """Rows sorted by subset: subset j has ``rows[starts[j]:starts[j + 1]]``."""

    rows: np.ndarray
    starts: np.ndarray


class Load(NamedTuple):
    """The subset of each group; of each subset the surplus of rows and the number of groups."""

    subset: np.ndarray
    excess: np.ndarray
    n_groups: np.ndarray


@njit(inner=True, nogil=True)
def misfit(count, size, odds, zero_price):
    """Return the distance of a subset's odds of a label from those of the whole data."""
    if count >= size:
        # Without negatives the odds are infinite; as if half a negative were left.
        return 2.0 * size
    if count <= 0:
        return odds + zero_price
    return abs(count / (size - count) - odds)


@njit(inner=True, nogil=True)
def reprice(spread, aims, label, j):
    """Update the cost of one positive more or fewer."""
    count, size, odds = spread.counts[label, j], aims.sizes[j], aims.odds[label]
    now = misfit(count, size, odds, aims.zero_price)
    spread.more[label, j] = misfit(count + 1, size, odds, aims.zero_price) - now
    spread.fewer[label, j] = misfit(count - 1, size, odds, aims.zero_price) - now


# The cost of a change takes some ten steps.
@compiled_if_worth(lambda spread, _aims: 10 * spread.counts.size)
@njit(cache=True, nogil=True)
def reprice_all(spread, aims):
    """Update the costs of all changes by one."""
    for label in range(spread.counts.shape[0]):
        for j in range(spread.counts.shape[1]):
            reprice(spread, aims, label, j)


@njit(inner=True, nogil=True)
def pick(draw, n):
    """Return a number below n from 32 random bits."""
    return np.int64((np.uint64(draw) * np.uint64(n)) >> np.uint64(32))


@njit(inner=True, nogil=True)
def cost_of_leaving(rows, row, j, m, spread):
    """Return the change of cost if the row moves from subset j to subset m."""
    cost = 0.0
    for entry in range(rows.indptr[row], rows.indptr[row + 1]):
        label = rows.indices[entry]
        cost += spread.fewer[label, j] + spread.more[label, m]
    return cost


@njit(inner=True, nogil=True)
def relocate(rows, row, j, m, spread, aims):
    """Count the labels of the row in subset m instead of subset j."""
    for entry in range(rows.indptr[row], rows.indptr[row + 1]):
        # As in `reprice_all`, so that `reprice` is compiled once.
        label = np.int64(rows.indices[entry])
        spread.counts[label, j] -= 1
        spread.counts[label, m] += 1
        reprice(spread, aims, label, j)
        reprice(spread, aims, label, m)


@compiled_if_worth(
    # Each draw costs as many steps as its row has labels.
    lambda rows, _seats, _flows, draws, *_: (
        draws.size * (1 + rows.indices.size // max(1, rows.indptr.size - 1))
    )
)
@njit(cache=True, nogil=True)
def move_cheapest(rows, seats, flows, draws, spread, aims, subset):
    """Move one row for each (from, to) in flows: of those drawn, the cheapest that has not moved.

    If all rows that were drawn have moved before, the first row that is left moves.
    """
    for t in range(flows.shape[0]):
        j, m = flows[t, 0], flows[t, 1]
        first, size = seats.starts[j], seats.starts[j + 1] - seats.starts[j]
        best, lowest = -1, np.inf
        for k in range(draws.shape[1]):
            row = seats.rows[first + pick(draws[t, k], size)]
            if subset[row] == j:
                cost = cost_of_leaving(rows, row, j, m, spread)
                if best < 0 or cost < lowest:
                    best, lowest = row, cost
        seat = first
        while best < 0:
            if subset[seats.rows[seat]] == j:
                best = seats.rows[seat]
            seat += 1
        relocate(rows, best, j, m, spread, aims)
        subset[best] = m


@njit(cache=True, nogil=True)
def try_swaps(rows, seats, draws, threshold, spread, aims, carried):
    """Try one swap for each row of draws; keep swaps whose change of cost is below `threshold`.

    Some rows are drawn from each of two random subsets. The row of the first subset that is
    cheapest to move is swapped with the row of the second subset that makes the best swap with
    it. This takes fewer comparisons than all pairs, and finds nearly the best of them. `carried`
    is False for each label before and after.
    """
    n_subsets = aims.sizes.size
    half = draws.shape[1] // 2
    for t in range(draws.shape[0]):
        j = pick(draws[t, 0], n_subsets)
        m = (j + 1 + pick(draws[t, half], n_subsets - 1)) % n_subsets
        here, cost = cheapest_to_leave(rows, seats, draws, t, j, m, spread)
        leaver = seats.rows[here]
        for entry in range(rows.indptr[leaver], rows.indptr[leaver + 1]):
            carried[rows.indices[entry]] = True
        there, change = best_in_return(rows, seats, draws, t, j, m, spread, carried)
        for entry in range(rows.indptr[leaver], rows.indptr[leaver + 1]):
            carried[rows.indices[entry]] = False
        if cost + change < threshold:
            relocate(rows, leaver, j, m, spread, aims)
            relocate(rows, seats.rows[there], m, j, spread, aims)
            seats.rows[here], seats.rows[there] = seats.rows[there], leaver


@njit(inner=True, nogil=True)
def cheapest_to_leave(rows, seats, draws, t, j, m, spread):
    """Return the seat, among those drawn in subset j, whose row leaves for m most cheaply.

    The first half of the numbers drawn in turn t, after the number of the subset, are for j.
    """
    first, size = seats.starts[j], seats.starts[j + 1] - seats.starts[j]
    best, lowest = first, np.inf
    for k in range(1, draws.shape[1] // 2):
        seat = first + pick(draws[t, k], size)
        cost = cost_of_leaving(rows, seats.rows[seat], j, m, spread)
        if cost < lowest:
            best, lowest = seat, cost
    return best, lowest


@njit(inner=True, nogil=True)
def best_in_return(rows, seats, draws, t, j, m, spread, carried):
    """Return the seat drawn in subset m whose row is best swapped for a row with `carried` labels.

    The second half of the numbers drawn in turn t are for m. The returned change is added to the
    cost of moving the first row. Labels that both rows have cancel out.
    """
    first, size = seats.starts[m], seats.starts[m + 1] - seats.starts[m]
    best, lowest = first, np.inf
    for k in range(draws.shape[1] // 2 + 1, draws.shape[1]):
        seat = first + pick(draws[t, k], size)
        row = seats.rows[seat]
        change = 0.0
        for entry in range(rows.indptr[row], rows.indptr[row + 1]):
            label = rows.indices[entry]
            if carried[label]:
                change -= spread.fewer[label, j] + spread.more[label, m]
            else:
                change += spread.more[label, j] + spread.fewer[label, m]
        if change < lowest:
            best, lowest = seat, change
    return best, lowest


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
