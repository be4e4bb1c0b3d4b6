"""Held-out scores: each fold is scored by a model fitted to the other folds.

`splits_of` turns any value of scikit-learn's argument `cv` into checked row numbers of each split.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from labelwise._estimators._scores import LabelScorer, fit_scorer, scoring_method
from labelwise._estimators._targets import constant_labels
from labelwise._validation import is_whole, n_rows, take_rows
from labelwise.splitting import MultilabelStratifiedKFold

Splits = list[tuple[np.ndarray, np.ndarray]]


class HeldOutScores(NamedTuple):
    """Scores of samples by models fitted to other samples, fold by fold."""

    scores: Any  # (n_scored, n_labels), dense or CSR
    rows: np.ndarray  # (n_scored,), index of the sample
    folds: np.ndarray  # (n_scored,), number of the fold

    @classmethod
    def of_one_fold(cls, scores: Any, rows: np.ndarray) -> HeldOutScores:
        """Return scores that were not made in folds."""
        return cls(scores, rows, np.zeros(rows.size, dtype=np.intp))

    @classmethod
    def of_splits(cls, scores: Any, splits: Splits) -> HeldOutScores:
        """Return scores of the test samples of each split, one split after the other."""
        tests = [test for _, test in splits]
        folds = np.repeat(np.arange(len(tests)), [*map(len, tests)])
        return cls(scores, np.concatenate(tests), folds)


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
    found = HeldOutScores.of_splits(np.concatenate([scores for scores, _ in parts]), splits)
    _fill_constants(found, np.array([constants for _, constants in parts]), method)
    return found


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
        nothing = HeldOutScores.of_one_fold(np.empty((len(Y), 0)), np.arange(len(Y)))
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
    held_out = HeldOutScores.of_splits(scores, splits)
    by_fold = np.array([constant_labels(Y[train][:, varies]) for train, _ in splits])
    scores[~np.isnan(by_fold)[held_out.folds]] = np.nan
    _fill_constants(held_out, by_fold, method)
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


def _fill_constants(held_out: HeldOutScores, constants: np.ndarray, method: str) -> None:
    """Replace NaN, in place, for labels with one class in a training part."""
    scores, _, folds = held_out
    for j in np.flatnonzero(np.isnan(scores).any(axis=0)):
        gone = np.isnan(scores[:, j])
        ends = (0.0, 1.0)
        if method != "predict_proba" and not gone.all():
            ends = float(scores[~gone, j].min()), float(scores[~gone, j].max())
        scores[gone, j] = np.where(constants[folds[gone], j] == 1, ends[1], ends[0])


def splits_of(cv: Any, X: Any, Y: Any, groups: Any = None) -> Splits:
    """Return the numbers of the training samples and of the test samples of each split, checked.

    A number means that many folds of `MultilabelStratifiedKFold`. Other splits are those of a
    splitter, or pairs of row numbers or of boolean masks of all rows.
    """
    if is_whole(cv):
        cv = MultilabelStratifiedKFold(int(cv))
    if hasattr(cv, "split") and not isinstance(cv, str):
        pairs = list(cv.split(X, Y, groups))
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        pairs = list(cv)
    else:
        raise TypeError(f"cv must be a number of folds, a splitter or pairs of rows, got {cv!r}.")
    if not pairs:
        raise ValueError("cv must give a split, got none.")
    return [_checked(pair, k, n_rows(Y)) for k, pair in enumerate(pairs)]


def splits_within(splits: Splits, rows: np.ndarray, n_samples: int) -> Splits:
    """Return splits without all samples but those of some rows, by their numbers among these."""
    number = np.full(n_samples, -1)
    number[rows] = np.arange(rows.size)
    pairs = ((number[train], number[test]) for train, test in splits)
    return [(train[train >= 0], test[test >= 0]) for train, test in pairs]


def _checked(pair: Any, split: int, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts of a split as row numbers; warn if they have rows in common."""
    if not hasattr(pair, "__len__") or len(pair) != 2:
        raise ValueError(f"cv must give pairs (train, test), got {pair!r} as split {split}.")
    train, test = (
        _rows(part, f"the {name} part of split {split}", n_samples)
        for part, name in zip(pair, ("training", "test"), strict=True)
    )
    trained = np.zeros(n_samples, dtype=bool)
    trained[train] = True
    n_shared = int(trained[test].sum())
    if n_shared:
        warnings.warn(
            f"cv puts {n_shared} of the {test.size} test samples of split {split} into the "
            "training part too: their scores are not held out.",
            stacklevel=5,
        )
    return train, test


def _rows(part: Any, name: str, n_samples: int) -> np.ndarray:
    """Return the row numbers of a part that is given as row numbers or as a mask."""
    rows = np.asarray(part)
    if rows.dtype.kind == "b":
        if rows.shape != (n_samples,):
            raise ValueError(
                f"cv must give masks of all {n_samples} rows, got shape {rows.shape} as {name}."
            )
        rows = np.flatnonzero(rows)
    if rows.size == 0:
        raise ValueError(f"cv must give every part a row, got none in {name}.")
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise TypeError(
            "cv must give 1-D row numbers or boolean masks, "
            f"got {rows.dtype} of shape {rows.shape} as {name}."
        )
    outside = (rows < 0) | (rows >= n_samples)
    if outside.any():
        raise ValueError(
            f"cv must give rows from 0 to {n_samples - 1}, got {rows[outside][0]} in {name}."
        )
    return rows
