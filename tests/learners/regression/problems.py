"""Data with features of different sizes."""

import numpy as np

from labelwise.data import make_multilabel


def some_data(n_samples=150, n_features=6, n_labels=4, seed=0, thin=False):
    data, _ = make_multilabel(n_samples, n_features, n_labels, random_state=seed)
    # Features of different sizes, with means that are not 0.
    X = data.X * np.geomspace(0.3, 3, n_features) + np.arange(n_features)
    if thin:
        X = np.where(np.random.default_rng(seed).random(X.shape) < 0.1, X, 0)
    return X, data.Y.toarray().astype(np.int64)
