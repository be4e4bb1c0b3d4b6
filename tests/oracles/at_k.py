"""Expected values of decisions, and the best of all decisions of at most k labels a sample."""

from itertools import combinations, product

import numpy as np

from labelwise.measures import Counts


def expected_counts(proba, decided):
    """Counts of each label if cells are positive with these probabilities."""
    tp, fp = proba * decided, (1 - proba) * decided
    fn, tn = proba * (1 - decided), (1 - proba) * (1 - decided)
    return Counts(*(cells.sum(axis=0) for cells in (tp, fp, fn, tn)))


def expected_value(proba, decided, average, measure):
    """The measure of expected counts; a label without a value counts as 0."""
    counts = expected_counts(proba, decided)
    if average == "micro":
        counts = Counts(*(cells.sum(keepdims=True) for cells in counts))
    return float(np.nan_to_num(measure(counts)).mean())


def expected_coverage(proba, decided):
    """The expected share of labels that have a hit, over all outcomes of the cells."""
    total = 0.0
    for outcome in product((0, 1), repeat=proba.size):
        Y = np.reshape(outcome, proba.shape)
        chance = np.prod(np.where(Y == 1, proba, 1 - proba))
        total += chance * (Y * decided).any(axis=0).mean()
    return total


def all_decisions(n_samples, n_labels, k):
    """Every decision of at most k labels for each sample."""
    sets = [chosen for size in range(k + 1) for chosen in combinations(range(n_labels), size)]
    for rows in product(sets, repeat=n_samples):
        decided = np.zeros((n_samples, n_labels))
        for i, chosen in enumerate(rows):
            decided[i, list(chosen)] = 1
        yield decided
