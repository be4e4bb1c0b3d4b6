"""Base classes of learners: answers in the form of the labels that a learner was fitted to."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from labelwise._estimators import (
    LabelAccuracyMixin,
    as_multilabel,
    check_constants,
    classes_of_decisions,
    proba_of_classes,
    scores_of_classes,
)


class LabelClassifier(LabelAccuracyMixin, ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Classifier of labels, or of a vector of two classes as one label."""

    @abstractmethod
    def _decided(self, X: Any) -> np.ndarray:
        """Return whether each label is decided, of shape (n_samples, n_labels)."""

    def predict(self, X: Any) -> np.ndarray:
        """Decide the labels of samples, by the rule that the class describes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.

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
            If X does not have the features of the training samples, or is not finite.
        """
        return classes_of_decisions(self, np.asarray(self._decided(X), dtype=np.int64))

    def _base(self) -> Any:
        """Return the estimator that is cloned and fitted, or None."""
        return getattr(self, "estimator", None)

    def _check_loaded(self) -> None:
        """Check a learner that was loaded from a file, if it is fitted."""
        if any(name.endswith("_") for name in vars(self)):
            self._check_learned(check_constants(self))

    def _check_learned(self, n_labels: int) -> None:
        """Check that the attributes of a loaded learner match its labels."""

    def __sklearn_tags__(self) -> Any:
        base = self._base()
        tags = as_multilabel(super().__sklearn_tags__(), like=base, takes_vector=True)
        tags.input_tags.sparse |= base is None
        return tags


class ScoringClassifier(LabelClassifier):
    """Classifier with scores, which decides labels with a score above 0."""

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Return the scores of all labels, of shape (n_samples, n_labels)."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Score each label, as the class describes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            The scores. After fitting to a vector, of shape (n_samples,).

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        return scores_of_classes(self, self._scores(X))

    def _decided(self, X: Any) -> np.ndarray:
        return self._scores(X) > 0


class ProbabilityClassifier(LabelClassifier):
    """Classifier with probabilities, which decides labels with a probability above 1/2."""

    @abstractmethod
    def _proba(self, X: Any) -> np.ndarray:
        """Return P(y_label = 1) of all labels, of shape (n_samples, n_labels)."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimate the probability of each label.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            P(y_label = 1); 0 or 1 for labels that had one class in training. After fitting to a
            vector, a column for each class.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        return proba_of_classes(self, self._proba(X))

    def _decided(self, X: Any) -> np.ndarray:
        return self._proba(X) > 0.5


class ExpectedFClassifier(ProbabilityClassifier):
    """Classifier that decides for the label sets with the highest expected F."""

    @abstractmethod
    def _decisions(self, X: Any) -> tuple[np.ndarray, ...]:
        """Return decisions of shape (n_samples, n_labels) and their expected F first."""

    def expected_f(self, X: Any) -> np.ndarray:
        """Compute the expected F of each predicted label set.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Expected F of the predicted label set under the estimated probabilities.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        return self._decisions(X)[1]

    def _decided(self, X: Any) -> np.ndarray:
        return self._decisions(X)[0]
