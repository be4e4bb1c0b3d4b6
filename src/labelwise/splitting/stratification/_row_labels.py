"""The labels of many rows in the order of their assignment, from blocks of positives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from labelwise.splitting.stratification._iterative_kernels import UnitLabels
from labelwise.splitting.stratification._row_labels_kernels import (
    SHIFT,
    add_cells,
    count_cells,
    fill_holders,
    sort_buckets,
    take_cells,
)

# Rows, and most positives, of a block of a matrix in memory.
_ROWS, _BLOCK = 2**16, 2**19
# Rows and labels of positives, in any order.
Cells = tuple[np.ndarray, np.ndarray]
# Returns an array of so many numbers of a type, in memory or in a file.
Allocate = Callable[[int, Any], np.ndarray]


def labels_in_order(
    blocks: Callable[[], Iterable[Cells]],
    order: np.ndarray,
    n_labels: int,
    allocate: Allocate = np.empty,
) -> UnitLabels:
    """Return the labels of rows, by row and by label, in a given order of the rows.

    Sorting 50 million positives into a random order takes a cache miss for each of them. Here they
    are first divided into buckets of neighbouring places.

    Parameters
    ----------
    blocks : callable
        Returns the positives in blocks of rows and labels; called twice.
    order : ndarray of int of shape (n_rows,)
        The rows in the order of their assignment.
    n_labels : int
        Number of labels.
    allocate : callable, default=numpy.empty
        Allocates the arrays that grow with the positives.

    Returns
    -------
    UnitLabels
        The labels of each place of the order, and the places of each label.
    """
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    of_bucket = np.zeros((order.size >> SHIFT) + 2, dtype=np.int64)
    of_label = np.zeros(n_labels + 1, dtype=np.int64)
    for cells in blocks():
        count_cells(*cells, place, of_bucket[1:], of_label[1:])
    bucket_starts, holder_starts = np.cumsum(of_bucket), np.cumsum(of_label)
    n_cells = int(holder_starts[-1])
    places, labels_of_cells = allocate(n_cells, np.int32), allocate(n_cells, np.int32)
    ends = bucket_starts.copy()
    for cells in blocks():
        add_cells(*cells, place, ends, places, labels_of_cells)
    # Few types, so that the kernels of the assignment are compiled once.
    number = np.int32 if n_cells < 2**31 else np.int64
    starts = np.empty(order.size + 1, dtype=number)
    labels = allocate(n_cells, np.int32)
    sort_buckets(bucket_starts, places, labels_of_cells, starts, labels)
    holders = places  # no longer needed
    fill_holders(starts, labels, holder_starts.copy(), holders)
    one = np.ones(1, dtype=np.int8), np.ones(1, dtype=np.int64)
    return UnitLabels(starts, labels, *one, holder_starts.astype(number), holders)


def cells_of(Y: sparse.csc_array) -> Iterator[Cells]:
    """Yield the positives of a matrix in blocks of neighbouring rows, which are used again."""
    rows, labels = np.empty(_BLOCK, dtype=np.int32), np.empty(_BLOCK, dtype=np.int32)
    taken = np.zeros(Y.shape[1], dtype=np.int64)
    for stop in range(_ROWS, Y.shape[0] + _ROWS, _ROWS):
        n_cells = _BLOCK
        while n_cells == _BLOCK:
            n_cells = take_cells(Y.indptr, Y.indices, taken, stop, rows, labels)
            yield rows[:n_cells], labels[:n_cells]
