"""An estimator whose scores are its features, and samples that know their numbers."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Columns(ClassifierMixin, BaseEstimator):
    """Scores are features; remembers in `seen` each fit's rows (by their last feature)."""

    def __init__(self, seen=None):
        self.seen = seen

    def __sklearn_clone__(self):
        return Columns(self.seen)

    def fit(self, X, Y, sample_weight=None, note=None):
        self.n_labels_ = Y.shape[1]
        if self.seen is not None:
            self.seen.append((X[:, -1].astype(int), sample_weight, note))
        return self

    def decision_function(self, X):
        return X[:, : self.n_labels_]


def numbered(n_samples=40, n_labels=2, seed=0):
    """Scores as features, then the number of the row; and labels that follow the scores."""
    random = np.random.default_rng(seed)
    scores = random.integers(0, 12, (n_samples, n_labels)) / 4
    Y = (scores + random.normal(size=scores.shape) > 2).astype(np.int64)
    return np.column_stack([scores, np.arange(n_samples)]), Y
