"""Held-out scores: each fold is scored by a model fitted to the other folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from labelwise._estimators._scores import LabelScorer, fit_scorer, scoring_method
from labelwise._estimators._splits import splits_of
from labelwise._estimators._targets import constant_labels
from labelwise._validation import n_rows, take_rows


class HeldOutScores(NamedTuple):
    """Scores of samples by models fitted to other samples, fold by fold."""

    scores: Any  # (n_scored, n_labels), dense or CSR
    rows: np.ndarray  # (n_scored,), index of the sample
    folds: np.ndarray  # (n_scored,), number of the fold


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
    report: Callable[[str], None] | None = None,
) -> HeldOutScores:
    """Score each sample by a model that was fitted to other samples.

    The estimator is cloned for each fold of `splits_of(cv)`; a splitter gets only the labels that
    have both classes. Of `fit_params`, values with one entry per sample are cut to the samples of
    the fold. `report` is called with a line of progress after each fold.

    A label that has one class in the training part of a fold is not passed to the estimator, which
    might fail. The label's score in that fold is 0 or 1 if scores are probabilities, and otherwise
    its lowest or its highest score in the other folds. If the estimator scores all labels anyway,
    as a frozen estimator does, its scores are used.
    """
    from sklearn.utils.parallel import Parallel, delayed

    method = scoring_method(estimator) if method is None else method
    splits = splits_of(cv, X, Y[:, np.isnan(constant_labels(Y))], groups)

    def score_fold(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        params = cut_params(fit_params, train, n_rows(X))
        scorer = fit_scorer(estimator, take_rows(X, train), Y[train], params)
        return scorer.scores(take_rows(X, test), method), scorer.constants

    parts = []
    in_order = Parallel(n_jobs=n_jobs, return_as="generator")
    for part in in_order(delayed(score_fold)(*split) for split in splits):
        parts.append(part)
        if report is not None:
            report(f"scored fold {len(parts)} of {len(splits)}")
    sizes = [len(test) for _, test in splits]
    rows = np.concatenate([test for _, test in splits])
    folds = np.repeat(np.arange(len(splits)), sizes)
    scores = np.concatenate([scores for scores, _ in parts])
    _fill_constants(scores, folds, np.array([constants for _, constants in parts]), method)
    return HeldOutScores(scores, rows, folds)


def fit_and_score_folds(
    estimator: Any,
    X: Any,
    Y: np.ndarray,
    cv: Any = 5,
    *,
    method: str,
    groups: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    report: Callable[[str], None] | None = None,
) -> tuple[HeldOutScores, LabelScorer]:
    """Fit an estimator to all samples, and score each sample by a model of other samples.

    An estimator with a method `fit_scoring_folds`, such as `BinaryRelevance`, does both in one
    pass; other estimators are fitted once for each fold, and once more. Arguments are those of
    `held_out_scores`; only labels with both classes are scored.
    """
    from sklearn.base import clone

    constants = constant_labels(Y)
    varies = np.isnan(constants)
    params = dict(fit_params or {})
    if not varies.any():
        rows = np.arange(len(Y))
        nothing = HeldOutScores(np.empty((len(Y), 0)), rows, np.zeros(len(Y), dtype=np.intp))
        return nothing, LabelScorer(None, constants)
    in_one_pass = hasattr(estimator, "fit_scoring_folds")
    if not in_one_pass or method != scoring_method(estimator):
        held_out = held_out_scores(
            estimator,
            X,
            Y,
            cv,
            method=method,
            groups=groups,
            fit_params=params,
            n_jobs=n_jobs,
            report=report,
        )
        held_out = held_out._replace(scores=held_out.scores[:, varies])
        return held_out, fit_scorer(estimator, X, Y, params)
    splits = splits_of(cv, X, Y[:, varies], groups)
    # The splits keep groups together, and no other folds are made.
    params.pop("groups", None)
    model = clone(estimator)
    if report is not None:
        params["report"] = report
    scores = model.fit_scoring_folds(X, Y[:, varies], splits, **params)
    folds = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits])
    by_fold = np.array([constant_labels(Y[train][:, varies]) for train, _ in splits])
    scores[~np.isnan(by_fold)[folds]] = np.nan
    _fill_constants(scores, folds, by_fold, method)
    held_out = HeldOutScores(scores, np.concatenate([test for _, test in splits]), folds)
    return held_out, LabelScorer(model, constants)


def cut_params(
    params: Mapping[str, Any] | None, rows: np.ndarray, n_samples: int
) -> dict[str, Any]:
    """Cut parameters with one entry per sample to some samples; keep others."""
    return {
        key: take_rows(value, rows) if _has_rows(value) and n_rows(value) == n_samples else value
        for key, value in (params or {}).items()
    }


def _has_rows(value: Any) -> bool:
    """Return whether a parameter is an array, or an object that NumPy reads as one."""
    return not isinstance(value, str) and (hasattr(value, "__len__") or hasattr(value, "__array__"))


def _fill_constants(
    scores: np.ndarray, folds: np.ndarray, constants: np.ndarray, method: str
) -> None:
    """Replace NaN, in place, for labels with one class in a training part."""
    for j in np.flatnonzero(np.isnan(scores).any(axis=0)):
        gone = np.isnan(scores[:, j])
        ends = (0.0, 1.0)
        if method != "predict_proba" and not gone.all():
            ends = float(scores[~gone, j].min()), float(scores[~gone, j].max())
        scores[gone, j] = np.where(constants[folds[gone], j] == 1, ends[1], ends[0])
