"""Probabilities that keep their word, label by label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from labelwise._validation import check_labels
from labelwise.decisions._score_matrix import (
    LabelScorer,
    as_multilabel,
    constant_labels,
    fit_scorer,
    held_out_scores,
    scoring_method,
    warn_of_constants,
)


class CalibratedLabels(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Turn the scores of any multi-label estimator into probabilities, label by label.

    Each label's scores are held out by one cross-validation and mapped to the observed shares of
    positives; then the estimator is fitted to all samples. scikit-learn's
    ``CalibratedClassifierCV`` does this for one label.

    Parameters
    ----------
    estimator : object with fit and decision_function or predict_proba
        A multi-label estimator; `decision_function` is asked if there is one.
    method : {"isotonic", "sigmoid"}
        "isotonic": the rising step function nearest to the data, for labels with plenty of
        samples. "sigmoid": 1 / (1 + exp(-(a · score + b))) by Platt's likelihood, with targets
        drawn in from 0 and 1; two numbers a label, so it also serves rare ones.
    cv : int, splitter or iterable of (train, test)
        A number means so many folds of `MultilabelStratifiedKFold`, the same ones every time.
        Parts of pairs are row numbers or boolean masks of all rows.
    n_jobs : int, optional
        Folds at a time.

    Attributes
    ----------
    estimator_ : object
        Fitted to all samples, and to the labels that have both classes; None if none has.
    calibrators_ : list
        Has, for each label with both classes, an object whose ``predict`` maps scores to
        probabilities.
    constants_ : array of shape (n_labels,)
        0 or 1 for labels with one class, which they always get, and of which a warning tells;
        NaN for all others.
    classes_ : array of shape (n_labels,)
        Numbers of the labels.

    References
    ----------
    Platt, Probabilistic Outputs for Support Vector Machines, 1999. Zadrozny and Elkan, Transforming
    Classifier Scores into Accurate Multiclass Probability Estimates, 2002.

    Examples
    --------
    >>> from sklearn.multioutput import ClassifierChain
    >>> from sklearn.svm import LinearSVC
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.decisions import CalibratedLabels, maximize_expected_f_independent
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = CalibratedLabels(ClassifierChain(LinearSVC()), method="sigmoid")
    >>> proba = model.fit(data.X, data.Y).predict_proba(data.X)
    >>> bool(((proba > 0) & (proba < 1)).all())
    True
    >>> decided, value = maximize_expected_f_independent(proba)
    """

    def __init__(
        self, estimator: Any, *, method: str = "isotonic", cv: Any = 5, n_jobs: int | None = None
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, Y: Any) -> CalibratedLabels:
        """Learn the probabilities of scores, and fit the estimator to all samples."""
        if self.method not in _FITTERS:
            raise ValueError(f'method must be "isotonic" or "sigmoid", got {self.method!r}.')
        if Y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        scoring_method(self.estimator)
        matrix, names = check_labels(Y)
        check_consistent_length(X, matrix)
        self.constants_ = constant_labels(matrix)
        warn_of_constants(self.constants_, names)
        targets = matrix.toarray().astype(np.int64)
        self.calibrators_ = self._fit_calibrators(X, targets[:, np.isnan(self.constants_)])
        self.estimator_ = fit_scorer(self.estimator, X, targets).estimator
        self.classes_ = np.arange(targets.shape[1])
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return P(y_label = 1) of shape (n_samples, n_labels)."""
        check_is_fitted(self)
        scorer = LabelScorer(self.estimator_, self.constants_)
        proba = scorer.scores(X, scoring_method(self.estimator))
        varying = np.flatnonzero(np.isnan(self.constants_))
        for j, calibrator in zip(varying, self.calibrators_, strict=True):
            proba[:, j] = calibrator.predict(proba[:, j])
        return np.where(np.isnan(self.constants_), proba, self.constants_)

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 where a label is at least as probable as not."""
        return (self.predict_proba(X) >= 0.5).astype(np.int64)

    def _fit_calibrators(self, X: Any, Y: np.ndarray) -> list[Any]:
        if Y.shape[1] == 0:
            return []
        held_out = held_out_scores(self.estimator, X, Y, self.cv, n_jobs=self.n_jobs)
        columns = zip(held_out.scores.T, Y[held_out.rows].T, strict=True)
        return [_FITTERS[self.method](scores, labels) for scores, labels in columns]

    def __sklearn_tags__(self) -> Any:
        return as_multilabel(super().__sklearn_tags__(), like=self.estimator)


@dataclass(frozen=True)
class Sigmoid:
    """The probability 1 / (1 + exp(-(slope · score + intercept)))."""

    slope: float
    intercept: float

    def predict(self, scores: np.ndarray) -> np.ndarray:
        """Return the probability of each score."""
        return np.asarray(expit(self.slope * scores + self.intercept))


def _fit_sigmoid(scores: np.ndarray, labels: np.ndarray) -> Sigmoid:
    """Return the likeliest sigmoid for Platt's targets, (N+ + 1) / (N+ + 2) and 1 / (N- + 2)."""
    from sklearn.linear_model import LogisticRegression

    n_positive = int(labels.sum())
    n_negative = labels.size - n_positive
    target = np.where(labels == 1, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    centre, spread = scores.mean(), scores.std()
    if spread <= 1e-12 * np.abs(scores).max():
        return Sigmoid(0.0, float(logit(target.mean())))
    # Each sample counts as positive to the degree of its target, and as negative for the rest.
    twice = np.tile((scores - centre) / spread, 2)[:, None]
    classes = np.repeat([1, 0], labels.size)
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8)
    model.fit(twice, classes, sample_weight=np.concatenate([target, 1 - target]))
    slope = float(model.coef_[0, 0] / spread)
    return Sigmoid(slope, float(model.intercept_[0] - slope * centre))


def _fit_isotonic(scores: np.ndarray, labels: np.ndarray) -> Any:
    """Return the rising function of the score with the least squared error."""
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, labels)


_FITTERS = {"isotonic": _fit_isotonic, "sigmoid": _fit_sigmoid}
