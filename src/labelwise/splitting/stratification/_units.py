"""Units that are assigned to subsets: single rows, or groups of rows that stay together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import check_readable


class Units(NamedTuple):
    """Rows or groups to assign: their label counts, their sizes, and the unit of each row."""

    counts: sparse.csc_array
    weight: np.ndarray
    of_row: np.ndarray | None

    @property
    def n_units(self) -> int:
        """Number of rows or groups."""
        return self.weight.size

    @property
    def n_labels(self) -> int:
        """Number of labels, those without positives included."""
        return int(self.counts.shape[1])

    def to_rows(self, subset: np.ndarray) -> np.ndarray:
        """Return the subset of each row from the subset of each unit."""
        return subset if self.of_row is None else subset[self.of_row]


def units_of(Y: sparse.csc_array, groups: np.ndarray | None) -> Units:
    """Return the units of a label matrix; `groups` numbers the group of each row."""
    if groups is None:
        return Units(Y.astype(np.int8, copy=False), np.ones(Y.shape[0], dtype=np.int64), None)
    weight = np.bincount(groups)
    place = (groups, np.arange(groups.size))
    membership = sparse.csr_array(
        (np.ones(groups.size, dtype=np.int32), place), shape=(weight.size, groups.size)
    )
    return Units(sparse.csc_array(membership @ Y.astype(np.int32)), weight, groups)


def without_empty(weight: np.ndarray, subset: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the subset of each unit after a small unit has moved into each empty subset.

    `weight` is the number of rows of each unit, `wanted` that of each subset; there are at
    least as many units as subsets. Among units of equal size, one of the subset that exceeds its
    wanted number of rows by most moves. No subset becomes empty.
    """
    subset = subset.copy()
    for empty in np.setdiff1d(np.arange(wanted.size), subset):
        n_units = np.bincount(subset, minlength=wanted.size)
        excess = np.bincount(subset, weights=weight, minlength=wanted.size) - wanted
        movable = np.flatnonzero(n_units[subset] > 1)
        by_size = np.lexsort((-excess[subset[movable]], weight[movable]))
        subset[movable[by_size[0]]] = empty
    return subset


def check_groups(groups: Any, n_samples: int) -> np.ndarray:
    """Return the number of each row's group, counted from 0 in the order of first occurrence."""
    check_readable(groups, "groups")
    is_list = isinstance(groups, list | tuple)
    # As numbers or text, 1 and "1" in one list would be the same group.
    names = np.fromiter(groups, object, len(groups)) if is_list else np.asarray(groups)
    if names.shape != (n_samples,):
        raise ValueError(
            f"groups must name a group for each of {n_samples} rows, got {names.shape}."
        )
    if names.dtype.kind in "iub":
        _, first, number = np.unique(names, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[number]
    numbers: dict[Any, int] = {}
    for row, name in enumerate(names.tolist()):
        if name is None or name != name:
            raise ValueError(f"groups must name a group for every row, got none at row {row}.")
        numbers.setdefault(name, len(numbers))
    return np.array([numbers[name] for name in names.tolist()], dtype=np.int64)
