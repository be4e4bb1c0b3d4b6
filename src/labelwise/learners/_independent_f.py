"""Label sets of the highest expected F, from the probability of each label alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import (
    LabelScorer,
    as_multilabel,
    check_constants,
    classes_of_decisions,
    copy_feature_attributes,
    fit_scorer,
    proba_of_classes,
)
from labelwise.data import counts_of_others
from labelwise.decisions import maximize_expected_f_independent
from labelwise.learners._binary_relevance import BinaryRelevance
from labelwise.learners._training import all_labels, learn_targets


class IndependentFPlugin(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Decide for the highest expected F, as if labels were independent given the features (LFP).

    Any model of the probability of each label serves; `maximize_expected_f_independent` decides.
    Where labels depend on each other the decision can be wrong however much data there is:
    `ExactFPlugin` then is right.

    Parameters
    ----------
    estimator : object with fit and predict_proba, optional
        A multi-label estimator; `BinaryRelevance()` if there is none.
    beta : float
        Weight of recall, any positive number. It may be changed after fitting.
    tol : float, default=1e-13
        Tolerance of `BinaryRelevance`, if there is no estimator.
    n_jobs : int, optional
        Of `BinaryRelevance`, if there is no estimator.
    verbose : int
        1 writes progress to the error stream, if there is no estimator.

    Attributes
    ----------
    estimator_ : object
        Fitted to the labels that have both classes; None if none has.
    constants_, label_names_, classes_, n_features_in_, feature_names_in_
        As of `BinaryRelevance`.

    Notes
    -----
    ``fit(X, y, sample_weight=...)`` hands weights, and whatever else is given, to the ``fit`` of
    the estimator; under scikit-learn's metadata routing its requests decide.

    References
    ----------
    dembczynski2013, sections 4 and 5 (LFP).

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

    def __init__(
        self,
        estimator: Any = None,
        *,
        beta: float = 1.0,
        tol: float = 1e-13,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.beta = beta
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> IndependentFPlugin:
        """Fit the estimator to the labels that have both classes."""
        base = self._base()
        if not hasattr(base, "predict_proba"):
            kind = type(base).__name__
            raise TypeError(
                f"estimator must have predict_proba, but {kind} has not; "
                "CalibratedLabels makes probabilities of scores."
            )
        fit_params = self._routed({"sample_weight": sample_weight, **params})
        targets = learn_targets(self, X, y)
        labels = np.asarray(targets.matrix.toarray(), dtype=np.int64)
        self.estimator_ = fit_scorer(base, X, labels, fit_params).estimator
        copy_feature_attributes(self, self.estimator_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the label sets with the highest expected F, int64 of 0 and 1."""
        decided, _ = maximize_expected_f_independent(self._proba(X), beta=self.beta)
        return classes_of_decisions(self, np.asarray(decided, dtype=np.int64))

    def expected_f(self, X: Any) -> np.ndarray:
        """Return the F that is expected of each sample's predicted set, if the model is right."""
        return maximize_expected_f_independent(self._proba(X), beta=self.beta)[1]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return P(y_label = 1), of shape (n_samples, n_labels); 0 or 1 for constant labels."""
        return proba_of_classes(self, self._proba(X))

    def predict_joint(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return P(y_label = 1, s_y = s) at [sample, label, s - 1], and P(no label).

        Both as of independent labels. O(n_labels²) numbers and a little more time for a sample.
        """
        proba = self._proba(X)
        n_samples, n_labels = proba.shape
        joint = np.empty((n_samples, n_labels, n_labels))
        for i, row in enumerate(proba):
            joint[i] = row[:, None] * counts_of_others(row)
        return joint, (1 - proba).prod(axis=1)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who may ask for what is given to `fit`: the estimator."""
        return MetadataRouter(owner=self).add(
            estimator=self._base(),
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )

    def _proba(self, X: Any) -> np.ndarray:
        """Return P(y_label = 1) of all labels, of shape (n_samples, n_labels)."""
        check_is_fitted(self)
        scores = LabelScorer(self.estimator_, self.constants_).scores(X, "predict_proba")
        return all_labels(scores[:, np.isnan(self.constants_)], self.constants_)

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return BinaryRelevance(tol=self.tol, n_jobs=self.n_jobs, verbose=self.verbose)

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return what goes to the estimator's fit."""
        given = {name: value for name, value in params.items() if value is not None}
        if given and self.estimator is not None and get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", **given).estimator.fit)
        return given

    def _check_loaded(self) -> None:
        """Refuse constants of other labels, as a file may have them."""
        if hasattr(self, "constants_"):
            check_constants(self)

    def __sklearn_tags__(self) -> Any:
        return as_multilabel(super().__sklearn_tags__(), like=self._base(), takes_vector=True)
