"""Splitters for scikit-learn's `cv=`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length, check_random_state

from labelwise._validation import n_rows
from labelwise.splitting._assign import assign
from labelwise.splitting._holdout import holdout_sizes


class MultilabelStratifiedKFold(BaseCrossValidator):
    """Give k folds, each in turn for testing, that keep the ratios of the labels.

    Takes the place of the class of this name in iterative-stratification.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2.
    shuffle : bool
        Whether `random_state` draws the folds; if not, they are the same every time.
    random_state : int, RandomState or None
        Only with `shuffle`. An int gives the same folds every time.
    method : str
        How folds are found, see `assign`.

    Notes
    -----
    `split` takes labels as `assign` does, sparse or a frame if you like. Rows of the same group
    stay together if `groups` is given; under scikit-learn's metadata routing the splitters ask
    for `groups` by themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.splitting import MultilabelStratifiedKFold
    >>> Y = np.tile([[1, 0], [0, 1]], (3, 1))
    >>> folds = MultilabelStratifiedKFold(3, shuffle=True, random_state=0)
    >>> [Y[test].sum(axis=0).tolist() for train, test in folds.split(Y, Y)]
    [[1, 1], [1, 1], [1, 1]]
    """

    # How scikit-learn learns that a splitter uses groups.
    __metadata_request__split: ClassVar = {"groups": True}

    def __init__(
        self,
        n_splits: int = 3,
        *,
        shuffle: bool = False,
        random_state: Any = None,
        method: str = "auto",
    ) -> None:
        _check_count("n_splits", n_splits, at_least=2)
        # Checked here, not in split: scikit-learn's StackingClassifier sets random_state later.
        if not shuffle and random_state is not None:
            raise ValueError(
                f"random_state must be None unless shuffle=True, got {random_state!r}."
            )
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.method = method

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Give the row numbers for training and for testing, fold by fold."""
        _check_rows(X, y, groups, self.n_splits)
        seed = self.random_state if self.shuffle else 0
        yield from _folds(y, self.n_splits, self.method, groups, seed)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of folds."""
        return self.n_splits


class RepeatedMultilabelStratifiedKFold(BaseCrossValidator):
    """Repeat `MultilabelStratifiedKFold` with other folds each time.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2.
    n_repeats : int
        How often, at least once.
    random_state : int, RandomState or None
        Draws the folds; an int gives the same ones every time.
    method : str
        How folds are found, see `assign`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.splitting import RepeatedMultilabelStratifiedKFold
    >>> Y = np.tile([[1, 0], [0, 1]], (3, 1))
    >>> folds = RepeatedMultilabelStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    >>> len(list(folds.split(Y, Y)))
    6
    """

    __metadata_request__split: ClassVar = {"groups": True}

    def __init__(
        self,
        n_splits: int = 5,
        *,
        n_repeats: int = 10,
        random_state: Any = None,
        method: str = "auto",
    ) -> None:
        _check_count("n_splits", n_splits, at_least=2)
        _check_count("n_repeats", n_repeats, at_least=1)
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.method = method

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Give the row numbers for training and for testing, fold by fold."""
        _check_rows(X, y, groups, self.n_splits)
        random_state = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            yield from _folds(y, self.n_splits, self.method, groups, random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of folds times the number of repeats."""
        return self.n_splits * self.n_repeats


class MultilabelStratifiedShuffleSplit(BaseCrossValidator):
    """Give random holdouts, train and test, that keep the ratios of the labels.

    Takes the place of the class of this name in iterative-stratification.

    Parameters
    ----------
    n_splits : int
        How many holdouts, at least one.
    test_size, train_size : float or int, optional
        Shares between 0 and 1 or numbers of rows, as in scikit-learn; by default a tenth is for
        testing. What neither takes is left out.
    random_state : int, RandomState or None
        Draws the holdouts; an int gives the same ones every time.
    method : str
        How holdouts are found, see `assign`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.splitting import MultilabelStratifiedShuffleSplit
    >>> Y = np.tile([[1, 0], [0, 1]], (4, 1))
    >>> holdouts = MultilabelStratifiedShuffleSplit(2, test_size=0.25, random_state=0)
    >>> [Y[test].sum(axis=0).tolist() for train, test in holdouts.split(Y, Y)]
    [[1, 1], [1, 1]]
    """

    __metadata_request__split: ClassVar = {"groups": True}

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Any = None,
        method: str = "auto",
    ) -> None:
        _check_count("n_splits", n_splits, at_least=1)
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state
        self.method = method

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Give the row numbers for training and for testing, holdout by holdout."""
        _check_rows(X, y, groups, 2)
        sizes = holdout_sizes(n_rows(y), self.test_size, self.train_size, default=0.1)
        random_state = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            subset = assign(
                y,
                sizes / sizes.sum(),
                method=self.method,
                groups=groups,
                random_state=random_state,
            )
            yield np.flatnonzero(subset == 0), np.flatnonzero(subset == 1)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of holdouts."""
        return self.n_splits


def _folds(
    y: Any, n_splits: int, method: str, groups: Any, random_state: Any
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give the rows of all other folds and those of the fold, for each fold."""
    subset = assign(y, n_splits, method=method, groups=groups, random_state=random_state)
    for fold in range(n_splits):
        yield np.flatnonzero(subset != fold), np.flatnonzero(subset == fold)


def _check_count(name: str, count: Any, *, at_least: int) -> None:
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise TypeError(f"{name} must be a whole number, got {count!r}.")
    if count < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {count}.")


def _check_rows(X: Any, y: Any, groups: Any, n_splits: int) -> None:
    if y is None:
        raise ValueError("y must hold the labels of the rows, got None.")
    check_consistent_length(X, y, groups)
    if n_rows(y) < n_splits:
        raise ValueError(f"n_splits must be at most the {n_rows(y)} rows, got {n_splits}.")
