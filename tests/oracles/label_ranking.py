"""Calibrated label ranking by its definition: every pair of labels votes, and votes are counted."""

import numpy as np
from sklearn.base import clone


def votes_of(estimator, X, Y, X_new, split=True):
    """Votes of each label, and of the virtual one in the last column, for each new row.

    A vote of an undecided model is split, or else that of the first label.
    """
    n_labels = Y.shape[1]
    votes = np.zeros((len(X_new), n_labels + 1))
    for j in range(n_labels):
        for k in range(j + 1, n_labels):
            one_of_two = [i for i in range(len(Y)) if Y[i, j] != Y[i, k]]
            model = _model(estimator, X[one_of_two], Y[one_of_two, j])
            _cast(model, X_new, votes, j, k, split)
        _cast(_model(estimator, X, Y[:, j]), X_new, votes, j, n_labels, split)
    return votes


def _model(estimator, X, y):
    """The chances that rows prefer the first of two, as a function."""
    if len(y) == 0:
        return lambda rows: [0.5] * len(rows)
    if len(set(y)) == 1:
        return lambda rows: [float(y[0])] * len(rows)
    fitted = clone(estimator).fit(X, y)
    return lambda rows: fitted.predict_proba(rows)[:, 1]


def _cast(model, X_new, votes, first, second, split):
    for i, chance in enumerate(model(X_new)):
        if chance > 0.5 or (chance == 0.5 and not split):
            votes[i, first] += 1
        elif chance < 0.5:
            votes[i, second] += 1
        else:
            votes[i, first] += 0.5
            votes[i, second] += 0.5
