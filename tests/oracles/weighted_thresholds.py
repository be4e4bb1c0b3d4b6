"""Thresholds under weights of the samples, by trying all of them."""

import numpy as np

from labelwise.measures import Counts
from tests.oracles.thresholds import cuts, shared_vectors, vectors


def counts(Y, decided, weights):
    """The counts of each label: sums of the weights of its cells of each kind."""
    cells = (Y & decided, ~Y & decided, Y & ~decided, ~Y & ~decided)
    return Counts(*((kind * weights[:, None]).sum(axis=-2) for kind in cells))


def value(measure, average, Y, decided, weights):
    """The measure of decisions, averaged with every sample counted by its weight."""
    if average == "micro":
        return measure(Counts(*(cells.sum(axis=-1) for cells in counts(Y, decided, weights))))
    if average == "macro":
        return np.mean(measure(counts(Y, decided, weights)), axis=-1)
    cells = (Y & decided, ~Y & decided, Y & ~decided, ~Y & ~decided)
    each = measure(Counts(*(kind.sum(axis=-1) for kind in cells)))
    return each @ weights / weights.sum()


def highest(scores, Y, weights, measure, average="micro", shared=False):
    """The highest value of all threshold vectors."""
    tried = (shared_vectors if shared else vectors)(scores)
    found = value(measure, average, Y, scores >= tried[:, None, :], weights)
    return np.fmax.reduce(found)


def least_cost(scores, Y, weights, false_positive, false_negative):
    """The least total cost, label by label."""
    total = 0.0
    for column, truth in zip(scores.T, Y.T, strict=True):
        decided = column >= np.array(cuts(column))[:, None]
        wrong = false_positive * (decided & ~truth) + false_negative * (~decided & truth)
        total += (wrong @ weights).min()
    return total
