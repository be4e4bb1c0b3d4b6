"""Chances that given labels are wrong, from scores, for lists of label errors and for the desk."""

from __future__ import annotations

import numpy as np


def chances_of_errors(scores: np.ndarray, truth: np.ndarray, rate: float = 0.05) -> np.ndarray:
    """Return the probability that each given label of one class is wrong.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        Scores of a label.
    truth : ndarray of bool of shape (n_samples,)
        The label as given.
    rate : float, default=0.05
        Share of the positives that are assumed to be lost.

    Returns
    -------
    ndarray of shape (n_samples,)
        Probabilities; 0 if all given labels are equal, because nothing is known then.
    """
    from sklearn.isotonic import IsotonicRegression

    if not truth.any() or truth.all():
        return np.zeros(truth.size)
    share = truth.mean()
    # Ranks, because scikit-learn takes scores that are nearly equal as equal.
    ranks = np.unique(scores, return_inverse=True)[1]
    fitted = IsotonicRegression().fit_transform(ranks, truth.astype(np.float64))
    # Pieces with few samples are drawn to the share of all: a single positive proves little.
    pieces, place, sizes = np.unique(fitted, return_inverse=True, return_counts=True)
    p = ((pieces * sizes + share) / (sizes + 1))[place]
    lost, added = rate, min(rate * share / (1 - share), 0.49)
    if_negative = p * lost / (p * lost + (1 - p) * (1 - added))
    if_positive = (1 - p) * added / ((1 - p) * added + p * (1 - lost))
    return np.asarray(np.where(truth, if_positive, if_negative))
