"""What a measure of a study's own sees: truth, scores, decisions and the fitted model."""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._estimators import METHODS, score_matrix
from labelwise.data import Dataset


class CellOutcome:
    """A fitted model and the samples it is judged on.

    The model is asked for scores and decisions when they are looked at first, once.

    Attributes
    ----------
    model : estimator
        Fitted to the training rows.
    data : Dataset
        The whole data set.
    train_rows, test_rows : array of int
        Rows of the fold.
    fold, seed : int
        Of the cell.
    fit_seconds, predict_seconds : float
        Time that the model has taken so far.
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
        """Labels of the test rows, boolean CSC."""
        return self.data.Y[self.test_rows]

    @cached_property
    def train(self) -> Dataset:
        """The training rows as a data set."""
        return self.data.take(self.train_rows)

    @cached_property
    def test(self) -> Dataset:
        """The test rows as a data set."""
        return self.data.take(self.test_rows)

    @cached_property
    def scores(self) -> np.ndarray | None:
        """Scores of the test rows, of shape (n_samples, n_labels); None if the model has none."""
        if not any(hasattr(self.model, method) for method in METHODS):
            return None
        X = self.data.samples[self.test_rows]
        start = time.perf_counter()
        scores = score_matrix(self.model, X, self.data.n_labels)
        self.predict_seconds += time.perf_counter() - start
        return scores

    @cached_property
    def decided(self) -> Any:
        """What the model predicts for the test rows, 0/1 of shape (n_samples, n_labels)."""
        X = self.data.samples[self.test_rows]
        start = time.perf_counter()
        decided = self.model.predict(X)
        self.predict_seconds += time.perf_counter() - start
        if self.data.n_labels == 1 and not sparse.issparse(decided):
            decided = np.asarray(decided).reshape(self.test_rows.size, -1)
        return decided
