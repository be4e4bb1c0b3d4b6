"""The regressions of EFP: which labels, at which sizes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.learners.regression._log_loss import Tasks


class SizeTasks(NamedTuple):
    """A task for each label, and one for the empty set, with a column for each class.

    The first class of a task, that of the label being off, is left to the others; if it is the
    only one there is nothing to learn.
    """

    labels: np.ndarray  # of each column; the empty set's is the number of labels
    sizes: np.ndarray  # of each column; 0 if the label is off
    widths: np.ndarray  # classes of each task
    classes: sparse.csc_array  # bool: the samples of all columns with a size above 0
    columns: np.ndarray  # those that are learnt
    tasks: Tasks  # these

    @property
    def is_task(self) -> np.ndarray:
        """Tell which tasks have something to learn."""
        return np.asarray(self.widths > 1)


def size_tasks(Y: sparse.csc_array) -> SizeTasks:
    """Return the classes [y_label = 1] · s_y of each label, and [s_y = 0]."""
    values = _values(Y)
    n_samples, n_tasks = values.shape
    entries = values.tocoo()
    n_values = int(values.data.max(initial=0)) + 1
    # A class is a number: task · n_values + value. Those of zeros are added where there are any.
    numbers = entries.coords[1].astype(np.int64) * n_values + entries.data
    has_zeros = np.diff(values.indptr) < n_samples
    found = np.union1d(numbers, np.flatnonzero(has_zeros) * n_values)
    labels, sizes = np.divmod(found, n_values)
    place = np.searchsorted(found, numbers)
    ones = np.ones(place.size, dtype=bool)
    on = sparse.csc_array((ones, (entries.coords[0], place)), shape=(n_samples, found.size))
    widths = np.bincount(labels, minlength=n_tasks)
    is_first = np.diff(labels, prepend=-1) > 0
    columns = np.flatnonzero(~is_first)
    tasks = Tasks(on[:, columns], widths[widths > 1] - 1)
    return SizeTasks(labels, sizes, widths, on[:, np.flatnonzero(sizes > 0)], columns, tasks)


def _values(Y: sparse.csc_array) -> sparse.csc_array:
    """Return [y_label = 1] · s_y of each label, and [s_y = 0] behind them."""
    sizes = np.asarray(Y.sum(axis=1), dtype=np.int64).ravel()
    counted = sparse.csc_array((sizes[Y.indices], Y.indices, Y.indptr), shape=Y.shape)
    empty = sparse.csc_array((sizes == 0).astype(np.int64)[:, None])
    return sparse.csc_array(sparse.hstack([counted, empty]))
