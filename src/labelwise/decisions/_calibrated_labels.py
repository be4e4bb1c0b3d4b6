"""Estimators that calibrate scores label by label: those of an estimator, or given ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import MetaEstimatorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    HeldOutScores,
    LabelScorer,
    LabelTarget,
    ProbabilityClassifier,
    Splits,
    as_label_column,
    check_target,
    check_y_given,
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
    splits_within,
    store_target,
    warn_of_constants,
)
from labelwise._sigmoids import fit_sigmoids
from labelwise._tuning._scores_to_tune_on import target_of_fitted
from labelwise._validation import (
    check_outcome,
    check_readable,
    check_scores,
    check_weights,
    columns_in_order,
    dense_targets,
    refuse_other_index,
    refuse_sparse,
    take_rows,
)

_DENSE = "a dense array or a frame"  # a calibration needs the score of every cell


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
        An int is the number of folds of `MultilabelStratifiedKFold`, the same in every call. Both
        parts of a pair are row numbers or boolean masks of all samples.
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
    _counts_weights = True

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
            Features of the samples, in any form that the estimator takes.
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
            Passed to the ``fit`` of the estimator.

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
        _check_method(self.method)
        scoring_method(self.estimator)
        refuse_prefit(self)
        refuse_other_index(X=X, y=y, groups=groups, sample_weight=sample_weight)
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
            cells = scores[:, varies], targets[counted][:, varies], weights[counted]
            self.calibrators_ = _fit_calibrators(self.method, *cells)
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
            rows = held_out.rows[~is_here]
            cells = held_out.scores[~is_here], targets[rows], weights[rows]
            for j, calibrator in enumerate(_fit_calibrators(self.method, *cells)):
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
        cells = Y[held_out.rows][:, np.isnan(self.constants_)], weights[held_out.rows]
        self.calibrators_ = _fit_calibrators(self.method, held_out.scores, *cells)
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
        scores = scorer.scores(X, scoring_method(self.estimator))
        return _calibrated(self.calibrators_, self.constants_, scores)

    def _splits(self, X: Any, Y: np.ndarray, groups: Any, counted: np.ndarray) -> Splits:
        """Return the splits of `cv` without rows of weight 0, by numbers of the other rows.

        The splitter gets only the labels that have both classes.
        """
        varies = np.isnan(self.constants_)
        splits = splits_of(self.cv, X, Y[:, varies], groups) if varies.any() else []
        return splits if counted.size == len(Y) else splits_within(splits, counted, len(Y))


class CalibratedScores(ProbabilityClassifier):
    """Turn the scores of any model into probabilities of labels.

    Each label has its own calibration, which maps its scores to the observed shares of positives.
    It is fitted to scores and labels of samples that the model was not fitted to, and needs no
    model: `CalibratedLabels` does the same for the held-out scores of an estimator.

    Parameters
    ----------
    method : {"isotonic", "sigmoid"}, default="isotonic"
        As in `CalibratedLabels`: the non-decreasing step function of least squared error, or
        1 / (1 + exp(-(a · score + b))), which serves labels with few positives better.

    Attributes
    ----------
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
        Names of the labels, or None if neither scores nor labels have names.

    See Also
    --------
    CalibratedLabels : Calibrate the held-out scores of an estimator.
    labelwise.learners.blend : Blend the scores of several models.

    References
    ----------
    J. Platt, "Probabilistic Outputs for Support Vector Machines and Comparisons to Regularized
    Likelihood Methods", 1999.

    B. Zadrozny, C. Elkan, "Transforming Classifier Scores into Accurate Multiclass Probability
    Estimates", KDD 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import CalibratedScores
    >>> random = np.random.default_rng(0)
    >>> Y = random.random((1000, 2)) < [0.5, 0.1]
    >>> scores = 4 * Y + random.normal(size=Y.shape)
    >>> calibrated = CalibratedScores(method="sigmoid").fit(scores[:500], Y[:500])
    >>> proba = calibrated.predict_proba(scores[500:])
    >>> bool(abs(proba.mean() - Y[500:].mean()) < 0.02)
    True
    """

    def __init__(self, *, method: str = "isotonic") -> None:
        self.method = method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CalibratedScores:
        """Fit the calibration of each label.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_labels)
            Finite scores of the labels, dense. Columns of frames are matched with those of y by
            name, and rows of pandas frames by their index if both have one.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
            NaN, null or a masked cell is a missing label: the label is calibrated on the samples
            that have it.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. A sample of weight 2 counts as two, one
            of weight 0 is ignored.

        Returns
        -------
        CalibratedScores
            The fitted object itself.

        Raises
        ------
        TypeError, ValueError
            If `method` is unknown, if X is sparse, or if samples or labels do not match.
        """
        _check_method(self.method)
        refuse_sparse(X, "X", _DENSE)
        check_y_given(self, y)
        labels, classes = as_label_column(y)
        outcome = check_outcome(
            labels, scores=X, allow_missing=True, labels_of="scores", scores_name="X"
        )
        matrix: Any = outcome.scores
        matrix = matrix.toarray() if sparse.issparse(matrix) else matrix
        targets = dense_targets(outcome.Y, outcome.missing)
        n_samples = len(targets)
        weights = np.ones(n_samples)
        if sample_weight is not None:
            of_rows = outcome.in_order(sample_weight, "sample_weight")
            weights = check_weights(of_rows, n_samples)
        counted = weights > 0
        self.constants_ = constant_labels(targets[counted])
        warn_of_constants(self.constants_, outcome.names)
        varies = np.isnan(self.constants_)
        self.calibrators_ = _fit_calibrators(
            self.method, matrix[counted][:, varies], targets[counted][:, varies], weights[counted]
        )
        store_target(self, LabelTarget(outcome.Y, outcome.names, classes, outcome.missing))
        return self

    def _proba(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        refuse_sparse(X, "X", _DENSE)
        checked = check_scores(X, input_name="X")
        matrix: Any = checked.matrix
        if self.label_names_ is not None and checked.names is not None:
            matrix = matrix[:, columns_in_order(self.label_names_, checked.names, "X")]
        if matrix.shape[1] != self.constants_.size:
            raise ValueError(
                f"X must have a column of scores for each of {self.constants_.size} labels, got "
                f"{matrix.shape[1]}."
            )
        return _calibrated(self.calibrators_, self.constants_, matrix)

    def _check_learned(self, n_labels: int) -> None:
        n_varying, fitted = int(np.isnan(self.constants_).sum()), len([*self.calibrators_])
        if fitted != n_varying:
            raise ValueError(f"calibrators_ must be those of {n_varying} of {n_labels} labels")


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


def _check_method(method: str) -> None:
    if method not in _FITTERS:
        raise ValueError(f'method must be "isotonic" or "sigmoid", got {method!r}.')


def _fit_calibrators(
    method: str, scores: np.ndarray, Y: np.ndarray, weights: np.ndarray
) -> list[Any]:
    """Fit the calibration of each column of scores; labels are NaN where there is no truth."""
    fitted = []
    for column, labels in zip(scores.T, Y.T, strict=True):
        known = ~np.isnan(labels)
        fitted.append(_FITTERS[method](column[known], labels[known], weights[known]))
    return fitted


def _calibrated(calibrators: list[Any], constants: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the probabilities of all labels, those of one class included."""
    proba = np.tile(constants, (len(scores), 1))
    for j, calibrator in zip(np.flatnonzero(np.isnan(constants)), calibrators, strict=True):
        proba[:, j] = calibrator.predict(scores[:, j])
    return proba
