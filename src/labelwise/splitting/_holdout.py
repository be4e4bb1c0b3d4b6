"""Rows set aside: train and test, and as many further parts as wanted."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length

from labelwise._validation import n_rows, take_rows
from labelwise.splitting._assign import assign
from labelwise.splitting._proportions import check_proportions


def train_test_split(
    *arrays: Any,
    test_size: float | None = None,
    train_size: float | None = None,
    proportions: Any = None,
    stratify: Any = None,
    groups: Any = None,
    random_state: Any = None,
    method: str = "auto",
) -> list[Any]:
    """Return each array in two parts, train and test, that keep the ratios of the labels.

    Takes the place of `sklearn.model_selection.train_test_split`; rows keep their order within a
    part. With `proportions` there are as many parts of each array as there are shares.

    Parameters
    ----------
    *arrays : arrays, sparse matrices, frames or lists with as many rows
        What is split. The second one holds the labels, unless `stratify` does.
    test_size, train_size : float or int, optional
        Shares between 0 and 1 or numbers of rows, as in scikit-learn; by default a quarter is
        for testing. What neither takes is left out.
    proportions : int or sequence of float, optional
        Shares of any number of parts, instead of `test_size` and `train_size`. No part is empty.
    stratify : array, sparse matrix, frame or list of sets, optional
        Labels to stratify by, instead of the second array.
    groups, random_state, method
        See `assign`.

    Returns
    -------
    list
        The parts of the first array, then those of the second, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.splitting import train_test_split
    >>> X, Y = np.arange(8).reshape(8, 1), np.tile([[1, 0], [0, 1]], (4, 1))
    >>> X_train, X_test, Y_train, Y_test = train_test_split(X, Y, random_state=0)
    >>> Y_train.sum(axis=0), Y_test.sum(axis=0)
    (array([3, 3]), array([1, 1]))
    >>> parts = train_test_split(X, Y, proportions=(0.5, 0.25, 0.25), random_state=0)
    >>> [len(part) for part in parts]
    [4, 2, 2, 4, 2, 2]
    """
    if stratify is None and len(arrays) < 2:
        raise TypeError(
            f"train_test_split needs two arrays, the second with labels, got {len(arrays)}."
        )
    if proportions is not None and (test_size is not None or train_size is not None):
        raise ValueError("proportions must come without test_size and train_size.")
    labels = arrays[1] if stratify is None else stratify
    check_consistent_length(*arrays, labels)
    if proportions is None:
        sizes = holdout_sizes(n_rows(labels), test_size, train_size, default=0.25)
        shares, n_parts = sizes / sizes.sum(), 2
    else:
        shares = check_proportions(proportions)
        n_parts = shares.size
    subset = assign(labels, shares, method=method, groups=groups, random_state=random_state)
    parts = [np.flatnonzero(subset == number) for number in range(n_parts)]
    return [take_rows(array, rows) for array in arrays for rows in parts]


def holdout_sizes(n_samples: int, test_size: Any, train_size: Any, *, default: float) -> np.ndarray:
    """Return the rows for training, for testing and, if any, for neither.

    Shares round as in scikit-learn: up for testing, down for training.
    """
    if test_size is None and train_size is None:
        test_size = default
    n_test = _n_rows_for("test_size", test_size, n_samples, ceil)
    n_train = _n_rows_for("train_size", train_size, n_samples, floor)
    n_train = n_samples - n_test if n_train is None else n_train
    n_test = n_samples - n_train if n_test is None else n_test
    if n_train + n_test > n_samples:
        raise ValueError(
            f"test_size and train_size must fit into {n_samples} rows, got {n_test} + {n_train}."
        )
    if n_train < 1 or n_test < 1:
        raise ValueError(
            "test_size and train_size must leave a row on both sides, "
            f"got {n_train} for training and {n_test} for testing."
        )
    n_unused = n_samples - n_train - n_test
    return np.array([n_train, n_test] + ([n_unused] if n_unused else []))


def _n_rows_for(name: str, size: Any, n_samples: int, rounded: Any) -> Any:
    """Return the number of rows that a share or a number stands for."""
    if size is None:
        return None
    if isinstance(size, bool) or not isinstance(size, int | float | np.number):
        raise TypeError(f"{name} must be a share or a number of rows, got {size!r}.")
    if isinstance(size, int | np.integer):
        if not 0 < size < n_samples:
            raise ValueError(f"{name} must be between 1 and {n_samples - 1} rows, got {size}.")
        return int(size)
    if not 0 < size < 1:
        raise ValueError(f"{name} must be a share between 0 and 1, got {size}.")
    return rounded(size * n_samples)
