"""Classes of the multinomial regressions of `ExactFPlugin`: a label, with the label-set size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.learners.regression._log_loss import Tasks


class SizeTasks(NamedTuple):
    """A task per label and one for the empty set; a column per class.

    The first class of a task follows from the others, and is not learned; a task with a single
    class is left out.
    """

    labels: np.ndarray  # of each column; n_labels for the columns of the empty set
    sizes: np.ndarray  # of each column; 0 for samples without the label
    widths: np.ndarray  # number of classes of each task
    classes: sparse.csc_array  # bool: the samples of all columns with a size above 0
    columns: np.ndarray  # the columns that are learned
    tasks: Tasks  # the regressions of these columns

    @property
    def is_task(self) -> np.ndarray:
        """Whether each task has at least two classes."""
        return np.asarray(self.widths > 1)


def size_tasks(Y: sparse.csc_array) -> SizeTasks:
    """Make the classes [y_label = 1] · s_y of each label, and [s_y = 0]."""
    values = _values(Y)
    n_samples, n_tasks = values.shape
    entries = values.tocoo()
    n_values = int(values.data.max(initial=0)) + 1
    # A class is coded as task · n_values + value. Zeros are not stored, so that their class is
    # added for every task that has one.
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
    """Return [y_label = 1] · s_y of each label, and [s_y = 0] as last column."""
    sizes = np.asarray(Y.sum(axis=1), dtype=np.int64).ravel()
    counted = sparse.csc_array((sizes[Y.indices], Y.indices, Y.indptr), shape=Y.shape)
    empty = sparse.csc_array((sizes == 0).astype(np.int64)[:, None])
    return sparse.csc_array(sparse.hstack([counted, empty]))
