"""Statistics of labels, counted sample by sample."""

from collections import Counter
from itertools import combinations


def label_sets(Y):
    """The labels of each row, as sorted tuples of numbers."""
    return [tuple(j for j, one in enumerate(row) if one) for row in Y]


def pair_counts(Y):
    """How many rows have both labels of each pair."""
    found = Counter()
    for labels in label_sets(Y):
        found.update(combinations(labels, 2))
    return found


def equal_rows(X):
    """The first row that is equal to each row."""
    rows = [tuple(row) for row in X]
    return [rows.index(row) for row in rows]


def reliability_bins(Y, proba, n_bins):
    """For each bin the probabilities in it, and whether the label is present."""
    bins = [[] for _ in range(n_bins)]
    for truths, values in zip(Y, proba, strict=True):
        for truth, value in zip(truths, values, strict=True):
            place = next((b for b in range(n_bins) if value < (b + 1) / n_bins), n_bins - 1)
            bins[place].append((value, bool(truth)))
    return bins
