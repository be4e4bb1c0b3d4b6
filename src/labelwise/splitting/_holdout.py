"""Split arrays into a training part, a test part, or any number of stratified parts."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length

from labelwise._validation import (
    check_readable,
    is_real,
    is_whole,
    n_rows,
    refuse_other_index,
    take_rows,
)
from labelwise.splitting._assign import assign
from labelwise.splitting._subsets import check_proportions


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
    """Split arrays into training and test parts with equal label ratios.

    The function can replace `sklearn.model_selection.train_test_split`. Samples keep their order
    within a part.

    Parameters
    ----------
    *arrays : arrays, sparse matrices, frames, lists or Bags of the same length
        Arrays to split. The second one is the labels, unless `stratify` is given.
    test_size : float or int, default=None
        Share between 0 and 1, or number of samples, of the test part. None means the samples that
        `train_size` leaves, or 0.25 if both are None.
    train_size : float or int, default=None
        Share between 0 and 1, or number of samples, of the training part. None means the samples
        that `test_size` leaves. Samples in neither part are left out.
    proportions : int or sequence of float, default=None
        Shares of any number of parts, as for `assign`, instead of `test_size` and `train_size`. No
        part is empty.
    stratify : array, sparse matrix, frame or list of sets, default=None
        Labels to stratify by, of shape (n_samples, n_labels), instead of the second array.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.
    method : str, default="auto"
        Method of stratification, as for `assign`.

    Returns
    -------
    list
        The parts of the first array, then those of the second, and so on: two parts of each, or
        as many as `proportions` has shares. Each part is of the kind of its array.

    Raises
    ------
    TypeError
        If there are no labels to stratify by, or a size is not a number.
    ValueError
        If arrays differ in length, sizes do not fit, or `proportions` is given with a size.

    See Also
    --------
    assign : Assign each sample to a subset, with equal label ratios in all subsets.

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
    named = {f"arrays[{i}]": array for i, array in enumerate(arrays)}
    for name, array in named.items():
        check_readable(array, name)
    refuse_other_index(**named, stratify=stratify, groups=groups)
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
    """Return the numbers of samples for training, for testing and, if any, for neither.

    Shares are rounded as in scikit-learn: up for testing, down for training.
    """
    if test_size is None and train_size is None:
        test_size = default
    n_test = _n_samples_for("test_size", test_size, n_samples, ceil)
    n_train = _n_samples_for("train_size", train_size, n_samples, floor)
    n_train = n_samples - n_test if n_train is None else n_train
    n_test = n_samples - n_train if n_test is None else n_test
    if n_train + n_test > n_samples:
        raise ValueError(
            f"test_size and train_size must fit into {n_samples} samples, got {n_test} + {n_train}."
        )
    if n_train < 1 or n_test < 1:
        raise ValueError(
            "test_size and train_size must leave a sample on both sides, "
            f"got {n_train} for training and {n_test} for testing."
        )
    n_unused = n_samples - n_train - n_test
    return np.array([n_train, n_test] + ([n_unused] if n_unused else []))


def _n_samples_for(name: str, size: Any, n_samples: int, rounded: Any) -> Any:
    """Return the number of samples that a share or a number means."""
    if size is None:
        return None
    if not is_real(size):
        raise TypeError(f"{name} must be a share or a number of samples, got {size!r}.")
    if is_whole(size):
        if not 0 < size < n_samples:
            raise ValueError(f"{name} must be between 1 and {n_samples - 1} samples, got {size}.")
        return int(size)
    if not 0 < size < 1:
        raise ValueError(f"{name} must be a share between 0 and 1, got {size}.")
    return rounded(size * n_samples)
