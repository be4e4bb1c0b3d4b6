"""Scores of any multi-label estimator, as one matrix of samples by labels.

Estimators give scores in several forms, and some cannot be fitted to labels that have one class in
the training data. `score_matrix` reads all forms; a `LabelScorer` is an estimator that was fitted
to the labels with both classes only.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._estimators._targets import constant_labels, constant_scores
from labelwise._validation import (
    as_dense,
    check_readable,
    check_scores,
    is_array_per_label,
    is_frame,
    n_rows,
    scores_of_class_1,
)

METHODS = ("decision_function", "predict_proba")


def score_matrix(estimator: Any, X: Any, n_labels: int, *, method: str | None = None) -> np.ndarray:
    """Score samples by a fitted multi-label estimator, as one matrix (n_samples, n_labels).

    Estimators give scores in several forms, and all of these are accepted: a matrix, dense or
    sparse; a list with one array per label, of two columns, or of one column if the label has one
    class (the other class then has probability 0); a vector, or two columns, for a single label.
    """
    check_readable(X, "X")
    method = scoring_method(estimator, METHODS if method is None else (method,))
    return scores_of_labels(estimator, X, np.ones(n_labels, dtype=bool), method)


def scores_of_labels(estimator: Any, X: Any, varies: np.ndarray, method: str) -> np.ndarray:
    """Score all labels, with NaN for labels that the estimator does not score.

    `varies` says for each label whether it had both classes when the estimator was fitted. A
    sparse X has been checked by `check_readable`.
    """
    call = f"{type(estimator).__name__}.{method}"
    answer = getattr(estimator, method)(X)
    if sparse.issparse(answer):
        check_readable(answer, call)
        answer = answer.toarray()
    if is_array_per_label(answer):
        matrix = scores_of_class_1(answer, call, getattr(estimator, "classes_", None))
    elif isinstance(answer, list | tuple):
        matrix = np.column_stack([as_dense(column, call) for column in answer])
    else:
        # Column names of a frame were chosen by the estimator, and are not checked.
        matrix = np.asarray(answer) if is_frame(answer) else as_dense(answer, call)
        if varies.sum() == 1 and _is_one_label(matrix, varies.size, method):
            matrix = matrix.reshape(len(matrix), -1)[:, -1:]
    if matrix.shape not in ((n_rows(X), varies.sum()), (n_rows(X), varies.size)):
        every = "" if varies.all() else f", or of all {varies.size}"
        raise ValueError(
            f"{call} must give scores of {n_rows(X)} rows and {varies.sum()} labels{every}, "
            f"got shape {matrix.shape}."
        )
    checked = np.asarray(check_scores(matrix, input_name=call).matrix)
    if matrix.shape[1] == varies.size:
        return checked
    scores = np.full((len(checked), varies.size), np.nan)
    scores[:, varies] = checked
    return scores


def _is_one_label(matrix: np.ndarray, n_labels: int, method: str) -> bool:
    """Whether scores are a vector, or the columns of a label's two classes."""
    if matrix.ndim == 1 or matrix.shape[1:] != (2,) or n_labels != 2:
        return matrix.ndim == 1 or matrix.shape[1:] == (2,)
    # One of two labels varies, so that two columns may be either the classes of that label,
    # whose probabilities sum to 1, or both labels.
    return method == "predict_proba" and bool(np.allclose(matrix.sum(axis=1), 1))


def scoring_method(estimator: Any, preferred: Sequence[str] = METHODS) -> str:
    """Find the first of the preferred methods that the estimator has."""
    for method in preferred:
        if hasattr(estimator, method):
            return method
    kind = type(estimator).__name__
    raise TypeError(f"estimator must have {' or '.join(preferred)}, but {kind} has not.")


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

    def all_scores(self, X: Any, method: str) -> np.ndarray:
        """Score all labels; those with one class have the scores of `constant_scores`."""
        ends = constant_scores(self.constants, method)
        return np.where(np.isnan(self.constants), self.scores(X, method), ends)


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
