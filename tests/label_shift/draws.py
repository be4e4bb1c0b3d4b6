"""Probabilities whose calibration is known, for any frequency of the labels."""

import numpy as np
from scipy.special import expit, logit

from labelwise.decisions import Evidence, Thresholds

TUNED_AT = 0.2


def draw(random, n_samples, frequencies, separation=2.0):
    """Labels of given frequencies, and probabilities that are calibrated for TUNED_AT."""
    Y = random.random((n_samples, len(frequencies))) < frequencies
    x = random.normal(size=Y.shape) + separation * Y
    return expit(logit(TUNED_AT) + separation * (x - separation / 2)), Y


def tuned_by_hand(support, n_samples, values=None, label_names=None, **fields):
    """Thresholds without the scores they were tuned on."""
    support = np.asarray(support)
    values = np.full(support.size, 0.4) if values is None else np.asarray(values, dtype=float)
    given = {"measure": "f_measure", "average": "micro", "certificate": 0.4, "gap": 0.0, **fields}
    evidence = Evidence(value=0.8, support=support, decided=support, n_samples=n_samples, **given)
    return Thresholds(values, evidence, label_names)
