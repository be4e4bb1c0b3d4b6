"""Bands by trying all pairs of cuts of each label, for a few samples and labels."""

from itertools import product

import numpy as np

from tests.oracles.thresholds import cuts


class AllBands:
    """Counts of every choice of an upper and a lower cut for each label, with lower <= upper.

    A score of -inf is never accepted nor reviewed.
    """

    def __init__(self, scores, Y):
        self.support = Y.sum(axis=0)
        columns = zip(scores.T, Y.T, strict=True)
        self.labels = [_of_label(column, truth) for column, truth in columns]
        totals = np.zeros((1, 4), dtype=int)
        for counts in self.labels:
            totals = np.unique((totals[:, None] + counts[None]).reshape(-1, 4), axis=0)
        self.accepted, self.right, self.kept, self.found = totals.T
        self.reviewed = self.kept - self.accepted
        # Without accepted cells none is wrong; without positives none is lost.
        self.precision = np.where(
            self.accepted == 0, 1.0, self.right / np.maximum(self.accepted, 1)
        )
        n_positive = int(Y.sum())
        self.recall = self.found / n_positive if n_positive else np.ones(self.found.size)

    def smallest_queue(self, min_precision, min_recall):
        """The fewest cells to review; None if the recall cannot be met."""
        allowed = (self.precision >= min_precision) & (self.recall >= min_recall)
        return self.reviewed[allowed].min() if allowed.any() else None

    def highest_recall(self, min_precision, most_reviewed):
        allowed = (self.precision >= min_precision) & (self.reviewed <= most_reviewed)
        return self.recall[allowed].max()

    def highest_precision(self, min_recall, most_reviewed):
        allowed = (self.recall >= min_recall) & (self.reviewed <= most_reviewed)
        return self.precision[allowed].max()

    def highest_rate(self, most_reviewed):
        return np.minimum(self.precision, self.recall)[self.reviewed <= most_reviewed].max()

    def least_cost(self, false_positive, false_negative, review):
        """The sum of the least costs of the labels; costs are sequences by label."""
        total = 0.0
        for j, counts in enumerate(self.labels):
            accepted, right, kept, found = counts.T
            errors = false_positive[j] * (accepted - right)
            errors = errors + false_negative[j] * (self.support[j] - found)
            total += (errors + review[j] * (kept - accepted)).min()
        return total


def _of_label(column, truth):
    """(accepted, positives among them, kept, positives among them) of every pair of cuts."""
    found = set()
    scored = np.isfinite(column)
    for upper, lower in product(cuts(column[scored]), repeat=2):
        if lower <= upper:
            accepted, kept = scored & (column >= upper), scored & (column >= lower)
            counts = accepted, accepted & truth, kept, kept & truth
            found.add(tuple(int(cells.sum()) for cells in counts))
    return np.array(sorted(found))


def states(scores, upper, lower):
    """1, 0 or -1 of each cell, by the definition."""
    found = np.zeros(scores.shape, dtype=int)
    for i, j in np.ndindex(scores.shape):
        if scores[i, j] >= upper[j]:
            found[i, j] = 1
        elif scores[i, j] >= lower[j]:
            found[i, j] = -1
    return found
