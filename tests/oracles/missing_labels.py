"""Measures and thresholds with missing labels (NaN), cell by cell."""

import numpy as np

from labelwise.measures import Counts
from tests.oracles.thresholds import shared_vectors, vectors


def counts_of_cells(truth, decided):
    """The counts of some cells; those without truth are not counted."""
    known = ~np.isnan(truth)
    truth, decided = truth[known] == 1, decided[known]
    cells = (truth & decided, ~truth & decided, truth & ~decided, ~truth & ~decided)
    return Counts(*(int(kind.sum()) for kind in cells))


def micro_counts(Y, decided):
    return counts_of_cells(Y.ravel(), decided.ravel())


def value(measure, average, Y, decided):
    """The measure of all cells, or its mean over the labels or samples that have truth."""
    if average == "micro":
        return measure(micro_counts(Y, decided))
    truth, answers = (Y.T, decided.T) if average == "macro" else (Y, decided)
    pairs = zip(truth, answers, strict=True)
    known = [counts_of_cells(*pair) for pair in pairs if not np.isnan(pair[0]).all()]
    return np.mean([measure(counts) for counts in known])


def highest(scores, Y, measure, average="micro", shared=False):
    """The highest value of all threshold vectors."""
    tried = (shared_vectors if shared else vectors)(scores)
    return np.fmax.reduce([value(measure, average, Y, scores >= vector) for vector in tried])
