"""The method `score` of estimators whose labels have names."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._estimators._vector_targets import is_vector
from labelwise.measures import labels_for


class LabelAccuracyMixin:
    """The method `score` of classifiers, with labels matched by name.

    It goes before scikit-learn's ``ClassifierMixin``, whose method compares columns by position.
    """

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the share of samples whose labels are all predicted right.

        Parameters
        ----------
        X : samples
            As in `predict`.
        y : array, sparse matrix, frame or list of sets, or vector of classes
            True labels. Sets and columns of frames are matched by the names that the estimator was
            fitted to; arrays, and estimators without names, by position.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample; None means equal weights.

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
        predicted = self.predict(X)  # type: ignore[attr-defined]
        return float(accuracy_score(truth, predicted, sample_weight=sample_weight))
