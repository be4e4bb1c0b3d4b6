"""`CellOutcome`: the fitted model, scores and decisions that a user's measure is called with."""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._estimators import METHODS, score_matrix
from labelwise.data import Dataset


class CellOutcome:
    """A fitted model with the rows of its fold, passed to measures of the user.

    Scores and decisions are computed on first access and then kept.

    Parameters
    ----------
    model : estimator
        Model fitted to the training rows.
    data : Dataset
        The whole data set.
    train_rows : array of int of shape (n_train,)
        Training rows of the fold.
    test_rows : array of int of shape (n_test,)
        Test rows of the fold.
    fold : int, default=0
        Number of the fold, from 0.
    seed : int, default=0
        Seed of the cell.
    fit_seconds : float, default=0.0
        Time that fitting took.

    Attributes
    ----------
    predict_seconds : float
        Time that scores and decisions have taken so far.

    See Also
    --------
    Study : Calls each measure that is a function with a `CellOutcome`.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelwise.data import load
    >>> from labelwise.experiments import CellOutcome
    >>> data = load("digits")
    >>> model = KNeighborsClassifier().fit(data.X[data.train], data.Y[data.train].toarray())
    >>> outcome = CellOutcome(model, data, data.train, data.test)
    >>> outcome.decided.shape == outcome.truth.shape == outcome.scores.shape
    True
    """

    def __init__(
        self,
        model: Any,
        data: Dataset,
        train_rows: np.ndarray,
        test_rows: np.ndarray,
        *,
        fold: int = 0,
        seed: int = 0,
        fit_seconds: float = 0.0,
    ) -> None:
        self.model = model
        self.data = data
        self.train_rows = train_rows
        self.test_rows = test_rows
        self.fold = fold
        self.seed = seed
        self.fit_seconds = fit_seconds
        self.predict_seconds = 0.0

    @cached_property
    def truth(self) -> sparse.csc_array:
        """Labels of the test rows, CSC array of shape (n_test, n_labels), as in `Dataset.Y`."""
        return self.data.Y[self.test_rows]

    @cached_property
    def train(self) -> Dataset:
        """Training rows as a data set."""
        return self.data.take(self.train_rows)

    @cached_property
    def test(self) -> Dataset:
        """Test rows as a data set."""
        return self.data.take(self.test_rows)

    @cached_property
    def scores(self) -> np.ndarray | None:
        """Scores of the test rows, of shape (n_test, n_labels); None if the model has no scores."""
        if not any(hasattr(self.model, method) for method in METHODS):
            return None
        X = self.data.samples_at(self.test_rows)
        start = time.perf_counter()
        scores = score_matrix(self.model, X, self.data.n_labels)
        self.predict_seconds += time.perf_counter() - start
        return scores

    @cached_property
    def decided(self) -> Any:
        """Predicted labels of the test rows, 0 or 1, of shape (n_test, n_labels)."""
        X = self.data.samples_at(self.test_rows)
        start = time.perf_counter()
        decided = self.model.predict(X)
        self.predict_seconds += time.perf_counter() - start
        if self.data.n_labels == 1 and not sparse.issparse(decided):
            decided = np.asarray(decided).reshape(self.test_rows.size, -1)
        return decided
