"""Penalised squared hinge loss of one label, word for word, and its optimum by others."""

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import LinearSVC


def hinge_value(X, y, weights, coefficients, intercept, penalty):
    """Mean of max(0, 1 - sign · margin)², plus the penalty."""
    margins = X @ coefficients + intercept
    losses = np.maximum(0, 1 - (2 * y - 1) * margins) ** 2
    return np.average(losses, weights=weights) + penalty / 2 * (coefficients**2).sum()


def hinge_optimum(X, y, weights, penalty):
    """The least value, by a general solver."""

    def value(point):
        return hinge_value(X, y, weights, point[:-1], point[-1], penalty)

    def gradient(point):
        signs = 2 * y - 1
        gaps = np.maximum(0, 1 - signs * (X @ point[:-1] + point[-1]))
        pulls = -2 * signs * gaps * (np.ones(len(y)) if weights is None else weights)
        pulls = pulls / (len(y) if weights is None else weights.sum())
        return np.append(X.T @ pulls + penalty * point[:-1], pulls.sum())

    options = {"gtol": 1e-10, "ftol": 1e-15, "maxiter": 2000}
    start = np.zeros(X.shape[1] + 1)
    return minimize(value, start, jac=gradient, method="L-BFGS-B", options=options).fun


def machine(X, y, penalty, weights=None):
    """liblinear's support vector machine, whose intercept is penalised, but hardly."""
    total = len(y) if weights is None else weights.sum()
    model = LinearSVC(
        C=1 / (total * penalty), dual=False, tol=1e-10, intercept_scaling=1e4, max_iter=100_000
    )
    return model.fit(X, y, sample_weight=weights)


def naive_bayes_factors(X, y, weights=None):
    """Factors of the features for a label, by sums over samples with and without it."""
    weights = [1.0] * len(y) if weights is None else weights
    n_features = X.shape[1]
    occurs = X.any(axis=0).astype(float)
    sums = {0: occurs.tolist(), 1: occurs.tolist()}
    for row, label, weight in zip(X, y, weights, strict=True):
        for f in range(n_features):
            sums[int(label)][f] += weight * row[f]
    ratios = np.array(
        [
            np.log(sums[1][f] / sum(sums[1])) - np.log(sums[0][f] / sum(sums[0]))
            if occurs[f]
            else 0.0
            for f in range(n_features)
        ]
    )
    before = sum(w * (row**2).sum() for row, w in zip(X, weights, strict=True))
    after = sum(w * ((ratios * row) ** 2).sum() for row, w in zip(X, weights, strict=True))
    return ratios * np.sqrt(before / after) if after > 0 else ratios * np.sqrt(before)
