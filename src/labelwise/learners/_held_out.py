"""Held-out scores of a fitted model: each training sample is scored by a model of the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    METHODS,
    all_labels,
    constant_scores,
    fit_scorer,
    groups_for,
    scoring_method,
    splits_of,
    weights_for,
)
from labelwise._tuning import Samples
from labelwise._validation import (
    check_groups,
    check_readable,
    check_weights,
    dense_targets,
    labels_for,
    refuse_other_index,
    refuse_sparse,
    take_rows,
)
from labelwise.decisions import TunedThresholds
from labelwise.learners._best_learner import BestLearner

_N_FOLDS = 5


class HeldOut(NamedTuple):
    """Samples as models of other samples score and decide them.

    Attributes
    ----------
    rows : ndarray of int of shape (n_scored,)
        Row of each scored sample, in rising order. All samples, unless the model was fitted to a
        part of them and tuned on the rest, or tuned without samples of weight 0.
    scores : ndarray of shape (n_scored, n_labels)
        Held-out scores.
    decided : ndarray of bool of shape (n_scored, n_labels) or None
        Held-out decisions. None for a model with thresholds, `thresholds_`, which decide scores.
    """

    rows: np.ndarray
    scores: np.ndarray
    decided: np.ndarray | None


def score_held_out(
    model: Any, X: Any, Y: Any, *, groups: Any = None, sample_weight: Any = None
) -> HeldOut:
    """Score each training sample of a model by models of the other samples.

    A model knows the samples that it was fitted to, so that its scores of them are too good. Here
    its estimator is fitted again without each fold in turn. The model itself stays as it is.

    Parameters
    ----------
    model : estimator
        A fitted model. Of a pipeline only the last step is fitted again. Of a `BestLearner` only
        the chosen candidates are: the choice is not repeated.
    X : {array-like, sparse matrix, frame} of shape (n_samples, n_features)
        The samples that the model was fitted to, as its ``fit`` took them.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels of the samples, 0 or 1. NaN is a missing label. Columns of frames are matched with
        the labels of the model by name, other columns are in the order of the model.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, in the same fold.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. Models whose ``fit`` takes weights are
        fitted with them.

    Returns
    -------
    HeldOut
        Rows, scores, and decisions of a model without thresholds.

    Raises
    ------
    TypeError
        If the model gives no scores.
    ValueError
        If samples, labels and groups do not match.

    See Also
    --------
    labelwise.reports.Desk : Shows scores, labels and thresholds.

    Notes
    -----
    `TunedThresholds` and `BestLearner` use the folds of their ``fit``, so that the scores are those
    that their thresholds were tuned on; other models use five folds of
    `MultilabelStratifiedKFold`. An estimator that is deterministic gives the same scores again.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.decisions import TunedThresholds
    >>> from labelwise.learners import BinaryRelevance, score_held_out
    >>> data, _ = make_multilabel(200, random_state=0)
    >>> model = TunedThresholds(BinaryRelevance()).fit(data.X, data.Y)
    >>> found = score_held_out(model, data.X, data.Y)
    >>> decided = model.thresholds_.decide(found.scores)
    >>> found.scores.shape, bool(decided.sum() == model.thresholds_.evidence.decided.sum())
    ((200, 6), True)
    """
    refuse_sparse(model, "model", "a fitted estimator")
    check_readable(X, "X")
    check_is_fitted(model)
    refuse_other_index(X=X, Y=Y, groups=groups, sample_weight=sample_weight)
    labels = labels_for(model, Y)
    Y = dense_targets(labels.matrix, labels.missing)
    if isinstance(model, Pipeline):
        X, model = model[:-1].transform(X), model[-1]
    scoring_method(model)
    units = None if groups is None else check_groups(groups, len(Y))
    weights = None if sample_weight is None else check_weights(sample_weight, len(Y))
    if isinstance(model, BestLearner) and model.estimators_:
        if len(model.estimators_) == 1 and model.thresholds_ is not None:
            model = TunedThresholds(model.estimators_[0], cv=model.cv, n_jobs=model.n_jobs)
        else:
            given = dict(zip(model.best_names_, model.estimators_, strict=True))
            model = clone(model).set_params(
                candidates=given, representations=None, budget=None, blend=len(given) > 1
            )
    if isinstance(model, TunedThresholds):
        return _of_tuned(model, X, Y, units, weights)
    return _of_folds(model, X, Y, units, weights)


def _of_tuned(
    model: TunedThresholds, X: Any, Y: np.ndarray, groups: Any, weights: np.ndarray | None
) -> HeldOut:
    """Return the scores that thresholds are tuned on, with the constants of labels of one class."""
    params = groups_for(model.estimator, groups) | weights_for(model.estimator, weights)
    samples = Samples(X, Y, None, groups, params, weights)
    counted = np.arange(len(Y)) if weights is None else np.flatnonzero(weights)
    scored = model._tuning_scores(*samples.counted(model.cv))
    constants, held_out = scored.scorer.constants, scored.held_out
    method = scoring_method(model.estimator)
    scores = all_labels(held_out.scores, constants, method)
    order = np.argsort(held_out.rows, kind="stable")
    return HeldOut(counted[held_out.rows[order]], scores[order], None)


def _of_folds(
    model: Any, X: Any, Y: np.ndarray, groups: Any, weights: np.ndarray | None
) -> HeldOut:
    """Return scores and decisions of each fold, by a model of the other folds."""
    method = scoring_method(model, METHODS)
    scores, decided = np.empty(Y.shape), np.empty(Y.shape, dtype=bool)
    for train, test in splits_of(_N_FOLDS, X, Y, groups):
        params = groups_for(model, None if groups is None else groups[train])
        params |= weights_for(model, None if weights is None else weights[train])
        scorer = fit_scorer(model, take_rows(X, train), Y[train], params)
        parts = take_rows(X, test)
        found = scorer.scores(parts, method), scorer.scores(parts, "predict")
        ends = (constant_scores(scorer.constants, how) for how in (method, "predict"))
        of_scores, of_rule = (
            np.where(np.isnan(one), end, one) for one, end in zip(found, ends, strict=True)
        )
        scores[test], decided[test] = of_scores, of_rule == 1
    return HeldOut(np.arange(len(Y)), scores, decided)
