"""The interval of the value on new rows, row by row as it is defined."""

import numpy as np

from labelwise.decisions import best_thresholds
from labelwise.measures import Counts, count, macro, micro
from labelwise.splitting import assign
from tests.oracles.maximized import maximized


def value_of(counts, options):
    """The value of counts by label that the options ask for."""
    if "cost" in options:
        return float((options["cost"][0] * counts.fp + options["cost"][1] * counts.fn).sum())
    average, measure = maximized(options)
    return float((macro if average == "macro" else micro)(measure, counts))


def drawn_thresholds(scores, Y, options, n_draws, random):
    """Thresholds of rows drawn with replacement."""
    found = []
    for _ in range(n_draws):
        rows = random.randint(len(Y), size=len(Y))
        found.append(best_thresholds(scores[rows], Y[rows], **options).values)
    return np.array(found)


def drawn_values(scores, Y, options, thresholds, random):
    """Values of cross-fitted decisions under random weights, with the spread of thresholds."""
    share = np.zeros(Y.shape)
    for _ in range(4):
        fold = assign(Y, 5, method="random", random_state=random)
        for k in range(5):
            tuned = best_thresholds(scores[fold != k], Y[fold != k], **options)
            share[fold == k] += tuned.decide(scores[fold == k]) / 4
    retuned = np.array([value_of(count(Y, scores >= t), options) for t in thresholds])
    values = []
    for weights in random.standard_exponential((len(thresholds), len(Y))):
        each = (weights * len(Y) / weights.sum())[:, None]
        cells = (Y * share, ~Y * share, Y * (1 - share), ~Y * (1 - share))
        values.append(value_of(Counts(*((each * part).sum(axis=0) for part in cells)), options))
    return np.array(values) + retuned - retuned.mean()
