"""Kernels of Algorithm 1 of Sechidis et al. (2011), and of the order in which it reads labels.

Counts are updated unit by unit. The labels of many samples are brought into the order of their
assignment by buckets that fit in the cache of a core.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import compiled_if_worth, njit

# Demands are products of counts and proportions; smaller differences are rounding errors.
TIE = 1e-9
# Children of a node in the tree of minima, and the key of a label that was removed.
CHILDREN = 64
NEVER = 2**62
# Samples of a bucket, as a power of two: their labels stay in the cache of a core.
SHIFT = 16
# Units whose data are read together, before the first of them is assigned.
AHEAD = 512


class UnitLabels(NamedTuple):
    """Units to assign, by unit and by label, in the order in which they are assigned.

    Unit u has the labels ``labels[starts[u]:starts[u + 1]]`` with their counts. Label l belongs to
    the units ``holders[holder_starts[l]:holder_starts[l + 1]]``. `counts` and `weight` have a
    single entry if it applies to all: units are visited in an order in which each array that is
    read costs a cache miss.
    """

    starts: np.ndarray
    labels: np.ndarray
    counts: np.ndarray
    weight: np.ndarray
    holder_starts: np.ndarray
    holders: np.ndarray


class Demand(NamedTuple):
    """Positives of each (label, subset), and samples of each subset, that are still missing."""

    positives: np.ndarray
    examples: np.ndarray


class Minima(NamedTuple):
    """A tree of minima over labels: keys of labels, then keys of their parents.

    A parent's key is the least of its up to 64 children; level h begins at `starts[h]`. A key is
    the label's remaining examples times the number of labels, plus the label's rank.
    """

    keys: np.ndarray
    starts: np.ndarray


class Ahead(NamedTuple):
    """Which units have no subset, in bits that stay in a cache, and those to assign next.

    Units are visited in an order in which each array that is read costs a cache miss. What is read
    and written of a unit is therefore in one row of `heads`: its lot, a number in [0, 1) that is
    replaced by -1 minus the number of its subset, and the start of its labels.
    """

    heads: np.ndarray  # (n_units + 1, 2) of float64
    is_free: np.ndarray  # of uint8: a bit for each unit, in "little" order
    units: np.ndarray  # (AHEAD,)
    touched: np.ndarray  # (AHEAD,): numbers that are read and not used


@compiled_if_worth(
    # A turn of a label searches the children of two nodes; a unit compares all subsets.
    lambda units, demand, *_: (
        2 * CHILDREN * demand.positives.shape[0]
        + (units.starts.size - 1) * demand.examples.size
        + units.labels.size
    )
)
@njit(cache=True, nogil=True)
def assign_rarest_first(units, demand, minima, ahead, order):
    """Assign the units without a subset, rarest label first.

    `demand`, `minima` and `ahead` are updated, and `order` receives the labels in the order of
    their assignment. `fill` assigns units without any label.
    """
    heads = ahead.heads
    n_labels = demand.positives.shape[0]
    n_counts, n_weights = units.counts.size, units.weight.size
    for turn in range(n_labels):
        rarest = least(minima)
        if minima.keys[rarest] >= n_labels:
            order[turn] = rarest
            most, n_tied = 0.0, 0
            place, end = units.holder_starts[rarest], units.holder_starts[rarest + 1]
            while place < end:
                stop = min(place + AHEAD, end)
                n_free = read_ahead(units, place, stop, ahead)
                place = stop
                for k in range(n_free):
                    unit = ahead.units[k]
                    if n_tied == 0:
                        most, n_tied = largest(demand.positives, rarest)
                    chosen = neediest(demand, rarest, most - TIE, heads[unit, 0])
                    n_tied -= 1  # the chosen subset now lacks fewer positives than the others
                    heads[unit, 0] = -1 - chosen
                    ahead.is_free[unit >> 3] ^= 1 << (unit & 7)
                    demand.examples[chosen] -= units.weight[unit if n_weights > 1 else 0]
                    for entry in range(int(heads[unit, 1]), int(heads[unit + 1, 1])):
                        label = units.labels[entry]
                        count = units.counts[entry if n_counts > 1 else 0]
                        demand.positives[label, chosen] -= count
                        lower(minima, label, int(count) * n_labels)
        # All its units are assigned: a key below n_labels is a rank without remaining examples.
        remove(minima, rarest)


@njit(inline="always")
def read_ahead(units, place, stop, ahead):
    """Find the units of these holders that have no subset, and return their number.

    What the assignment needs of each of them is read into the cache, in loops of which no read
    waits for another. It is stored, or else the compiler would leave the loops out.
    """
    n_free = 0
    for holder in range(place, stop):
        unit = units.holders[holder]
        ahead.units[n_free] = unit
        n_free += (ahead.is_free[unit >> 3] >> (unit & 7)) & 1
    for k in range(n_free):
        unit = ahead.units[k]
        ahead.touched[k] = units.labels[int(ahead.heads[unit, 1])]
    return n_free


@compiled_if_worth(lambda _weight, demand, heads: len(heads) * demand.examples.size)
@njit(cache=True, nogil=True)
def fill(weight, demand, heads):
    """Assign each unit without a subset to the subset that lacks most samples.

    Units without labels are left then, so that `demand` has a single label, which no subset lacks.
    """
    # Typed, because numba would compile `neediest` a second time for the literal 0.
    label = np.int64(0)
    for unit in range(heads.shape[0] - 1):
        if heads[unit, 0] >= 0:
            chosen = neediest(demand, label, 0.0, heads[unit, 0])
            heads[unit, 0] = -1 - chosen
            demand.examples[chosen] -= weight[unit if weight.size > 1 else 0]


@njit(inline="always")
def largest(wanted, label):
    """Return the largest number of a label, and how many of its numbers equal it up to rounding."""
    most = wanted[label, 0]
    for j in range(1, wanted.shape[1]):
        most = max(most, wanted[label, j])
    n_tied = 0
    for j in range(wanted.shape[1]):
        if wanted[label, j] >= most - TIE:
            n_tied += 1
    return most, n_tied


@njit(inner=True, nogil=True)
def neediest(demand, label, enough, lot):
    """Return the subset that lacks most samples, of those that lack enough positives of a label.

    Ties are broken by the unit's lot.
    """
    most, chosen, n_tied = -np.inf, 0, 0
    for j in range(demand.examples.size):
        if demand.positives[label, j] >= enough:
            lead = demand.examples[j] - most
            if lead > TIE:
                most, chosen, n_tied = demand.examples[j], j, 1
            elif lead >= -TIE:
                n_tied += 1
    for _ in range(int(lot * n_tied) if n_tied > 1 else 0):
        chosen += 1
        while demand.positives[label, chosen] < enough or abs(demand.examples[chosen] - most) > TIE:
            chosen += 1
    return chosen


@njit(inline="always")
def least(minima):
    """Return the label with the least key."""
    # Typed, because numba would compile `least_child` a second time for the literal 0.
    place = np.int64(0)
    for level in range(minima.starts.size - 2, -1, -1):
        place = least_child(minima, level, place)
    return place


@njit(inner=True, nogil=True)
def least_child(minima, level, parent):
    """Return the place, within its level, of the parent's child with the least key."""
    start, end = minima.starts[level], minima.starts[level + 1]
    best = parent * CHILDREN
    for place in range(best + 1, min(best + CHILDREN, end - start)):
        if minima.keys[start + place] < minima.keys[start + best]:
            best = place
    return best


@njit(inline="always")
def lower(minima, label, step):
    """Lower the key of a label, and the keys of its ancestors that are larger."""
    key = minima.keys[label] - step
    minima.keys[label] = key
    place = label
    for level in range(1, minima.starts.size):
        place //= CHILDREN
        parent = minima.starts[level] + place
        if minima.keys[parent] <= key:
            break
        minima.keys[parent] = key


@njit(inline="always")
def remove(minima, label):
    """Remove a label from the tree, and update the keys of its ancestors."""
    minima.keys[label] = NEVER
    place = label
    for level in range(1, minima.starts.size):
        place //= CHILDREN
        child = minima.starts[level - 1] + least_child(minima, level - 1, place)
        minima.keys[minima.starts[level] + place] = minima.keys[child]


@njit(cache=True, nogil=True)
def take_cells(starts, holders, taken, stop, rows, labels):
    """Take positives of rows before `stop` until the arrays are full; return their number.

    `taken` has the number of positives that were taken of each label.
    """
    n_cells = 0
    for label in range(taken.size):
        c, end = starts[label] + taken[label], starts[label + 1]
        while c < end and holders[c] < stop and n_cells < rows.size:
            rows[n_cells] = holders[c]
            labels[n_cells] = label
            n_cells += 1
            c += 1
        taken[label] = c - starts[label]
    return n_cells


@njit(cache=True, nogil=True)
def count_cells(rows, labels, place, of_bucket, of_label):
    """Count the positives of each bucket of places, and of each label."""
    for c in range(rows.size):
        of_bucket[place[rows[c]] >> SHIFT] += 1
        of_label[labels[c]] += 1


@njit(cache=True, nogil=True)
def add_cells(rows, labels, place, ends, cells):
    """Append positives to the buckets of their places; `ends` of the buckets are moved.

    The lower half of a cell's bits is the label, the upper half is the place within the bucket.
    """
    bits = 4 * cells.itemsize
    for c in range(rows.size):
        at = np.int64(place[rows[c]])
        end = ends[at >> SHIFT]
        cells[end] = ((at & ((1 << SHIFT) - 1)) << bits) + labels[c]
        ends[at >> SHIFT] = end + 1


@njit(cache=True, nogil=True)
def sort_buckets(bucket_starts, cells, starts, labels):
    """Sort the positives of each bucket by place, and fill the starts and labels of places."""
    n_places, bits = starts.size - 1, 4 * cells.itemsize
    ends = np.empty(1 << SHIFT, np.int64)
    for bucket in range(bucket_starts.size - 1):
        first = bucket << SHIFT
        n_here = min(1 << SHIFT, n_places - first)
        ends[:n_here] = 0
        for c in range(bucket_starts[bucket], bucket_starts[bucket + 1]):
            ends[cells[c] >> bits] += 1
        end = bucket_starts[bucket]
        for k in range(n_here):
            starts[first + k] = end
            n_labels, ends[k] = ends[k], end
            end += n_labels
        for c in range(bucket_starts[bucket], bucket_starts[bucket + 1]):
            k = cells[c] >> bits
            labels[ends[k]] = cells[c] & ((1 << bits) - 1)
            ends[k] += 1
    starts[n_places] = bucket_starts[-1]


@njit(cache=True, nogil=True)
def fill_holders(starts, labels, ends, holders):
    """Write the places of each label in increasing order; `ends` of the labels are moved."""
    for place in range(starts.size - 1):
        for c in range(starts[place], starts[place + 1]):
            end = ends[labels[c]]
            holders[end] = place
            ends[labels[c]] = end + 1
