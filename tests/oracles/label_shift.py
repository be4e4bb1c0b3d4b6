"""Adaptation to new label frequencies as in Saerens, Latinne and Decaestecker (2002)."""

import numpy as np

from labelwise.measures import Counts
from tests.oracles.thresholds import shared_vectors, vectors


def adapted(p, old, new):
    """The a posteriori probability of a label whose frequency is new instead of old (eq. 2.4)."""
    positive, negative = new / old * p, (1 - new) / (1 - old) * (1 - p)
    return np.where(positive + negative > 0, positive / (positive + negative), p)


def log_likelihood(p, old, new):
    """Of the new samples, compared with the old frequency (eq. 2.10)."""
    with np.errstate(divide="ignore"):
        return np.sum(np.log(new / old * p + (1 - new) / (1 - old) * (1 - p)))


def end_of_likelihood(p, old):
    """0 or 1 if the likelihood is highest there, else None; of fractions, hence without rounding.

    It is concave, so that it is highest at an end if it does not rise from there.
    """
    if sum(p) == len(p) * old:
        return None
    if 1 not in p and sum((x - old) / ((1 - x) * old) for x in p) <= 0:
        return 0.0
    if 0 not in p and sum((x - old) / (x * (1 - old)) for x in p) >= 0:
        return 1.0
    return None


def em(p, old, n_steps):
    """The frequencies after each step of the algorithm (eq. 2.9)."""
    frequencies = [old]
    for _ in range(n_steps):
        frequencies.append(float(np.mean(adapted(p, old, frequencies[-1]))))
    return frequencies


def expected_counts(scores, proba, thresholds):
    """The counts of each label if each cell is positive with its probability."""
    decided = scores >= thresholds
    return Counts(
        np.sum(proba * decided, axis=0),
        np.sum((1 - proba) * decided, axis=0),
        np.sum(proba * ~decided, axis=0),
        np.sum((1 - proba) * ~decided, axis=0),
    )


def best_expected(scores, proba, measure, average, shared):
    """The highest value of expected counts over all threshold vectors; NaN if there is none."""
    values = []
    for thresholds in (shared_vectors if shared else vectors)(scores):
        counts = expected_counts(scores, proba, thresholds)
        if average == "micro":
            values.append(measure(Counts(*(part.sum() for part in counts))))
        else:
            values.append(np.mean(measure(counts)))
    return np.fmax.reduce(values)
