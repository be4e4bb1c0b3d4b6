"""Kernels that bring the labels of rows into another order, by buckets that fit in the cache."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

# Rows of a bucket, as a power of two: the labels of so many rows stay in the cache of a core.
SHIFT = 15


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
def add_cells(rows, labels, place, ends, places_of_cells, labels_of_cells):
    """Append positives to the buckets of their places; `ends` of the buckets are moved."""
    for c in range(rows.size):
        at = place[rows[c]]
        end = ends[at >> SHIFT]
        places_of_cells[end] = at
        labels_of_cells[end] = labels[c]
        ends[at >> SHIFT] = end + 1


@njit(cache=True, nogil=True)
def sort_buckets(bucket_starts, places_of_cells, labels_of_cells, starts, labels):
    """Sort the positives of each bucket by place, and fill the starts and labels of places."""
    n_places = starts.size - 1
    ends = np.empty(1 << SHIFT, np.int64)
    for bucket in range(bucket_starts.size - 1):
        first = bucket << SHIFT
        n_here = min(1 << SHIFT, n_places - first)
        ends[:n_here] = 0
        for c in range(bucket_starts[bucket], bucket_starts[bucket + 1]):
            ends[places_of_cells[c] - first] += 1
        end = bucket_starts[bucket]
        for k in range(n_here):
            starts[first + k] = end
            n_labels, ends[k] = ends[k], end
            end += n_labels
        for c in range(bucket_starts[bucket], bucket_starts[bucket + 1]):
            k = places_of_cells[c] - first
            labels[ends[k]] = labels_of_cells[c]
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
