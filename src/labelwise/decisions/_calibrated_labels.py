"""An estimator that calibrates the scores of any multi-label estimator, label by label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.base import MetaEstimatorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    HeldOutScores,
    LabelScorer,
    ProbabilityClassifier,
    check_target,
    constant_labels,
    copy_feature_attributes,
    cut_params,
    fit_and_score_folds,
    refuse_prefit,
    routed_to_fit,
    router_with_folds,
    score_matrix,
    scoring_method,
    splits_of,
    store_target,
    warn_of_constants,
)
from labelwise._sigmoids import fit_sigmoids
from labelwise._tuning import Splits
from labelwise._tuning._scores_to_tune_on import target_of_fitted
from labelwise._validation import check_readable, check_weights, dense_targets, take_rows


def _scores_folds(wrapper: Any) -> bool:
    """Return whether the estimator scores folds while it is fitted, for `available_if`."""
    return hasattr(wrapper.estimator, "fit_scoring_folds")


class CalibratedLabels(MetaEstimatorMixin, ProbabilityClassifier):
    """Turn scores of any multi-label estimator into probabilities of labels.

    Each label has its own calibration: held-out scores of the label, from one cross-validation of
    the estimator, are mapped to the observed shares of positives; then the estimator is fitted to
    all samples. scikit-learn's ``CalibratedClassifierCV`` does this for a single label.

    Parameters
    ----------
    estimator : estimator with fit and with decision_function or predict_proba
        A multi-label estimator. Its `decision_function` is used if there is one. An estimator
        that was fitted to other samples is given as a `sklearn.frozen.FrozenEstimator`: its scores
        of all samples given to `fit` are calibrated, without folds.
    method : {"isotonic", "sigmoid"}, default="isotonic"
        "isotonic" fits the non-decreasing step function with the least squared error, for labels
        with many samples. "sigmoid" fits 1 / (1 + exp(-(a · score + b))) by maximum likelihood,
        with Platt's targets between 0 and 1; it has two parameters per label, and so serves rare
        labels as well.
    cv : int, splitter or iterable of (train, test), default=5
        A whole number is the number of folds of `MultilabelStratifiedKFold`, with the same folds in
        every call. The parts of pairs are row numbers or boolean masks of all rows.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Folds are fitted in parallel. None
        means 1, -1 means all cores.

    Attributes
    ----------
    estimator_ : estimator or None
        The estimator fitted to all samples and to the labels that have both classes; None if no
        label has both.
    calibrators_ : list of objects with a method predict
        One for each label that has both classes; ``predict`` maps scores to probabilities.
    constants_ : ndarray of shape (n_labels,)
        The class of labels that have only one, 0 or 1, which is always predicted; NaN for all
        other labels. `fit` warns of such labels.
    classes_ : ndarray of shape (n_labels,)
        Numbers of the labels, from 0; the classes of y if it was a vector.
    target_classes_ : ndarray of shape (n_classes,) or None
        The classes of y if it was a vector, otherwise None.
    label_names_ : tuple of str or None
        Names of the labels, or None if the labels have no names.
    n_features_in_ : int
        Number of features, if the fitted estimator has this attribute.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the fitted estimator has this attribute.

    See Also
    --------
    maximize_expected_f_independent : Find list of sets from the probabilities.
    TunedThresholds : Tune thresholds of the scores instead.

    Notes
    -----
    Both calibrations count samples by weight: a sample of weight 2 counts as two samples. A
    splitter does not get the weights. With scikit-learn's metadata routing, the requests of this
    object, of the estimator and of the splitter decide which of them get `sample_weight` and
    `groups`.

    References
    ----------
    J. Platt, "Probabilistic Outputs for Support Vector Machines and Comparisons to Regularized
    Likelihood Methods", 1999.

    B. Zadrozny, C. Elkan, "Transforming Classifier Scores into Accurate Multiclass Probability
    Estimates", KDD 2002.

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

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self, estimator: Any, *, method: str = "isotonic", cv: Any = 5, n_jobs: int | None = None
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **params: Any
    ) -> CalibratedLabels:
        """Fit the estimator, and the calibration to its held-out scores.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            Features of the samples, as the estimator takes them.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
            NaN, null or a masked cell is a missing label: the label is calibrated on the samples
            that have it, and the estimator gets NaN, which `BinaryRelevance` takes.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. It counts in the estimator and in the
            calibration. A sample of weight 0 is ignored. With None, all samples have weight 1.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together. They are in the same fold of the
            splitter, and of an estimator that takes groups for folds of its own.
        **params : dict
            Passed to the estimator's ``fit``.

        Returns
        -------
        CalibratedLabels
            The fitted object itself.

        Raises
        ------
        ValueError
            If `method` is unknown, if there are no labels, or if `X` and the labels do not have the
            same number of samples.
        TypeError
            If the estimator has neither `decision_function` nor `predict_proba`.
        """
        if self.method not in _FITTERS:
            raise ValueError(f'method must be "isotonic" or "sigmoid", got {self.method!r}.')
        scoring_method(self.estimator)
        refuse_prefit(self)
        is_frozen = isinstance(self.estimator, FrozenEstimator)
        if is_frozen:
            labels = target_of_fitted(self, self.estimator.estimator, X, y)
        else:
            labels = check_target(self, X, y, allow_missing=True)
        n_samples = labels.matrix.shape[0]
        is_weighted = sample_weight is not None
        weights = check_weights(sample_weight, n_samples) if is_weighted else np.ones(n_samples)
        groups, fit_params = routed_to_fit(self, sample_weight, groups, params, "calibration")
        targets = dense_targets(labels.matrix, labels.missing)
        # A label may have one class only among the samples that count.
        counted = np.flatnonzero(weights)
        self.constants_ = constant_labels(targets[counted])
        warn_of_constants(self.constants_, labels.names)
        self.calibrators_ = []
        if is_frozen:
            self.estimator_ = self.estimator.estimator
            scores = score_matrix(self.estimator_, X, targets.shape[1])[counted]
            varies = np.isnan(self.constants_)
            held_out = HeldOutScores(scores[:, varies], counted, np.zeros_like(counted))
            self.calibrators_ = self._fit_calibrators(held_out, targets, weights)
            store_target(self, labels)
            copy_feature_attributes(self, self.estimator_)
            return self
        splits = self._splits(X, targets, groups, counted)
        fit_params = cut_params(fit_params, counted, len(targets))
        rows = X if counted.size == len(targets) else take_rows(X, counted)
        self._fit_with_folds(rows, targets[counted], splits, fit_params, weights[counted])
        store_target(self, labels)
        copy_feature_attributes(self, self.estimator_)
        return self

    @available_if(_scores_folds)  # type: ignore[untyped-decorator]
    def fit_scoring_folds(
        self,
        X: Any,
        y: Any,
        splits: Splits,
        sample_weight: Any = None,
        *,
        report: Callable[[str], None] | None = None,
    ) -> np.ndarray:
        """Calibrate the estimator, and score held-out samples in the same pass.

        The folds of the calibration are `splits` instead of `cv`. Only if the estimator has this
        method, too.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            Features of the samples.
        y : array of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1, or NaN for a missing label; each label has both classes.
        splits : list of (train, test)
            Numbers of the training and of the test samples of each fold.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, above 0.
        report : callable, default=None
            Called with a line of progress after each part of the work. An error that it raises ends
            the fit.

        Returns
        -------
        ndarray of shape (n_tested, n_labels)
            Probabilities for the test samples, fold after fold, by calibrations on other folds.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.
        """
        labels = check_target(self, X, y, allow_missing=True)
        targets = dense_targets(labels.matrix, labels.missing)
        self.constants_ = constant_labels(targets)
        fit_params = {} if sample_weight is None else {"sample_weight": sample_weight}
        weights = np.ones(len(targets)) if sample_weight is None else np.asarray(sample_weight)
        held_out = self._fit_with_folds(X, targets, splits, fit_params, weights, report)
        store_target(self, labels)
        copy_feature_attributes(self, self.estimator_)
        scores = np.array(held_out.scores)
        for fold in np.unique(held_out.folds):
            is_here = held_out.folds == fold
            others = HeldOutScores(*(part[~is_here] for part in held_out))
            fitted = self._fit_calibrators(others, targets, weights)
            for j, calibrator in enumerate(fitted):
                scores[is_here, j] = calibrator.predict(scores[is_here, j])
        return scores

    def _fit_with_folds(
        self,
        X: Any,
        Y: np.ndarray,
        splits: Splits,
        fit_params: dict[str, Any],
        weights: np.ndarray,
        report: Callable[[str], None] | None = None,
    ) -> HeldOutScores:
        """Fit the estimator to all samples and to folds, and calibrate it; return its scores.

        The scores are those of the labels that have both classes.
        """
        held_out, scorer = fit_and_score_folds(
            self.estimator,
            X,
            Y,
            splits,
            method=scoring_method(self.estimator),
            fit_params=fit_params,
            n_jobs=self.n_jobs,
            report=report,
        )
        self.estimator_ = scorer.estimator
        self.calibrators_ = self._fit_calibrators(held_out, Y, weights)
        return held_out

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing of this object, its estimator and its splitter.

        Returns
        -------
        MetadataRouter
            Description of which of them receive the arguments of `fit`, for scikit-learn.
        """
        return router_with_folds(self)

    def _decided(self, X: Any) -> np.ndarray:
        return self._proba(X) >= 0.5

    def _proba(self, X: Any) -> np.ndarray:
        """Return the calibrated probabilities, of shape (n_samples, n_labels)."""
        check_is_fitted(self)
        check_readable(X, "X")
        is_frozen = isinstance(self.estimator, FrozenEstimator)
        # A frozen estimator scores all labels, also those with one class in the calibration.
        constants = np.full_like(self.constants_, np.nan) if is_frozen else self.constants_
        scorer = LabelScorer(self.estimator_, constants)
        proba = scorer.scores(X, scoring_method(self.estimator))
        varying = np.flatnonzero(np.isnan(self.constants_))
        for j, calibrator in zip(varying, self.calibrators_, strict=True):
            proba[:, j] = calibrator.predict(proba[:, j])
        return np.where(np.isnan(self.constants_), proba, self.constants_)

    def _splits(self, X: Any, Y: np.ndarray, groups: Any, counted: np.ndarray) -> Splits:
        """Return the splits of `cv` without rows of weight 0, by numbers of the other rows.

        The splitter gets only the labels that have both classes.
        """
        varies = np.isnan(self.constants_)
        splits = splits_of(self.cv, X, Y[:, varies], groups) if varies.any() else []
        if counted.size == len(Y):
            return splits
        number = np.full(len(Y), -1)
        number[counted] = np.arange(counted.size)
        pairs = ((number[train], number[test]) for train, test in splits)
        return [(train[train >= 0], test[test >= 0]) for train, test in pairs]

    def _fit_calibrators(
        self, held_out: HeldOutScores, Y: np.ndarray, weights: np.ndarray
    ) -> list[Any]:
        """Return the calibrators of the labels that have both classes."""
        fitted = []
        for k, j in enumerate(np.flatnonzero(np.isnan(self.constants_))):
            # Labels without truth are NaN.
            known = np.flatnonzero(~np.isnan(Y[held_out.rows, j]))
            rows = held_out.rows[known]
            fit = _FITTERS[self.method]
            fitted.append(fit(held_out.scores[known, k], Y[rows, j], weights[rows]))
        return fitted


@dataclass(frozen=True)
class Sigmoid:
    """The probability 1 / (1 + exp(-(slope · score + intercept))) of a score.

    Attributes
    ----------
    slope : float
        Factor of the score.
    intercept : float
        Log-odds at score 0.
    """

    slope: float
    intercept: float

    def predict(self, scores: np.ndarray) -> np.ndarray:
        """Return the probability of each score.

        Parameters
        ----------
        scores : ndarray of shape (n_samples,)
            Scores of one label.

        Returns
        -------
        ndarray of shape (n_samples,)
            Probabilities between 0 and 1.
        """
        return np.asarray(expit(self.slope * scores + self.intercept))

    def _check_loaded(self) -> None:
        """Refuse values of a model file unless both are numbers."""
        if type(self.slope) is not float or type(self.intercept) is not float:
            raise ValueError("a sigmoid must have a slope and an intercept")


def _fit_sigmoid(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> Sigmoid:
    """Fit the sigmoid of one label."""
    found = fit_sigmoids(scores[:, None], labels[:, None], weights)
    return Sigmoid(float(found.slopes[0]), float(found.intercepts[0]))


def _fit_isotonic(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> Any:
    """Fit the non-decreasing function of the score with the least weighted squared error."""
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return model.fit(scores, labels, sample_weight=weights)


_FITTERS = {"isotonic": _fit_isotonic, "sigmoid": _fit_sigmoid}
