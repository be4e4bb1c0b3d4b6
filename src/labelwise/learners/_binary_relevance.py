"""`BinaryRelevance`: a linear model, or any classifier, for each label on its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    LabelTarget,
    ProbabilityClassifier,
    ScoringClassifier,
    all_labels,
    check_coefficients,
    copy_feature_attributes,
    cut_params,
    given_to_fit,
    learn_features,
    learn_targets,
    report_progress,
    scores_of_labels,
)
from labelwise._validation import check_readable, n_rows, relative_weights, take_rows
from labelwise.learners.regression._label_regressions import fit_label_regressions
from labelwise.learners.regression._penalty_path import (
    RegressionProblem,
    Splits,
    check_loss,
    check_penalize_intercept,
    check_penalty,
    check_rescale,
    check_tol,
    shared_penalties,
)

# Of compact coefficients. The smaller ones, of which most are close to 0, take most of a file.
_SIGNIFICANT_BITS = 12
_NEAR_ZERO = 0.003  # of the largest coefficient of a label


def _estimator_has(name: str) -> Callable[[Any], bool]:
    """Return a test of whether the models of the labels have a method, for `available_if`."""

    def has(learner: Any) -> bool:
        if learner.estimator is not None:
            return hasattr(learner.estimator, name)
        # Scores of the squared hinge loss are not log-odds unless they are rescaled.
        return bool(learner.loss == "log" or learner.rescale or name != "predict_proba")

    return has


def _chooses_penalties(learner: Any) -> bool:
    """Return whether a learner fits regressions at several penalties, for `available_if`."""
    return learner.estimator is None and len(check_penalty(learner.penalty)) > 1


class BinaryRelevance(MetaEstimatorMixin, ScoringClassifier, ProbabilityClassifier):
    """Learn each label by itself: by a linear model, or with any classifier.

    Without an estimator, the linear models of all labels are fitted together, since they share the
    features. Each minimises

        mean loss + λ/2 · ‖w‖²,

    with an intercept that is not penalised unless `penalize_intercept` is set. Features are not
    scaled unless `standardize` is set. With the log-loss, this is scikit-learn's logistic
    regression with C = 1 / (n λ); with the squared hinge loss, a linear support vector machine with
    that C. Each label has its own λ, the one with the least loss on held-out folds.

    Parameters
    ----------
    estimator : classifier, default=None
        Cloned for each label and fitted to its column of 0 and 1. None means linear models.
    loss : {"log", "squared_hinge", "naive_bayes_hinge"}, default="log"
        The loss of the linear models: logistic regressions, or linear support vector machines with
        the loss max(0, 1 - y m)² for margins m and y = ±1. "naive_bayes_hinge" is the latter with
        features that are multiplied, for each label, by their naive Bayes log-ratios, see Notes; it
        is for terms of texts (counts, or weights such as tf-idf). Only used without an estimator.
    penalty : "auto", float or sequence of float, default="auto"
        Penalty weight λ, or the values from which each label's λ is chosen; "auto" means 1e-4,
        1e-3, ..., 1e3. Only used without an estimator.
    cv : int, splitter or iterable of (train, test), default=5
        The folds on which λ is chosen. A number k means k folds of
        ``MultilabelStratifiedKFold(method="iterative")``, the same ones every time. Only
        without an estimator.
    rescale : bool, default=False
        Whether penalties are compared by the held-out log-loss after the margins of each label have
        been rescaled by a sigmoid, and the final regressions are rescaled by it. This suits terms
        of texts and other wide features, see Notes. With the squared hinge loss, scores become
        log-odds. Only for several penalties.
    share_penalty : bool, default=False
        Whether all labels have the same λ, which is chosen on the first fold of `cv` by at most 32
        labels, from the rarest to the most frequent. "auto" then means λ = s / (n C) for n samples
        with squared norms of s on average, and C = 0.03, 0.1, 0.3 and 1. This is quick, see
        Notes. Only without an estimator.
    penalize_intercept : bool, default=False
        Whether the intercept is penalised like a weight, λ/2 · (‖w‖² + b²), as by Mallet and
        liblinear. Probabilities of rare labels then lie closer to 1/2, and the coefficients depend
        on the origin of the features. Only with the log-loss, without an estimator.
    standardize : bool, default=False
        Whether each feature is divided by its standard deviation before the linear models are
        fitted, so that the penalty does not depend on units. `coef_` are coefficients of the
        features as they are given. Only without an estimator.
    compact : bool, default=False
        Whether coefficients are rounded to 12 significant bits, and those below 0.003 of the
        label's largest become 0: a model file is then about a fourth as large. On reuters21578 and
        hoc, at most 3 of 1,000 decisions change. Only without an estimator.
    tol : float, default=None
        A linear model stops when the decrease of its objective that the next step predicts is less
        than `tol` times the objective. None means 1e-13 for the log-loss, at which probabilities of
        the training samples of yeast and enron are within 2e-6 of those at the optimum, and 1e-3
        for the squared hinge loss, at which average precision on held-out samples of bibtex, enron
        and rcv1 differs by at most 0.0003 from that at the optimum. Only without an estimator.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. Labels (without an estimator, folds
        and groups of labels) are fitted in parallel.
    verbose : int, default=0
        1 writes progress to the standard error stream.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_labels, n_features) and (n_labels,)
        Coefficients and intercepts of the regressions, if there is no estimator.
    penalties_ : array of shape (n_labels,)
        The λ of each label, NaN for a label with one class, if there is no estimator.
    estimators_ : list
        The fitted classifiers of the labels that have both classes, if there is an estimator.
    constants_ : array of shape (n_labels,)
        0 or 1 for labels that have one class in training: `predict` and `predict_proba` always
        give this value, classifiers a score of -1 or 1, and `fit` warns of such labels. NaN for
        all other labels.
    label_names_ : tuple of str, or None
        Names of the labels, if Y has any.
    classes_ : array of shape (n_labels,)
        Numbers of the labels; the classes of y if it was a vector.
    target_classes_ : array of shape (n_classes,), or None
        The classes of y if it was a vector, otherwise None.
    n_features_in_, feature_names_in_
        Number and names of the features, if the classifiers have these attributes.

    Notes
    -----
    ``fit(X, y, sample_weight=...)`` passes weights and all further arguments to the ``fit`` of
    every classifier; if scikit-learn's metadata routing is enabled, the requests of the classifier
    select them. Without an estimator the mean log-losses are weighted, also on held-out folds.

    A sparse y is not made dense. `predict_proba` and `decision_function` exist if the classifiers
    have them. With the squared hinge loss there is only `decision_function`: its scores are not
    log-odds, unless ``rescale=True``, and `CalibratedLabels` makes probabilities of them.

    A strong penalty shrinks coefficients: the order of the scores may be good, while probabilities
    are too close to each other, so that the log-loss alone prefers weaker penalties. With
    ``rescale=True``, a slope and an intercept of each label are fitted to the margins of held-out
    samples before losses are compared (`CalibratedLabels` fits the same sigmoids). The label's
    regression on all samples is multiplied by them. On 2,000 short texts with 40 labels this lowers
    the held-out log-loss by a fifth, and raises micro F from 0.72 to 0.76.

    Logistic regressions share all products with X. Dense features are rotated to their principal
    directions once: there the Hessian of every label's loss is nearly diagonal at every λ, so that
    limited-memory BFGS needs few steps. A step costs O(nnz(X) · n_labels). Penalties are tried
    from the largest to the smallest, until a label's held-out loss exceeds its minimum by 1 %.

    A support vector machine starts with dual coordinate descent, which soon finds the samples
    within the margin. On these samples the loss is quadratic: Newton's steps by conjugate
    gradients, with the intercept eliminated, lead to the optimum. A pass costs O(nnz(X)) for a
    label, an iteration of conjugate gradients much less, as few samples of a rare label are within
    the margin; the steps of all labels share one product with X.

    With ``loss="naive_bayes_hinge"``, feature f of label j is multiplied by log(p / q), where p and
    q are the shares of f in the sums of all features that occur, over the samples with and without
    the label, after 1 was added to each sum; the factors of a label are divided by one number that
    keeps the mean squared norm of the samples. The penalty is that of the weights of these
    products: terms that are as frequent with the label as without it hardly get a weight. Each fold
    has the factors of its own training samples. On held-out abstracts of "Hallmarks of Cancer",
    micro F is 0.03 higher; with few texts and hundreds of labels, and on short comments, it is
    lower. `coef_` are coefficients of the features as they are given.

    With ``share_penalty=True``, all folds are fitted at the chosen λ only, and only if their scores
    are needed: for `rescale`, and in `fit_scoring_folds`. Support vector machines of folds start
    from the weights for all samples, with a tolerance of 0.01. On short texts, this takes a third
    of the time of a choice for each label, and rare labels gain from a choice that others share.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization",
    ICML 2013 (dembczynski2013), section 7, for λ and its
    choice.

    C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A Dual Coordinate Descent
    Method for Large-scale Linear SVM", ICML 2008.

    S. Wang, C. D. Manning, "Baselines and Bigrams: Simple, Good Sentiment and Topic
    Classification", ACL 2012, for naive Bayes log-ratios.

    S. S. Keerthi, D. DeCoste, "A Modified Finite Newton Method for Fast Solution of Large Scale
    Linear SVMs", Journal of Machine Learning Research, 2005.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import BinaryRelevance
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = BinaryRelevance().fit(data.X, data.Y)
    >>> model.predict_proba(data.X).shape
    (1000, 6)
    >>> trees = BinaryRelevance(DecisionTreeClassifier(max_depth=3)).fit(data.X, data.Y)
    """

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: str = "log",
        penalty: Any = "auto",
        cv: Any = 5,
        rescale: bool = False,
        share_penalty: bool = False,
        penalize_intercept: bool = False,
        standardize: bool = False,
        compact: bool = False,
        tol: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.penalty = penalty
        self.cv = cv
        self.rescale = rescale
        self.share_penalty = share_penalty
        self.penalize_intercept = penalize_intercept
        self.standardize = standardize
        self.compact = compact
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **params: Any
    ) -> BinaryRelevance:
        """Learn each label that has both classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
            NaN, null or a masked cell is a missing label: each label is learned from the samples
            that have it.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. Passed to the classifiers, or used by
            the regressions.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together, also in the
            folds on which penalties are chosen. Classifiers get them if their ``fit`` takes groups.
        **params : dict
            Passed to the ``fit`` of the estimator.

        Returns
        -------
        BinaryRelevance
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.
        """
        if self.estimator is None:
            if params:
                raise TypeError(f"fit takes no {next(iter(params))} without an estimator.")
            self._fit_regressions(X, y, sample_weight, groups=groups)
            return self
        if not hasattr(self.estimator, "fit") or not is_classifier(self.estimator):
            raise TypeError(f"estimator must be a classifier, got {self.estimator!r}.")
        params |= {"sample_weight": sample_weight, "groups": groups}
        fit_params = given_to_fit(self, self.estimator, params)
        targets = learn_targets(
            self, X, y, allow_missing=True, groups=groups, sample_weight=sample_weight
        )
        self.estimators_ = self._fit_labels(X, targets, fit_params)
        if self.estimators_:
            copy_feature_attributes(self, self.estimators_[0])
        return self

    @available_if(_chooses_penalties)  # type: ignore[untyped-decorator]
    def fit_scoring_folds(
        self,
        X: Any,
        y: Any,
        splits: Splits,
        sample_weight: Any = None,
        *,
        report: Callable[[str], None] | None = None,
    ) -> np.ndarray:
        """Learn each label, and score held-out samples in the same pass.

        The folds that choose penalties are `splits` instead of `cv`. Their regressions at the
        chosen penalties score the samples that they were not fitted to, so that held-out scores
        take no further fits. Only without an estimator, and with several penalties.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1, or NaN for a missing label; each label has both classes.
        splits : list of (train, test)
            Numbers of the training and of the test samples of each fold.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample.
        report : callable, default=None
            Called with a line of progress after each part of the work. An error that it raises ends
            the fit.

        Returns
        -------
        ndarray of shape (n_tested, n_labels)
            Scores of the test samples, fold after fold; NaN for missing labels.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.

        Notes
        -----
        The penalty of a label is chosen by the losses of the same held-out samples, one value for
        all folds. Held-out scores are thus a little better than those of new samples.
        """
        return self._fit_regressions(X, y, sample_weight, splits, report=report)

    decision_function = available_if(_estimator_has("decision_function"))(
        ScoringClassifier.decision_function
    )
    predict_proba = available_if(_estimator_has("predict_proba"))(
        ProbabilityClassifier.predict_proba
    )

    def get_metadata_routing(self) -> MetadataRouter:
        """List what `fit` accepts and passes to the classifiers.

        Returns
        -------
        MetadataRouter
            The requests, for scikit-learn's metadata routing.
        """
        router = MetadataRouter(owner=self)
        if self.estimator is None:
            return router.add_self_request(self)
        return router.add(
            estimator=self.estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )

    def _fit_regressions(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        splits: Splits | None = None,
        groups: Any = None,
        report: Callable[[str], None] | None = None,
    ) -> np.ndarray:
        """Fit the regressions; return the scores of the test samples of `splits`, if given."""
        penalties = check_penalty(self.penalty)
        for name in ("share_penalty", "compact", "standardize"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise TypeError(f"{name} must be True or False, got {getattr(self, name)!r}.")
        targets = learn_targets(
            self, X, y, allow_missing=True, groups=groups, sample_weight=sample_weight
        )
        X = learn_features(self, X)
        loss = check_loss(self.loss, X)
        tol = check_tol(self.tol, loss)
        weights = relative_weights(sample_weight, X.shape[0])
        X, deviations = self._standardized(X)
        if self.share_penalty:
            penalties = shared_penalties(self.penalty, X)

        def progress(text: str) -> None:
            report_progress(self, text)
            if report is not None:
                report(text)

        settings = penalties, tol, self.n_jobs, progress
        problem = RegressionProblem(
            X,
            weights,
            splits or [],
            *settings,
            loss=loss,
            rescales=check_rescale(self.rescale, penalties),
            shares_penalty=bool(self.share_penalty),
            penalizes_intercept=check_penalize_intercept(self.penalize_intercept, loss),
        )
        found = fit_label_regressions(problem, targets, self.cv, groups)
        self.coef_, self.intercept_ = found.coefficients, found.intercepts
        self.coef_ /= deviations
        if self.compact:
            for coefficients in self.coef_:
                _make_compact(coefficients)
        self.penalties_ = found.penalties
        return found.held_out

    def _standardized(self, X: Any) -> tuple[Any, np.ndarray | float]:
        """Return features of variance 1, if that is asked for, and what they were divided by."""
        if not self.standardize:
            return X, 1.0
        # Folds share the deviations of all samples, which do not depend on labels. A regression
        # has an intercept, so that features need no centre.
        scaler = StandardScaler(with_mean=False).set_output(transform="default").fit(X)
        return scaler.transform(X), scaler.scale_

    def _fit_labels(self, X: Any, targets: LabelTarget, fit_params: dict[str, Any]) -> list[Any]:
        columns = (targets.matrix[:, [j]].toarray().ravel() for j in targets.varying)
        rows = (targets.rows_with(j) for j in targets.varying)
        # int64, since some classifiers treat other types of classes differently.
        tasks = (
            delayed(_fit_label)(clone(self.estimator), X, column.astype(np.int64), some, fit_params)
            for column, some in zip(columns, rows, strict=True)
        )
        fitted = []
        for model in Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks):
            fitted.append(model)
            report_progress(self, f"label {len(fitted)} of {targets.varying.size}")
        return fitted

    def _decided(self, X: Any) -> np.ndarray:
        if self.estimator is None:
            return self._linear_scores(X) > 0
        return self._columns(X, lambda fitted: np.asarray(fitted.predict(X)), np.int64)

    def _scores(self, X: Any) -> np.ndarray:
        if self.estimator is None:
            return self._linear_scores(X)
        return self._columns(
            X, partial(_column, X, "decision_function"), method="decision_function"
        )

    def _proba(self, X: Any) -> np.ndarray:
        if self.estimator is None:
            proba = expit(self._linear_scores(X))
            return np.where(np.isnan(self.constants_), proba, self.constants_)
        return self._columns(X, partial(_column, X, "predict_proba"))

    def _linear_scores(self, X: Any) -> np.ndarray:
        """Return the scores of the regressions, of shape (n_samples, n_labels)."""
        check_is_fitted(self)
        X = learn_features(self, X, reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def _columns(
        self,
        X: Any,
        column: Callable[[Any], np.ndarray],
        dtype: Any = np.float64,
        method: str = "predict_proba",
    ) -> np.ndarray:
        """Return one column for each label: computed by its model, or constant."""
        check_is_fitted(self)
        check_readable(X, "X")
        columns = np.empty((n_rows(X), len(self.estimators_)), dtype=dtype)
        for k, fitted in enumerate(self.estimators_):
            columns[:, k] = column(fitted)
        return all_labels(columns, self.constants_, method)

    def _check_learned(self, n_labels: int) -> None:
        n_varying = int(np.isnan(self.constants_).sum())
        if hasattr(self, "coef_"):
            check_coefficients(self, n_labels)
        elif len(self.estimators_) != n_varying:
            raise ValueError(f"estimators_ must be those of {n_varying} labels")


def _column(X: Any, method: str, fitted: Any) -> np.ndarray:
    """Return the scores of one label by its fitted classifier."""
    return scores_of_labels(fitted, X, np.ones(1, dtype=bool), method)[:, 0]


def _make_compact(coefficients: np.ndarray) -> None:
    """Round the coefficients of a label in place, and set those near 0 to 0."""
    size = np.abs(coefficients)
    fractions, exponents = np.frexp(coefficients)
    scale = 2.0**_SIGNIFICANT_BITS
    np.ldexp(np.round(fractions * scale) / scale, exponents, out=coefficients)
    coefficients[size < _NEAR_ZERO * size.max(initial=0.0)] = 0.0


def _fit_label(
    model: Any, X: Any, column: np.ndarray, rows: np.ndarray | None, fit_params: dict[str, Any]
) -> Any:
    """Fit the model of a label to the samples that have it; `rows` is None for all samples."""
    if rows is None:
        return model.fit(X, column, **fit_params)
    params = cut_params(fit_params, rows, n_rows(X))
    return model.fit(take_rows(X, rows), column[rows], **params)
