"""A model for each label, as if there were no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from labelwise.decisions._score_matrix import score_matrix
from labelwise.learners._training import (
    Targets,
    all_labels,
    as_multilabel,
    learn_targets,
    tell,
)
from labelwise.splitting._holdout import n_rows


def _estimator_has(name: str) -> Callable[[Any], bool]:
    """Return a test of whether the models of the labels have a method, for `available_if`."""
    return lambda self: hasattr(self._base(), name)


class BinaryRelevance(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Learn each label by itself, with any classifier of scikit-learn.

    Parameters
    ----------
    estimator : classifier, optional
        Cloned for each label and fitted to its column of 0 and 1.
    n_jobs : int, optional
        Labels at a time; what comes out does not depend on it.
    verbose : int
        1 writes progress to the error stream.

    Attributes
    ----------
    estimators_ : list
        The fitted classifiers of the labels that have both classes.
    constants_ : array of shape (n_labels,)
        0 or 1 for labels with one class, which they always get, and of which a warning tells;
        NaN for all others.
    label_names_ : tuple of str, or None
        Names of the labels, if Y has any.
    classes_ : array of shape (n_labels,)
        Numbers of the labels.
    n_features_in_, feature_names_in_
        If the classifiers have them.

    Notes
    -----
    ``fit(X, Y, sample_weight=...)`` hands weights, and whatever else is given, to the ``fit`` of
    every classifier. Under scikit-learn's metadata routing its requests decide.

    Y may be sparse, and stays so. `predict_proba` and `decision_function` are there if the
    classifiers have them.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import BinaryRelevance
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = BinaryRelevance(DecisionTreeClassifier(max_depth=3, random_state=0))
    >>> model.fit(data.X, data.Y).predict_proba(data.X).shape
    (1000, 6)
    """

    def __init__(
        self, estimator: Any = None, *, n_jobs: int | None = None, verbose: int = 0
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, Y: Any, sample_weight: Any = None, **params: Any) -> BinaryRelevance:
        """Fit a classifier to each label that has both classes."""
        base = self._base()
        if not hasattr(base, "fit") or not is_classifier(base):
            raise TypeError(f"estimator must be a classifier, got {base!r}.")
        fit_params = self._routed({"sample_weight": sample_weight, **params})
        targets = learn_targets(self, X, Y)
        self.estimators_ = self._fit_labels(X, targets, fit_params)
        if self.estimators_:
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self.estimators_[0], name):
                    setattr(self, name, getattr(self.estimators_[0], name))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the 0 or 1 of each label's classifier, int64 of shape (n_samples, n_labels)."""
        return self._columns(X, lambda fitted: np.asarray(fitted.predict(X)), np.int64)

    @available_if(_estimator_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """Return each label's scores, of shape (n_samples, n_labels).

        Labels that had one class in training have the score -1 or 1.
        """
        return self._scores(X, "decision_function", low=-1.0)

    @available_if(_estimator_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return P(y_label = 1), of shape (n_samples, n_labels).

        Labels that had one class in training have the probability 0 or 1.
        """
        return self._scores(X, "predict_proba", low=0.0)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who may ask for what is given to `fit`: the classifiers."""
        return MetadataRouter(owner=self).add(
            estimator=self._base(), method_mapping=MethodMapping().add(caller="fit", callee="fit")
        )

    def _base(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return what goes to the classifiers' fit."""
        given = {name: value for name, value in params.items() if value is not None}
        if given and get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", **given).estimator.fit)
        return given

    def _fit_labels(self, X: Any, targets: Targets, fit_params: dict[str, Any]) -> list[Any]:
        columns = (targets.matrix[:, [j]].toarray().ravel() for j in targets.varying)
        # int64: see DESIGN, section 3.
        tasks = (
            delayed(_fit_label)(clone(self._base()), X, column.astype(np.int64), fit_params)
            for column in columns
        )
        fitted = []
        for model in Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks):
            fitted.append(model)
            tell(self.verbose, self, f"label {len(fitted)} of {targets.varying.size}")
        return fitted

    def _scores(self, X: Any, method: str, low: float) -> np.ndarray:
        def column(fitted: Any) -> np.ndarray:
            return score_matrix(fitted, X, 1, method=method)[:, 0]

        return self._columns(X, column, np.float64, low)

    def _columns(
        self, X: Any, column: Callable[[Any], np.ndarray], dtype: Any, low: float = 0.0
    ) -> np.ndarray:
        """Return what the models of all labels say, column by column."""
        check_is_fitted(self)
        columns = np.empty((n_rows(X), len(self.estimators_)), dtype=dtype)
        for k, fitted in enumerate(self.estimators_):
            columns[:, k] = column(fitted)
        return all_labels(columns, self.constants_, low=low)

    def __sklearn_tags__(self) -> Any:
        tags = as_multilabel(super().__sklearn_tags__())
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        tags.input_tags.allow_nan = get_tags(self._base()).input_tags.allow_nan
        return tags


def _fit_label(model: Any, X: Any, column: np.ndarray, fit_params: dict[str, Any]) -> Any:
    return model.fit(X, column, **fit_params)
