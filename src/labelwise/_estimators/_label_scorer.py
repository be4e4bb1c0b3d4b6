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
    """An estimator that scores the labels that have both classes, and the values of the others."""

    estimator: Any  # None if no label has both classes
    constants: np.ndarray  # 0 or 1, NaN for a label with both classes

    def scores(self, X: Any, method: str) -> np.ndarray:
        """Return scores of shape (n_samples, n_labels), float64, which the caller may change.

        Labels with one class have NaN, unless the estimator scores all labels, as a frozen one or
        a network with a fixed number of outputs does.
        """
        varies = np.isnan(self.constants)
        if varies.any():
            # A copy: an estimator may give its own array, or a part of X.
            return np.array(scores_of_labels(self.estimator, X, varies, method), dtype=np.float64)
        return np.full((n_rows(X), varies.size), np.nan)


def fit_scorer(
    estimator: Any, X: Any, Y: np.ndarray, fit_params: Mapping[str, Any] | None = None
) -> LabelScorer:
    """Fit a clone of the estimator to the labels that have both classes.

    If it refuses some of the labels, as a network with a fixed number of outputs does, it is
    fitted to all of them.
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
    """Return a clone of the estimator that is fitted to all labels of Y."""
    from sklearn.base import clone
    from sklearn.exceptions import DataConversionWarning

    with warnings.catch_warnings():
        # One label is still a matrix; some estimators remark on that.
        warnings.simplefilter("ignore", DataConversionWarning)
        # int64: see DESIGN, section 3.
        targets = np.ascontiguousarray(Y, dtype=np.int64)
        return clone(estimator).fit(X, targets, **(fit_params or {}))
