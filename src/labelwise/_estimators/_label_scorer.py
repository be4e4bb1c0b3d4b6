"""An estimator fitted only to the labels that have both classes, and its scores."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from labelwise._estimators._constant_labels import constant_labels
from labelwise._estimators._score_matrix import scores_of_labels
from labelwise._validation import n_rows


class LabelScorer(NamedTuple):
    """An estimator of the labels with both classes; values of the others."""

    estimator: Any  # None if no label has both classes
    constants: np.ndarray  # 0 or 1, NaN for a label with both classes

    def scores(self, X: Any, method: str) -> np.ndarray:
        """Score all labels, as a new float64 array of shape (n_samples, n_labels).

        Labels with one class have NaN, unless the estimator scores all labels, as a frozen
        estimator or a network with a fixed number of outputs does.
        """
        varies = np.isnan(self.constants)
        if varies.any():
            # Callers change the array in place, and the estimator may have given its own, or X.
            return np.array(scores_of_labels(self.estimator, X, varies, method), dtype=np.float64)
        return np.full((n_rows(X), varies.size), np.nan)


def fit_scorer(
    estimator: Any, X: Any, Y: np.ndarray, fit_params: Mapping[str, Any] | None = None
) -> LabelScorer:
    """Fit a clone of the estimator to the labels that have both classes.

    If the estimator raises an error for these labels, as a network with a fixed number of outputs
    does, it is fitted to all labels; if that fails as well, the first error is raised.
    """
    constants = constant_labels(Y)
    varies = np.isnan(constants)
    if not varies.any():
        return LabelScorer(None, constants)
    try:
        return LabelScorer(_fitted(estimator, X, Y[:, varies], fit_params), constants)
    except (RuntimeError, ValueError) as error:
        if varies.all():
            raise
        try:
            return LabelScorer(_fitted(estimator, X, Y, fit_params), constants)
        except (RuntimeError, ValueError):
            raise error from None


def _fitted(estimator: Any, X: Any, Y: np.ndarray, fit_params: Mapping[str, Any] | None) -> Any:
    """Fit a clone of the estimator to all labels of Y."""
    from sklearn.base import clone
    from sklearn.exceptions import DataConversionWarning

    with warnings.catch_warnings():
        # Some estimators warn if a matrix of labels has one column.
        warnings.simplefilter("ignore", DataConversionWarning)
        if np.isnan(Y).any():
            return _fitted_with_gaps(clone(estimator), X, Y, fit_params or {})
        # scikit-learn 1.9 casts label numbers to the dtype of Y: with int8 and more than 128
        # labels, columns would come back in another order.
        targets = np.ascontiguousarray(Y, dtype=np.int64)
        return clone(estimator).fit(X, targets, **(fit_params or {}))


def _fitted_with_gaps(model: Any, X: Any, Y: np.ndarray, fit_params: Mapping[str, Any]) -> Any:
    """Fit an estimator to labels of which some are NaN; say so if it does not take them."""
    try:
        # Estimators that refuse NaN may convert it to integers before.
        with np.errstate(invalid="ignore"):
            return model.fit(X, Y, **fit_params)
    except (TypeError, ValueError) as error:
        if not any(word in str(error).lower() for word in ("nan", "missing", "finite")):
            raise
        raise ValueError(
            f"y has missing labels, with which {type(model).__name__} cannot be fitted: "
            "BinaryRelevance learns each label from the rows that have it."
        ) from error
