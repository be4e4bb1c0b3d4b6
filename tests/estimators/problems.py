"""Data and estimators for the tests of scores."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from labelwise.data import make_multilabel


def some_data(n_labels=3, n_samples=120):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=0)
    return data.X, data.Y.toarray().astype(np.int64)


def rare_and_common(n_samples=30):
    """Labels on once, off once, and half of the time."""
    X = np.random.default_rng(0).random((n_samples, 2))
    Y = np.zeros((n_samples, 3), dtype=np.int64)
    Y[0, 0] = 1
    Y[1:, 1] = 1
    Y[::2, 2] = 1
    return X, Y


class FixedHead(ClassifierMixin, BaseEstimator):
    """As a network with an output for each label: it can be fitted to all labels only."""

    def __init__(self, n_labels=3):
        self.n_labels = n_labels

    def fit(self, X, Y):
        if Y.shape[1] != self.n_labels:
            raise ValueError(f"target has {Y.shape[1]} columns, input has {self.n_labels}")
        self.weights_ = np.linalg.lstsq(X, 2.0 * Y - 1, rcond=None)[0]
        return self

    def predict_proba(self, X):
        return 1 / (1 + np.exp(-X @ self.weights_))


def frozen(X, Y):
    """An estimator that was fitted to other samples, which have both classes of all labels."""
    other = np.random.default_rng(1).integers(0, 2, Y.shape)
    return FrozenEstimator(OneVsRestClassifier(LogisticRegression()).fit(X, other))
