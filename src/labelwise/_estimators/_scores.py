"""Scores of any multi-label estimator as one matrix: of a fitted one, or held out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import quoted
from labelwise._validation import (
    as_dense,
    check_readable,
    check_scores,
    is_array_per_label,
    is_frame,
    n_rows,
    scores_of_class_1,
    take_rows,
)
from labelwise.splitting import splits_of

METHODS = ("decision_function", "predict_proba")
_NAMED_AT_MOST = 10


class HeldOutScores(NamedTuple):
    """Scores of samples by models that did not see them, fold after fold."""

    scores: Any  # (n_scored, n_labels), dense or CSR
    rows: np.ndarray  # the sample of each
    folds: np.ndarray  # the fold of each


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
            return np.array(_scores_of_labels(self.estimator, X, varies, method), dtype=np.float64)
        return np.full((n_rows(X), varies.size), np.nan)


def score_matrix(estimator: Any, X: Any, n_labels: int, *, method: str | None = None) -> np.ndarray:
    """Return the scores of a fitted multi-label estimator, of shape (n_samples, n_labels).

    Every form that is around is understood: a matrix, dense or sparse; a list with an array for
    each label, of two columns, or of one if the label has one class (its other class then has
    probability 0); a vector, or two columns, for a single label.

    Parameters
    ----------
    estimator : object with decision_function or predict_proba
        Fitted to `n_labels` labels.
    X : what the estimator takes
        The samples.
    n_labels : int
        Number of labels.
    method : {"decision_function", "predict_proba"}, optional
        What to ask; by default what `scoring_method` says.
    """
    method = scoring_method(estimator) if method is None else method
    return _scores_of_labels(estimator, X, np.ones(n_labels, dtype=bool), method)


def _scores_of_labels(estimator: Any, X: Any, varies: np.ndarray, method: str) -> np.ndarray:
    """Return the scores of all labels; NaN where the estimator scores only those that vary."""
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
        # The values of a frame, whose names are those of the estimator.
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
    """Return whether scores are those of one label: a vector, or columns of classes 0 and 1."""
    if matrix.ndim == 1 or matrix.shape[1:] != (2,) or n_labels != 2:
        return matrix.ndim == 1 or matrix.shape[1:] == (2,)
    # Of two labels one varies: probabilities of its classes sum to 1, those of two labels do not.
    return method == "predict_proba" and bool(np.allclose(matrix.sum(axis=1), 1))


def scoring_method(estimator: Any, preferred: Sequence[str] = METHODS) -> str:
    """Return the first of the methods that the estimator has."""
    for method in preferred:
        if hasattr(estimator, method):
            return method
    kind = type(estimator).__name__
    raise TypeError(f"estimator must have {' or '.join(preferred)}, but {kind} has not.")


def held_out_scores(
    estimator: Any,
    X: Any,
    Y: np.ndarray,
    cv: Any = 5,
    *,
    method: str | None = None,
    groups: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> HeldOutScores:
    """Return scores of samples by models that were fitted to other ones.

    Parameters
    ----------
    estimator : object with fit and decision_function or predict_proba
        Cloned for each fold.
    X, Y : rows of features, and int64 array of shape (n_samples, n_labels)
        A splitter sees the labels that have both classes.
    cv : int, splitter or iterable of (train, test)
        A number means so many folds of `MultilabelStratifiedKFold`, the same ones every time.
    method : {"decision_function", "predict_proba"}, optional
        What to ask; by default what `scoring_method` says.
    groups : array of shape (n_samples,), optional
        Handed to the splitter.
    fit_params : mapping, optional
        Handed to ``fit``; what has as many entries as X has rows is cut to the rows of the fold.
    n_jobs : int, optional
        Folds at a time.

    Notes
    -----
    A label that has one class in the training part of a fold is not handed to the estimator, which
    might fail. Its score there is 0 or 1 as a probability; otherwise the lowest or the highest
    score of the label in the other folds. An estimator that scores all labels all the same, such
    as a frozen one, is taken at its word.
    """
    from sklearn.utils.parallel import Parallel, delayed

    method = scoring_method(estimator) if method is None else method
    splits = splits_of(cv, X, Y[:, np.isnan(constant_labels(Y))], groups)

    def score_fold(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        params = cut_params(fit_params, train, n_rows(X))
        scorer = fit_scorer(estimator, take_rows(X, train), Y[train], params)
        return scorer.scores(take_rows(X, test), method), scorer.constants

    parts = Parallel(n_jobs=n_jobs)(delayed(score_fold)(*split) for split in splits)
    sizes = [len(test) for _, test in splits]
    rows = np.concatenate([test for _, test in splits])
    folds = np.repeat(np.arange(len(splits)), sizes)
    scores = np.concatenate([scores for scores, _ in parts])
    _fill_constants(scores, folds, np.array([constants for _, constants in parts]), method)
    return HeldOutScores(scores, rows, folds)


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


def constant_labels(Y: Any) -> np.ndarray:
    """Return for each label 0 or 1 if all samples have that value, else NaN."""
    n_positives = np.asarray(Y.sum(axis=0)).ravel()
    return np.where(n_positives == 0, 0.0, np.where(n_positives == Y.shape[0], 1.0, np.nan))


def check_constants(estimator: Any) -> int:
    """Return the number of labels of a loaded estimator, refusing constants of other labels."""
    n_labels = len(estimator.classes_)
    constants = estimator.constants_
    if not isinstance(constants, np.ndarray) or constants.dtype != np.float64:
        raise ValueError("constants_ must be an array of numbers")
    if constants.shape != (n_labels,) or n_labels == 0:
        raise ValueError(f"constants_ must be those of {n_labels} labels, got {constants.shape}")
    return n_labels


def warn_of_constants(constants: np.ndarray, names: Sequence[str] | None) -> None:
    """Warn once, by name, of the labels that have one class."""
    found = np.flatnonzero(~np.isnan(constants))
    if found.size == 0:
        return
    shown = ", ".join(quoted(names[j]) if names else str(j) for j in found[:_NAMED_AT_MOST])
    more = f" and {found.size - _NAMED_AT_MOST} more" if found.size > _NAMED_AT_MOST else ""
    warnings.warn(
        f"Y has one class only for label {shown}{more}: decided as in the training data, always.",
        stacklevel=3,
    )


def cut_params(
    params: Mapping[str, Any] | None, rows: np.ndarray, n_samples: int
) -> dict[str, Any]:
    """Return the parameters with those of one entry for each sample cut to some rows."""
    return {
        key: take_rows(value, rows)
        if hasattr(value, "__len__") and not isinstance(value, str) and n_rows(value) == n_samples
        else value
        for key, value in (params or {}).items()
    }


def _fill_constants(
    scores: np.ndarray, folds: np.ndarray, constants: np.ndarray, method: str
) -> None:
    """Put scores in the place of the NaN of labels that had one class in a fold."""
    for j in np.flatnonzero(np.isnan(scores).any(axis=0)):
        gone = np.isnan(scores[:, j])
        ends = (0.0, 1.0)
        if method != "predict_proba" and not gone.all():
            ends = float(scores[~gone, j].min()), float(scores[~gone, j].max())
        scores[gone, j] = np.where(constants[folds[gone], j] == 1, ends[1], ends[0])


def as_multilabel(tags: Any, like: Any = None) -> Any:
    """Return scikit-learn's tags as those of a classifier of 0/1 matrices.

    X may be sparse, or hold NaN, where the estimator `like` takes that.
    """
    tags.target_tags.single_output = False
    tags.target_tags.multi_output = True
    tags.classifier_tags.multi_class = False
    tags.classifier_tags.multi_label = True
    if like is not None:
        from sklearn.utils import get_tags

        taken = get_tags(like).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = taken.sparse, taken.allow_nan
    return tags
