"""Stratified splitters for scikit-learn's argument `cv`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length

from labelwise._validation import check_random_state, check_whole, n_rows, refuse_other_index
from labelwise.splitting._assign import assign
from labelwise.splitting._holdout import holdout_sizes


class _StratifiedSplitter(BaseCrossValidator):
    """A splitter of scikit-learn whose pairs of parts are made of subsets of `assign`."""

    # scikit-learn reads from this attribute that the splitter uses groups.
    __metadata_request__split: ClassVar = {"groups": True}

    n_splits: int
    method: str

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Yield the samples for training and for testing, pair by pair.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; only their number is used.
        y : array, sparse matrix, frame or list of sets, default=None
            Labels of the samples, 0 or 1, as for `assign`; required.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together.

        Yields
        ------
        train : ndarray of int64
            Indices of the samples for training.
        test : ndarray of int64
            Indices of the samples for testing.

        Raises
        ------
        ValueError
            If `y` is None, lengths differ, or there are too few samples.
        """
        if y is None:
            raise ValueError("y must be the labels of the samples, got None.")
        check_consistent_length(X, y, groups)
        refuse_other_index(X=X, y=y, groups=groups)
        yield from self._pairs(y, groups)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of pairs that `split` yields.

        Parameters
        ----------
        X : object, default=None
            Ignored; present for scikit-learn's convention.
        y : object, default=None
            Ignored; present for scikit-learn's convention.
        groups : object, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        int
            Number of pairs of training and test part.
        """
        return self.n_splits

    @abstractmethod
    def _pairs(self, y: Any, groups: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the parts of labels that are as long as X and the groups."""

    def _folds(self, y: Any, groups: Any, seed: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        if n_rows(y) < self.n_splits:
            raise ValueError(
                f"n_splits must be at most the {n_rows(y)} samples, got {self.n_splits}."
            )
        subset = assign(y, self.n_splits, method=self.method, groups=groups, random_state=seed)
        for fold in range(self.n_splits):
            yield np.flatnonzero(subset != fold), np.flatnonzero(subset == fold)


class MultilabelStratifiedKFold(_StratifiedSplitter):
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
        Seed of the random numbers; the same int gives the same result. Only used with `shuffle`.
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
    Samples of the same group stay together if `groups` is given to `split`. With scikit-learn's
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

    def _pairs(self, y: Any, groups: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        yield from self._folds(y, groups, self.random_state if self.shuffle else 0)


class RepeatedMultilabelStratifiedKFold(_StratifiedSplitter):
    """Repeated cross-validation folds with equal label ratios.

    `MultilabelStratifiedKFold` is repeated with different random numbers.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    n_repeats : int, default=10
        Number of repetitions, at least 1.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.
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

    def _pairs(self, y: Any, groups: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        random_state = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            yield from self._folds(y, groups, random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of folds times the number of repetitions.

        Parameters
        ----------
        X : object, default=None
            Ignored; present for scikit-learn's convention.
        y : object, default=None
            Ignored; present for scikit-learn's convention.
        groups : object, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        int
            Number of pairs of training and test part.
        """
        return self.n_splits * self.n_repeats


class MultilabelStratifiedShuffleSplit(_StratifiedSplitter):
    """Random training and test parts with equal label ratios.

    The class can replace the class of this name in the package iterative-stratification.

    Parameters
    ----------
    n_splits : int, default=10
        Number of pairs of parts, at least 1.
    test_size : float or int, default=None
        Share between 0 and 1, or number of samples, of the test part. None means the samples that
        `train_size` leaves, or 0.1 if both are None.
    train_size : float or int, default=None
        Share between 0 and 1, or number of samples, of the training part. None means the samples
        that `test_size` leaves. Samples in neither part are not used.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.
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

    def _pairs(self, y: Any, groups: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        sizes = holdout_sizes(n_rows(y), self.test_size, self.train_size, default=0.1)
        random_state = check_random_state(self.random_state)
        shares = sizes / sizes.sum()
        for _ in range(self.n_splits):
            subset = assign(y, shares, method=self.method, groups=groups, random_state=random_state)
            yield np.flatnonzero(subset == 0), np.flatnonzero(subset == 1)
