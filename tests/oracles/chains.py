"""Probabilistic classifier chains by the definition: products of conditional probabilities."""

from itertools import product

import numpy as np
from scipy.special import expit


def chance_given(model, number, x, labels, k):
    """P(y_k = 1 | x, the labels that are on) of the regressions of one chain."""
    margin = x @ model.coef_[number, k] + model.intercept_[number, k]
    return expit(margin + labels @ model.label_coef_[number, k])


def set_probability(model, number, x, labels):
    """P(y | x) of one chain, label after label in its order."""
    probability, before = 1.0, np.zeros(len(labels))
    for k in model.orders_[number]:
        chance = chance_given(model, number, x, before, k)
        probability *= chance if labels[k] else 1 - chance
        before[k] = labels[k]
    return probability


def all_sets(n_labels):
    """Every label set as a row of 0 and 1."""
    return np.array(list(product([0, 1], repeat=n_labels)))


def ensemble_distribution(model, x):
    """Probability of every label set: the mean over chains."""
    sets = all_sets(model.orders_.shape[1])
    numbers = range(len(model.orders_))
    return np.array([np.mean([set_probability(model, c, x, y) for c in numbers]) for y in sets])


def drawn_sets(model, x, numbers):
    """Draw label sets of one sample by given numbers of (n_draws, n_sweeps, n_labels)."""
    drawn = np.zeros((len(numbers), numbers.shape[2]), dtype=bool)
    for t, sweeps in enumerate(numbers):
        chain = t % len(model.orders_)
        for thresholds in sweeps:
            for k in model.orders_[chain]:
                others = drawn[t].copy()
                others[k] = False
                drawn[t, k] = thresholds[k] < chance_given(model, chain, x, others, k)
    return drawn


def mean_f(drawn, decided, beta=1.0):
    """Mean F of a decided set over drawn sets, and its standard error."""
    values = []
    for labels in drawn:
        total = beta**2 * labels.sum() + decided.sum()
        hits = (labels & (decided == 1)).sum()
        values.append(1.0 if total == 0 else (1 + beta**2) * hits / total)
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))
