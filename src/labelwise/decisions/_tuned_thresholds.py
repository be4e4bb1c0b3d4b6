"""The estimator `TunedThresholds`: any multi-label estimator with thresholds tuned by cv."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    LabelScorer,
    LabelTarget,
    ProbabilityClassifier,
    ScoringClassifier,
    check_target,
    constant_labels,
    copy_feature_attributes,
    refuse_prefit,
    report_progress,
    routed_to_fit,
    router_with_folds,
    scoring_method,
    splits_of,
    store_target,
)
from labelwise._text import counted
from labelwise._tuning._cross_fitting import (
    tune_and_correct,
    warn_of_broken_constraints,
)
from labelwise._tuning._result import Thresholds, check_thresholds
from labelwise._tuning._scores_to_tune_on import (
    Samples,
    TuningScores,
    fold_scores,
    guarantee_problem,
    is_oob,
    oob_scores,
    prefit_scores,
    split_scores,
    target_of_fitted,
    thresholds_of_no_label,
    tuning_problem,
    with_constant_labels,
    with_current_options,
)
from labelwise._tuning._slices import request_in_slices, with_slices
from labelwise._tuning.objectives._option_values import is_nested, with_amount
from labelwise._tuning.objectives._request import Certify, Request, options
from labelwise._tuning.problem._problem import (
    Problem,
    check_sample_weights,
    warn_of_labels_without_positives,
)
from labelwise._validation import (
    check_readable,
    dense_targets,
    is_whole,
    refuse_other_index,
    slice_texts,
)


def _estimator_has(name: str) -> Callable[[Any], bool]:
    """Build a predicate for `available_if`: whether the estimator has a method."""
    return lambda self: hasattr(self.estimator, name)


class TunedThresholds(MetaEstimatorMixin, ScoringClassifier, ProbabilityClassifier):
    """Decide the labels of any multi-label estimator at tuned thresholds.

    Cross-validation gives each sample scores of a model that was not fitted to it. The scores of
    all folds are pooled, and thresholds are tuned on them once, as by `best_thresholds`. Then the
    estimator is fitted to all samples. scikit-learn's ``TunedThresholdClassifierCV`` does this
    for one label, on a grid of thresholds.

    Parameters
    ----------
    estimator : estimator with fit and decision_function or predict_proba
        A multi-label estimator; scores come from `decision_function` if it has both. One that is
        already fitted comes as ``sklearn.frozen.FrozenEstimator(fitted)``: its thresholds are
        tuned on all given samples, which should not be those that it was fitted to.
    maximize : str or callable, default="micro-f"
        The measure to maximise: average and measure by name, or a measure of counts, as in
        `best_thresholds`.
    average : {"micro", "macro", "sample"}, default=None
        How a measure is averaged that `maximize` gives as a function; None means "micro".
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    cv : int, splitter, iterable of (train, test) or "oob", default=5
        An int is the number of folds of `MultilabelStratifiedKFold`, the same in every call. Both
        parts of a pair are row numbers or boolean masks of all samples. "oob": the estimator, such
        as `LabelForest`, scores each sample by the trees that have not seen it, so that it is
        fitted only once. Not used with a `FrozenEstimator`.
    refit : bool, default=True
        Whether the estimator is fitted again to all samples. If False, `cv` must give a single
        split, and the estimator that was fitted to its training part is used.
    shared : bool, default=False
        Whether all labels have the same threshold.
    shrink : float or "auto", default="auto"
        Amount of shrinkage towards one threshold for all labels, as in `best_thresholds`. "auto",
        which generalises best, means 0 with options that exclude shrinkage: `shared`, `fbr`,
        `cost`, constraints and the average "sample".
    fbr : float, "auto", "nested" or pair of these and a rule, default=None
        F below which the threshold of a label is raised, as in `best_thresholds`. "auto" chooses it
        by folds of the pooled held-out scores. "nested" is the mean of what each training part of
        `cv` chooses on held-out scores of its own: models of inner folds by the same `cv`, which
        is a number or a splitter. That takes as many times as many fits as there are folds.
    min_precision, min_recall : float, default=None
        Lower bounds on precision and recall, as in `best_thresholds`.
    max_decisions : int, float or str, default=None
        Upper bound on the number of decisions on the pooled scores, as in `best_thresholds`.
    cost : pair of float or of array-like of shape (n_labels,), default=None
        Costs of a false positive and of a false negative; their total is minimised.
    guarantee : float, "expectation" or Certify, default=None
        Probability with which `min_precision` and `min_recall` hold on new samples, as in
        `best_thresholds`. A guarantee is for one model, so that it needs a `FrozenEstimator`, or
        ``refit=False`` with a `cv` that gives a single split; the held-out samples are then
        split into those for tuning and those for calibration.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Folds are fitted in parallel.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the folds behind
        "auto", those behind `corrected_value_` if `cv` has one fold, and the samples for
        calibration.
    verbose : int, default=0
        1 writes progress to the standard error stream. An estimator that scores all folds at once,
        such as `BinaryRelevance`, reports its progress by its own `verbose`.

    Attributes
    ----------
    estimator_ : estimator or None
        The estimator fitted to the labels that have both classes; None if no label has.
    thresholds_ : Thresholds
        Thresholds of all labels, with their names if Y has names.
    value_ : float
        The value on the held-out scores that the thresholds were tuned on, for the labels that
        have both classes; NaN if no label has.
    corrected_value_ : float
        The cross-validated value: each fold is decided by thresholds tuned on the scores of all
        others, and the decisions are measured together. No model is fitted for it. The scores of
        a single split are assigned to five random folds. Labels or samples for which the measure
        is not defined are left out. NaN if the other folds give no thresholds. With `guarantee`,
        the value on the samples for calibration.
    constants_ : ndarray of shape (n_labels,)
        The class of labels with one class in training, 0 or 1, which is always predicted for
        them (with a warning in `fit`); NaN for all other labels, and for all labels of a
        `FrozenEstimator`.
    classes_ : ndarray of shape (n_labels,)
        Numbers of the labels; the classes of y if it was a vector.
    target_classes_ : ndarray of shape (n_classes,) or None
        The classes of y if it was a vector, otherwise None. With a `FrozenEstimator`, the two
        classes that it was fitted to.
    label_names_ : tuple of str or None
        Names of the labels if Y has names; with a `FrozenEstimator` its label names, by
        which the columns of Y are matched.
    n_features_in_ : int
        Number of features, if the estimator has this attribute.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the estimator has this attribute.

    See Also
    --------
    best_thresholds : Tune thresholds on given scores.

    Notes
    -----
    The samples of a group, and the scores of one sample in several folds of `cv`, are in the same
    fold behind "auto". For `corrected_value_`, no sample is decided by thresholds that were tuned
    on another sample of its group.

    References
    ----------
    I. Pillai, G. Fumera, F. Roli, "F-Measure Optimisation in Multi-label Classifiers", ICPR 2012
    (pillai2012), section 4: thresholds from the pooled scores of five folds.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.decisions import TunedThresholds
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = TunedThresholds(OneVsRestClassifier(LogisticRegression()), random_state=0)
    >>> decided = model.fit(data.X, data.Y).predict(data.X)
    >>> model.corrected_value_ <= model.value_
    True
    """

    # For scikit-learn's metadata routing: groups are those of the splitter.
    __metadata_request__fit: ClassVar = {"groups": UNUSED}
    _counts_weights = True

    def __init__(
        self,
        estimator: Any,
        *,
        maximize: str | Callable[..., Any] = "micro-f",
        average: str | None = None,
        beta: float = 1.0,
        cv: Any = 5,
        refit: bool = True,
        shared: bool = False,
        shrink: float | str = "auto",
        fbr: float | str | tuple[float | str, int] | None = None,
        min_precision: float | None = None,
        min_recall: float | None = None,
        max_decisions: int | float | str | None = None,
        cost: Any = None,
        guarantee: float | str | Certify | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.maximize = maximize
        self.average = average
        self.beta = beta
        self.cv = cv
        self.refit = refit
        self.shared = shared
        self.shrink = shrink
        self.fbr = fbr
        self.min_precision = min_precision
        self.min_recall = min_recall
        self.max_decisions = max_decisions
        self.cost = cost
        self.guarantee = guarantee
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        slices: Any = None,
        **params: Any,
    ) -> TunedThresholds:
        """Tune thresholds on held-out scores, and fit the estimator to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the samples, in any form that the estimator takes.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
            NaN, null or a masked cell is a missing label: thresholds are tuned on the samples that
            have the label, and the estimator gets NaN, which `BinaryRelevance` takes.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. It counts in the estimator and in the
            thresholds, as in `best_thresholds`. A sample of weight 0 is ignored. An estimator whose
            ``fit`` takes no weights is fitted without them, with a warning; in a pipeline, the
            last step gets them.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together. They are in the same fold of the
            splitter, of the choice of thresholds, and of an estimator that takes groups for folds
            of its own.
        slices : array of shape (n_samples,), default=None
            Slice of each sample; labels have thresholds of their own in every slice, as in
            `best_thresholds`. `predict` then needs the slices, too. The estimator does not get
            them.
        **params : dict
            Passed to the ``fit`` of the estimator. Under scikit-learn's metadata routing, the
            metadata requests of the estimator and of the splitter decide what they get,
            `sample_weight` and `groups` included.

        Returns
        -------
        TunedThresholds
            The fitted estimator itself.

        Raises
        ------
        TypeError, ValueError
            If an option or the labels are wrong, before any model is fitted.
        """
        scoring_method(self.estimator)
        refuse_prefit(self)
        refuse_other_index(X=X, y=y, groups=groups, sample_weight=sample_weight, slices=slices)
        labels = self._target(X, y)
        request = self._request(labels.matrix.shape[1])
        weights = check_sample_weights(sample_weight, labels.matrix)
        routed = routed_to_fit(self, sample_weight, groups, params, "thresholds")
        dense = dense_targets(labels.matrix, labels.missing)
        texts = None if slices is None else slice_texts(slices, len(dense))
        samples = Samples(X, dense, labels.names, *routed, weights, texts)
        samples, cv = samples.counted(None if self._is_prefit() else self.cv)
        scored = self._tuning_scores(samples, cv)
        if is_nested(self.fbr):
            request = self._request(labels.matrix.shape[1], self._nested_amount(request, samples))
        self.estimator_, self.constants_ = scored.scorer
        n_labels = counted(labels.matrix.shape[1], "label")
        report_progress(self, f"tuning the thresholds of {n_labels}")
        self.thresholds_ = self._tuned(request, scored, samples)
        self.value_ = self.thresholds_.value
        self.corrected_value_ = self.thresholds_.evidence.corrected_value
        store_target(self, labels)
        copy_feature_attributes(self, self.estimator_)
        return self

    def predict(self, X: Any, *, slices: Any = None) -> np.ndarray:
        """Decide each label where its score reaches the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples, or samples in another form that `fit` takes.
        slices : array of shape (n_samples,), default=None
            Slice of each sample, if `fit` got slices. Samples of other slices are decided by the
            thresholds of all slices together, with a warning.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            1 for labels that are decided, 0 for others, as int64. Labels that had one class in
            training are decided as there. After fitting to a vector, the predicted classes, of
            shape (n_samples,).

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite, or if slices
            are missing or not expected.
        """
        refuse_other_index(X=X, slices=slices)
        scores = self._scored(X, scoring_method(self.estimator))
        return self._predicted(self.thresholds_.decide(scores, slices=slices))

    decision_function = available_if(_estimator_has("decision_function"))(
        ScoringClassifier.decision_function
    )
    predict_proba = available_if(_estimator_has("predict_proba"))(
        ProbabilityClassifier.predict_proba
    )

    def get_metadata_routing(self) -> MetadataRouter:
        """Describe which metadata of `fit` goes to the estimator and to the splitter.

        Returns
        -------
        MetadataRouter
            The routing of scikit-learn.
        """
        return router_with_folds(self)

    def _is_prefit(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator)

    def _target(self, X: Any, y: Any) -> LabelTarget:
        """Check the labels; those that are missing go to the estimator as NaN."""
        if self._is_prefit():
            return target_of_fitted(self, self.estimator.estimator, X, y)
        return check_target(self, X, y, allow_missing=True)

    def _nested_amount(self, request: Request, samples: Samples) -> float:
        """Return the mean of the FBR amounts that the training parts choose by inner folds."""
        varies = np.isnan(constant_labels(samples.Y))
        splits = splits_of(self.cv, samples.X, samples.Y[:, varies], samples.groups)
        amounts = []
        for k, (train, _) in enumerate(splits):
            report_progress(self, f"inner folds of training part {k + 1} of {len(splits)}")
            part, _ = samples.part(train, [])
            with warnings.catch_warnings():
                # Labels that are rare in the whole may have one class in a part.
                warnings.filterwarnings("ignore", message=".*(one class|no positives)")
                scored = self._tuning_scores(part, self.cv)
            varies = np.isnan(scored.scorer.constants)
            if varies.any():
                problem, folds = tuning_problem(scored, part)
                found = self._solved(problem, request.for_labels(varies), folds)
                amounts.append(float(found.evidence.fbr or 0.0))
        return float(np.mean(amounts)) if amounts else 0.0

    def _request(self, n_labels: int, amount: float | None = None) -> Request:
        """Check what thresholds are tuned for, before any model is fitted.

        `amount` takes the place of a nested FBR; without it, "auto" is checked.
        """
        own = self.get_params(deep=False)
        if is_nested(self.fbr):
            if self._is_prefit() or not self.refit:
                raise ValueError('fbr="nested" needs an estimator that is fitted, and refit=True.')
            if not is_whole(self.cv) and not hasattr(self.cv, "get_n_splits"):
                raise ValueError(
                    f'fbr="nested" needs a cv that is a number or a splitter, got {self.cv!r}.'
                )
            own["fbr"] = with_amount(self.fbr, "auto" if amount is None else amount)
        request = Request(**{one.name: own[one.name] for one in options()}, n_labels=n_labels)
        if request.certify is None:
            return request
        if request.certify.calibration is not None:
            raise ValueError(
                "guarantee of an estimator has no calibration samples of its own: held-out samples "
                "are split, see tuning_share of Certify."
            )
        if self.refit and not self._is_prefit():
            raise ValueError(
                "guarantee needs a FrozenEstimator, or refit=False with a cv that gives one split: "
                "the pooled scores of several models certify none of them, nor the model that is "
                f"fitted to all samples, got cv={self.cv!r} and refit=True."
            )
        return request

    def _tuned(self, request: Request, scored: TuningScores, samples: Samples) -> Thresholds:
        """Tune the thresholds of all labels, and estimate their value on other samples."""
        constants, rows = scored.scorer.constants, scored.held_out.rows
        if request.certify is not None:
            problem = guarantee_problem(scored, samples, scoring_method(self.estimator))
            return self._solved(problem, request)
        found = thresholds_of_no_label(request)
        varies = np.isnan(constants)
        if request.max_rank is not None and (constants == 1).any():
            raise ValueError(
                "max_decisions per sample does not go together with labels that all training "
                "samples have: their scores are not comparable with those of other labels."
            )
        if varies.any():
            problem, folds = tuning_problem(scored, samples)
            warn_of_labels_without_positives(problem)
            found = self._solved(problem, request.for_labels(varies), folds)
            warn_of_broken_constraints(found)
        weights = samples.weights_of(scored)
        tuned = with_constant_labels(found, constants, samples.Y[rows], samples.names, weights)
        return replace(tuned, evidence=replace(tuned.evidence, request=request))

    def _solved(
        self, problem: Problem, request: Request, folds: np.ndarray | None = None
    ) -> Thresholds:
        """Tune and correct the thresholds of a problem, by slice if it has slices."""
        asked = request_in_slices(request, problem)
        found = tune_and_correct(problem, asked, self.random_state, folds=folds)[0]
        return with_slices(found, problem, request, self.random_state)

    def _tuning_scores(self, samples: Samples, cv: Any) -> TuningScores:
        method = scoring_method(self.estimator)
        if self._is_prefit():
            return prefit_scores(self.estimator.estimator, samples, method)
        if is_oob(cv):
            return oob_scores(self.estimator, samples)
        if not self.refit:
            return split_scores(self.estimator, samples, method, cv)
        report = partial(report_progress, self)
        return fold_scores(self.estimator, samples, method, cv, self.n_jobs, report)

    def _scores(self, X: Any) -> np.ndarray:
        return self._scored(X, "decision_function")

    def _proba(self, X: Any) -> np.ndarray:
        return self._scored(X, "predict_proba")

    def _scored(self, X: Any, method: str) -> np.ndarray:
        check_is_fitted(self)
        check_readable(X, "X")
        return LabelScorer(self.estimator_, self.constants_).all_scores(X, method)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_current_options(state))

    def _check_learned(self, n_labels: int) -> None:
        check_thresholds(self.thresholds_, n_labels)
