"""Held-out scores: each fold is scored by a model fitted to the other folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from labelwise._estimators._constant_labels import constant_labels
from labelwise._estimators._label_scorer import fit_scorer
from labelwise._estimators._score_matrix import scoring_method
from labelwise._validation import n_rows, take_rows
from labelwise.splitting import splits_of


class HeldOutScores(NamedTuple):
    """Scores of samples by models that did not see them, fold after fold."""

    scores: Any  # (n_scored, n_labels), dense or CSR
    rows: np.ndarray  # the sample of each
    folds: np.ndarray  # the fold of each


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
