"""The joint of labels and set sizes by a loop of scikit-learn's regressions."""

import numpy as np
from sklearn.linear_model import LogisticRegression


def joint_by_loop(X, Y, penalty):
    """P(y_label = 1, s_y = s) at [sample, label, s - 1], and P(no label), task by task."""
    sizes = Y.sum(axis=1)
    joint = np.zeros((*Y.shape, sizes.max()))
    for j, column in enumerate(Y.T):
        values, proba = _class_probabilities(X, column * sizes, penalty)
        for value, share in zip(values, proba.T, strict=True):
            if value > 0:
                joint[:, j, value - 1] = share
    values, proba = _class_probabilities(X, (sizes == 0).astype(int), penalty)
    return joint, proba[:, list(values).index(1)] if 1 in values else np.zeros(len(X))


def _class_probabilities(X, classes, penalty):
    values = np.unique(classes)
    if len(values) == 1:
        return values, np.ones((len(X), 1))
    model = LogisticRegression(C=1 / (len(X) * penalty), tol=1e-9, max_iter=100_000)
    return values, model.fit(X, classes).predict_proba(X)
