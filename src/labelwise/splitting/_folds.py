"""Stratified splitters for the argument `cv` of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length

from labelwise._validation import check_random_state, check_whole, n_rows
from labelwise.splitting._assign import assign
from labelwise.splitting._holdout import holdout_sizes


class MultilabelStratifiedKFold(BaseCrossValidator):
    """Cross-validation folds with equal label ratios.

    Each of the k folds is the test part once. The class can replace the class of this name in the
    package iterative-stratification.

    Parameters
    ----------
    n_splits : int, default=3
        Number of folds, at least 2.
    shuffle : bool, default=False
        Whether the folds depend on `random_state`; without `shuffle` they are always the same.
    random_state : int, RandomState or None, default=None
        Seed of the folds, only with `shuffle`; the same int gives the same folds.
    method : str, default="auto"
        Method of stratification, as for `assign`.

    Raises
    ------
    TypeError
        If `n_splits` is not a whole number.
    ValueError
        If `n_splits` is below 2, or `random_state` is given without `shuffle`.

    See Also
    --------
    RepeatedMultilabelStratifiedKFold : Repeat the folds with different random numbers.
    assign : Assign each sample to a subset, with equal label ratios in all subsets.

    Notes
    -----
    Rows of the same group stay together if `groups` is given to `split`. With scikit-learn's
    metadata routing the splitter requests `groups` by default.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.splitting import MultilabelStratifiedKFold
    >>> Y = np.tile([[1, 0], [0, 1]], (3, 1))
    >>> folds = MultilabelStratifiedKFold(3, shuffle=True, random_state=0)
    >>> [Y[test].sum(axis=0).tolist() for train, test in folds.split(Y, Y)]
    [[1, 1], [1, 1], [1, 1]]
    """

    # scikit-learn reads from this attribute that the splitter uses groups.
    __metadata_request__split: ClassVar = {"groups": True}

    def __init__(
        self,
        n_splits: int = 3,
        *,
        shuffle: bool = False,
        random_state: Any = None,
        method: str = "auto",
    ) -> None:
        check_whole(n_splits, "n_splits", least=2)
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
        """Yield the rows for training and for testing, fold by fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; only their number is used.
        y : array, sparse matrix, frame or list of sets, default=None
            Labels to stratify by, of shape (n_samples, n_labels), as for `assign`; required.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of the same group stay together.

        Yields
        ------
        train : ndarray of int64
            Numbers of the rows for training.
        test : ndarray of int64
            Numbers of the rows for testing.

        Raises
        ------
        ValueError
            If `y` is None, lengths differ, or there are fewer rows than folds.
        """
        _check_rows(X, y, groups, self.n_splits)
        seed = self.random_state if self.shuffle else 0
        yield from _folds(y, self.n_splits, self.method, groups, seed)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of folds.

        Parameters
        ----------
        X : object, default=None
            Ignored; present for scikit-learn.
        y : object, default=None
            Ignored; present for scikit-learn.
        groups : object, default=None
            Ignored; present for scikit-learn.

        Returns
        -------
        int
            The number of pairs that `split` yields.
        """
        return self.n_splits


class RepeatedMultilabelStratifiedKFold(BaseCrossValidator):
    """Repeated cross-validation folds with equal label ratios.

    `MultilabelStratifiedKFold` is repeated with different random numbers.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    n_repeats : int, default=10
        Number of repetitions, at least 1.
    random_state : int, RandomState or None, default=None
        Seed of the folds; the same int gives the same folds.
    method : str, default="auto"
        Method of stratification, as for `assign`.

    Raises
    ------
    TypeError
        If `n_splits` or `n_repeats` is not a whole number.
    ValueError
        If `n_splits` is below 2, or `n_repeats` below 1.

    See Also
    --------
    MultilabelStratifiedKFold : Cross-validation folds without repetition.

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
        check_whole(n_splits, "n_splits", least=2)
        check_whole(n_repeats, "n_repeats")
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.method = method

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Yield the rows for training and for testing, fold by fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; only their number is used.
        y : array, sparse matrix, frame or list of sets, default=None
            Labels to stratify by, of shape (n_samples, n_labels), as for `assign`; required.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of the same group stay together.

        Yields
        ------
        train : ndarray of int64
            Numbers of the rows for training.
        test : ndarray of int64
            Numbers of the rows for testing.

        Raises
        ------
        ValueError
            If `y` is None, lengths differ, or there are fewer rows than folds.
        """
        _check_rows(X, y, groups, self.n_splits)
        random_state = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            yield from _folds(y, self.n_splits, self.method, groups, random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of folds times the number of repetitions.

        Parameters
        ----------
        X : object, default=None
            Ignored; present for scikit-learn.
        y : object, default=None
            Ignored; present for scikit-learn.
        groups : object, default=None
            Ignored; present for scikit-learn.

        Returns
        -------
        int
            The number of pairs that `split` yields.
        """
        return self.n_splits * self.n_repeats


class MultilabelStratifiedShuffleSplit(BaseCrossValidator):
    """Random training and test parts with equal label ratios.

    The class can replace the class of this name in the package iterative-stratification.

    Parameters
    ----------
    n_splits : int, default=10
        Number of pairs of parts, at least 1.
    test_size : float or int, default=None
        Share between 0 and 1, or number of rows, of the test part. None means the rows that
        `train_size` leaves, or 0.1 if both are None.
    train_size : float or int, default=None
        Share between 0 and 1, or number of rows, of the training part. None means the rows that
        `test_size` leaves. Rows that are in neither part are not used.
    random_state : int, RandomState or None, default=None
        Seed of the parts; the same int gives the same parts.
    method : str, default="auto"
        Method of stratification, as for `assign`.

    Raises
    ------
    TypeError
        If `n_splits` is not a whole number.
    ValueError
        If `n_splits` is below 1.

    See Also
    --------
    train_test_split : Split arrays into stratified parts once.

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
        check_whole(n_splits, "n_splits")
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state
        self.method = method

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Yield the rows for training and for testing, pair by pair.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; only their number is used.
        y : array, sparse matrix, frame or list of sets, default=None
            Labels to stratify by, of shape (n_samples, n_labels), as for `assign`; required.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of the same group stay together.

        Yields
        ------
        train : ndarray of int64
            Numbers of the rows for training.
        test : ndarray of int64
            Numbers of the rows for testing.

        Raises
        ------
        ValueError
            If `y` is None, lengths differ, or there are too few rows for both parts.
        """
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
        """Return the number of pairs of parts.

        Parameters
        ----------
        X : object, default=None
            Ignored; present for scikit-learn.
        y : object, default=None
            Ignored; present for scikit-learn.
        groups : object, default=None
            Ignored; present for scikit-learn.

        Returns
        -------
        int
            The number of pairs that `split` yields.
        """
        return self.n_splits


def _folds(
    y: Any, n_splits: int, method: str, groups: Any, random_state: Any
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of all other folds and those of the fold, for each fold."""
    subset = assign(y, n_splits, method=method, groups=groups, random_state=random_state)
    for fold in range(n_splits):
        yield np.flatnonzero(subset != fold), np.flatnonzero(subset == fold)


def _check_rows(X: Any, y: Any, groups: Any, n_splits: int) -> None:
    if y is None:
        raise ValueError("y must be the labels of the rows, got None.")
    check_consistent_length(X, y, groups)
    if n_rows(y) < n_splits:
        raise ValueError(f"n_splits must be at most the {n_rows(y)} rows, got {n_splits}.")
