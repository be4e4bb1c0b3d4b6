"""Probabilities of the label sets of training samples, by a loop over sets and labels."""

import numpy as np

from tests.oracles.expected_f import label_vectors


def label_set_distribution(log_odds, Y):
    """P(y | x) of every label vector, from the log-odds of each label of one sample.

    Each seen label set has its share of the samples without a missing label, times the ratio of the
    odds of each of its labels to those among these samples, with half a sample more of each class.
    """
    known = [tuple(int(cell) for cell in row) for row in Y if not np.isnan(row).any()]
    weights = []
    for y in label_vectors(len(log_odds)):
        weight = known.count(tuple(y)) / len(known)
        for j in np.flatnonzero(y):
            n_positive = sum(row[j] for row in known)
            odds = (n_positive + 0.5) / (len(known) - n_positive + 0.5)
            weight *= np.exp(log_odds[j]) / odds
        weights.append(weight)
    return np.array(weights) / sum(weights)
