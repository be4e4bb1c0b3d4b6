"""Splits of random trees by their definition: every cut between two values is tried."""

import numpy as np


def entropy(y, weights):
    """Entropy of the classes, times the weight of the samples."""
    sums = np.array([weights[y == c].sum() for c in (0, 1)], dtype=float)
    shares = sums[sums > 0] / sums.sum()
    return float(-sums.sum() * (shares * np.log2(shares)).sum())


def parts_at(column, threshold, y, weights):
    """Sum of the entropies of the samples up to a threshold and of those above it."""
    below = column <= threshold
    return entropy(y[below], weights[below]) + entropy(y[~below], weights[~below])


def lowest_entropy(column, y, weights):
    """Lowest sum over all cuts between two values, infinity for a constant feature."""
    values = np.unique(column)
    return min((parts_at(column, v, y, weights) for v in values[:-1]), default=np.inf)


def nodes_with_rows(X, weights, trees, root):
    """Each node of a tree, with the rows of positive weight that reach it."""
    feature, threshold, child, _ = trees
    waiting = [(root, np.flatnonzero(weights))]
    while waiting:
        node, rows = waiting.pop()
        yield node, rows
        if feature[node] >= 0:
            is_below = X[rows, feature[node]] <= threshold[node]
            waiting += [
                (root + child[node], rows[is_below]),
                (root + child[node] + 1, rows[~is_below]),
            ]
