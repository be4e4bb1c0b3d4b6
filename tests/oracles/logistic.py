"""Penalised log-loss, word for word, and the choice of a penalty by a loop over folds."""

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from labelwise.learners.regression._log_loss import Tasks


def logistic_value(X, y, weights, coefficients, intercept, penalty):
    """Mean log-loss of one label, plus the penalty."""
    losses = np.logaddexp(0, -(2 * y - 1) * (X @ coefficients + intercept))
    return np.average(losses, weights=weights) + penalty / 2 * (coefficients**2).sum()


def multinomial_value(X, y, weights, coefficients, intercepts, penalty):
    """Mean log-loss of classes 0, 1, ..., plus the penalty; a column for each class."""
    margins = X @ coefficients + intercepts
    losses = np.log(np.exp(margins).sum(axis=1)) - margins[np.arange(len(y)), y]
    return np.average(losses, weights=weights) + penalty / 2 * (coefficients**2).sum()


def peer(X, y, penalty, weights=None):
    """scikit-learn's regression at the same optimum, as exact as it gets."""
    total = len(y) if weights is None else weights.sum()
    model = LogisticRegression(
        C=1 / (total * penalty), solver="newton-cholesky", tol=1e-12, max_iter=1000
    )
    return model.fit(X, y, sample_weight=weights)


def peer_with_penalised_intercept(X, y, penalty, weights=None):
    """scikit-learn's regression on a constant feature in the place of the intercept."""
    total = len(y) if weights is None else weights.sum()
    model = LogisticRegression(
        C=1 / (total * penalty), solver="lbfgs", tol=1e-12, max_iter=10000, fit_intercept=False
    )
    return model.fit(np.column_stack([X, np.ones(len(X))]), y, sample_weight=weights)


def best_penalty(X, y, penalties, splits):
    """The penalty with the least log-loss on held-out folds."""
    losses = []
    for penalty in penalties:
        loss = 0.0
        for train, test in splits:
            model = peer(X[train], y[train], penalty)
            loss += np.logaddexp(0, -(2 * y[test] - 1) * model.decision_function(X[test])).sum()
        losses.append(loss)
    return penalties[int(np.argmin(losses))]


def rescaled_choice(X, y, penalties, splits):
    """The penalty with the least held-out log-loss after Platt's sigmoid, and the sigmoid."""
    tested = np.concatenate([test for _, test in splits])
    found = []
    for penalty in penalties:
        models = [(peer(X[train], y[train], penalty), test) for train, test in splits]
        margins = np.concatenate([model.decision_function(X[test]) for model, test in models])
        sigmoid = platt(margins, y[tested])
        scaled = sigmoid[0] * margins + sigmoid[1]
        loss = np.logaddexp(0, -(2 * y[tested] - 1) * scaled).mean()
        found.append((loss, penalty, sigmoid))
    return min(found, key=lambda one: one[0])[1:]


def platt(margins, y):
    """Slope and intercept of the sigmoid of most likelihood to Platt's targets."""
    n_positive = y.sum()
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (len(y) - n_positive + 2)
    targets = np.where(y == 1, high, low)

    def loss(line):
        scaled = line[0] * margins + line[1]
        return np.mean(np.logaddexp(0, scaled) - targets * scaled)

    return minimize(loss, [1.0, 0.0], method="BFGS", options={"gtol": 1e-9}).x


def multinomials(*tasks):
    """Return tasks of classes 0, 1, ..., with columns of all but the first."""
    targets = [classes[:, None] == np.arange(1, classes.max() + 1) for classes in tasks]
    widths = np.array([part.shape[1] for part in targets])
    return Tasks(sparse.csc_array(np.hstack(targets)), widths)
