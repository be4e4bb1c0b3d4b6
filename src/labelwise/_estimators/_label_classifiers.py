"""Base classes of classifiers: answers in the form of the labels that they were fitted to."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags

from labelwise._estimators._targets import is_vector
from labelwise._validation import labels_for


class LabelClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Classifier of labels, or of a vector of two classes as one label.

    A classifier of scikit-learn that was fitted to a vector predicts a vector of its classes,
    scores samples by a vector and gives a column of probabilities for each class.
    """

    # Set by `store_target`: the classes of the vector that was fitted, or None.
    target_classes_: np.ndarray | None
    classes_: np.ndarray
    constants_: np.ndarray

    # Names of today for options and attributes that files of earlier releases have.
    _RENAMED: ClassVar[dict[str, str]] = {}
    # Whether `fit` counts samples by weight itself, also around an estimator that takes no weights.
    _counts_weights: ClassVar[bool] = False

    @abstractmethod
    def _decided(self, X: Any) -> np.ndarray:
        """Return whether each label is decided, of shape (n_samples, n_labels)."""

    def predict(self, X: Any) -> np.ndarray:
        """Decide the labels of samples, by the rule that the class describes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features of the samples, or samples in another form that `fit` takes.

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
        return self._predicted(self._decided(X))

    def _predicted(self, decisions: Any) -> np.ndarray:
        """Return decisions as `predict` does, as classes after fitting to a vector."""
        decided, classes = np.asarray(decisions, dtype=np.int64), self.target_classes_
        return decided if classes is None else np.asarray(classes[decided[:, 0]])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the share of samples whose labels are all predicted right.

        Parameters
        ----------
        X : samples
            As in `predict`.
        y : array, sparse matrix, frame or list of sets, or vector of classes
            True labels, 0 or 1, or the true classes of a vector. Sets and columns of frames are
            matched by the names that the estimator was fitted to; arrays, and estimators without
            names, by position.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. None means equal weights.

        Returns
        -------
        float
            Subset accuracy, from 0 to 1; for a vector y, the accuracy.

        Raises
        ------
        ValueError
            If y lacks a label of the estimator or has one that the estimator does not know.
        """
        from sklearn.metrics import accuracy_score

        truth = y if is_vector(y) else labels_for(self, y).matrix.toarray().astype(np.int64)
        return float(accuracy_score(truth, self.predict(X), sample_weight=sample_weight))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({self._RENAMED.get(key, key): state[key] for key in state})

    def _base(self) -> Any:
        """Return the estimator that is cloned and fitted, or None."""
        return getattr(self, "estimator", None)

    def _check_loaded(self) -> None:
        """Check an estimator that was loaded from a file, if it is fitted."""
        if any(name.endswith("_") for name in vars(self)):
            self._check_learned(self._count_labels())

    def _count_labels(self) -> int:
        """Count the labels of a loaded estimator; check `target_classes_` and `constants_`."""
        classes: Any = self.target_classes_
        n_labels = len(self.classes_)
        if classes is not None:
            if not isinstance(classes, np.ndarray) or classes.shape not in ((1,), (2,)):
                raise ValueError("target_classes_ must be an array of one or two classes")
            n_labels = 1
        constants: Any = self.constants_
        if not isinstance(constants, np.ndarray) or constants.dtype != np.float64:
            raise ValueError("constants_ must be an array of numbers")
        if constants.shape != (n_labels,) or n_labels == 0:
            shape = constants.shape
            raise ValueError(f"constants_ must be those of {n_labels} labels, got {shape}")
        return n_labels

    def _check_learned(self, n_labels: int) -> None:
        """Check that the attributes of a loaded estimator match its labels."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.frozen import FrozenEstimator

        tags, base = super().__sklearn_tags__(), self._base()
        tags.target_tags.single_output = tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        if isinstance(base, FrozenEstimator):
            base = base.estimator
        # An estimator without a base class of scikit-learn has no tags.
        if hasattr(base, "__sklearn_tags__"):
            accepted = get_tags(base).input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = accepted.sparse, accepted.allow_nan
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
            Features of the samples, or samples in another form that `fit` takes.

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
        scores = self._scores(X)
        return scores if self.target_classes_ is None else scores[:, 0]

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
            Features of the samples, or samples in another form that `fit` takes.

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
        proba, classes = self._proba(X), self.target_classes_
        return proba if classes is None else np.hstack([1 - proba, proba])[:, : classes.size]

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
            Features of the samples, or samples in another form that `fit` takes.

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
