"""`IndependentFPlugin`: decisions of highest expected F, as if labels were independent."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    ExpectedFClassifier,
    LabelScorer,
    copy_feature_attributes,
    fit_scorer,
    given_to_fit,
    learn_targets,
)
from labelwise._poisson_binomial import counts_of_others
from labelwise._validation import check_readable, dense_targets
from labelwise.decisions import maximize_expected_f_independent
from labelwise.learners._binary_relevance import BinaryRelevance


class IndependentFPlugin(MetaEstimatorMixin, ExpectedFClassifier):
    """Decide for the highest expected F, with labels independent given X (LFP).

    Any model of the probability of each label can be used; `maximize_expected_f_independent`
    decides. If labels depend on each other given the features, the decisions may stay suboptimal
    with any amount of data; `ExactFPlugin` does not assume independence.

    Parameters
    ----------
    estimator : object with fit and predict_proba, default=None
        A multi-label estimator; None means `BinaryRelevance()`.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any positive
        number; it may be changed after fitting.
    allow_empty : bool, default=True
        Whether a sample may be decided to have no label. Without it, a sample gets a label wherever
        one has a probability above 0. It may be changed after fitting.
    tol : float, default=None
        Tolerance of `BinaryRelevance`. Only used without an estimator.
    n_jobs : int, default=None
        Number of parallel jobs; results do not depend on it. They are those of `BinaryRelevance`.
        Only used without an estimator.
    verbose : int, default=0
        1 writes progress to the standard error stream. Only used without an estimator.

    Attributes
    ----------
    estimator_ : object
        Fitted to the labels that have both classes; None if none has.
    constants_, label_names_, classes_, target_classes_, n_features_in_, feature_names_in_
        As in `BinaryRelevance`.

    Notes
    -----
    ``fit(X, y, sample_weight=...)`` passes weights and all further arguments to the ``fit`` of the
    estimator; if scikit-learn's metadata routing is enabled, its requests select them.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization",
    ICML 2013 (dembczynski2013), sections 4 and 5 (LFP).

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import IndependentFPlugin
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = IndependentFPlugin().fit(data.X, data.Y)
    >>> n_decided = model.predict(data.X).sum()
    >>> n_with_recall = model.set_params(beta=2.0).predict(data.X).sum()
    >>> bool(n_decided < n_with_recall)
    True
    """

    # scikit-learn reads from this attribute that `fit` uses groups.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        beta: float = 1.0,
        allow_empty: bool = True,
        tol: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.beta = beta
        self.allow_empty = allow_empty
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **params: Any
    ) -> IndependentFPlugin:
        """Fit the estimator to the labels that have both classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.
        y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1; or a vector of at most two classes, which is one label.
            Missing labels (NaN, null or masked) are passed to the estimator as NaN, which
            `BinaryRelevance` takes.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. Passed to the estimator.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together. They are for the folds of an
            estimator that takes them.
        **params : dict
            Passed to the ``fit`` of the estimator.

        Returns
        -------
        IndependentFPlugin
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter, X or y is out of its range, or X and y differ in length.
        TypeError
            If a parameter or y is of the wrong type.
        """
        base = self._base()
        if not hasattr(base, "predict_proba"):
            kind = type(base).__name__
            raise TypeError(
                f"estimator must have predict_proba, but {kind} has not; "
                "CalibratedLabels makes probabilities of scores."
            )
        params |= {"sample_weight": sample_weight, "groups": groups}
        fit_params = given_to_fit(self, base, params)
        targets = learn_targets(
            self, X, y, allow_missing=True, groups=groups, sample_weight=sample_weight
        )
        labels = dense_targets(targets.matrix, targets.missing)
        self.estimator_ = fit_scorer(base, X, labels, fit_params).estimator
        copy_feature_attributes(self, self.estimator_)
        return self

    def predict_joint(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Compute the probability of each label together with each set size.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_labels, n_sizes)
            P(y_label = 1, s_y = s) at [sample, label, s - 1].
        p_empty : ndarray of shape (n_samples,)
            Probability of the empty label set.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.

        Notes
        -----
        Labels are taken as independent. A sample needs O(n_labels²) numbers.
        """
        proba = self._proba(X)
        n_samples, n_labels = proba.shape
        joint = np.empty((n_samples, n_labels, n_labels))
        for i, row in enumerate(proba):
            joint[i] = row[:, None] * counts_of_others(row)
        return joint, (1 - proba).prod(axis=1)

    def get_metadata_routing(self) -> MetadataRouter:
        """List what `fit` accepts and passes to the estimator.

        Returns
        -------
        MetadataRouter
            The requests, for scikit-learn's metadata routing.
        """
        return MetadataRouter(owner=self).add(
            estimator=self._base(),
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )

    def _decisions(self, X: Any) -> tuple[np.ndarray, ...]:
        return maximize_expected_f_independent(
            self._proba(X), beta=self.beta, allow_empty=self.allow_empty
        )

    def _proba(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        check_readable(X, "X")
        return LabelScorer(self.estimator_, self.constants_).all_scores(X, "predict_proba")

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return BinaryRelevance(tol=self.tol, n_jobs=self.n_jobs, verbose=self.verbose)
