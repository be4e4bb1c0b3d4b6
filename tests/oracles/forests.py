"""Scores of forests tree by tree, with scikit-learn's own trees."""

import numpy as np


def mean_chances(forest, X, is_left_out=None):
    """Mean, over trees, of P(y_label = 1) of a forest of several labels, or of one.

    With `is_left_out[tree, sample]`, the mean of the trees that are not left out for the sample.
    """
    X = np.asarray(X, dtype=np.float32)
    found = np.full((len(X), forest.n_outputs_), np.nan)
    for i, row in enumerate(X):
        told = [
            np.array([chances[0, 1] for chances in _per_label(tree.predict_proba(row[None]))])
            for number, tree in enumerate(forest.estimators_)
            if is_left_out is None or not is_left_out[number, i]
        ]
        if told:
            found[i] = np.mean(told, axis=0)
    return found


def _per_label(answer):
    return answer if isinstance(answer, list) else [answer]
