"""Bands by trying all pairs of cuts of each label, for a few samples and labels."""

from itertools import product

import numpy as np

from tests.oracles.thresholds import cuts


class AllBands:
    """Counts of every choice of an upper and a lower cut for each label, with lower <= upper."""

    def __init__(self, scores, Y):
        self.n_positive = int(Y.sum())
        of_labels = [self._of_label(column, truth) for column, truth in zip(scores.T, Y.T)]
        self.labels = of_labels
        totals = np.zeros((1, 4), dtype=int)
        for counts in of_labels:
            totals = np.unique((totals[:, None] + counts[None]).reshape(-1, 4), axis=0)
        self.accepted, self.right, self.kept, self.found = totals.T

    @staticmethod
    def _of_label(column, truth):
        """(accepted, positives among them, kept, positives among them) of every pair of cuts."""
        pairs = [(u, l) for u, l in product(cuts(column), repeat=2) if l <= u]
        return np.unique(
            [
                (
                    (column >= u).sum(),
                    ((column >= u) & truth).sum(),
                    (column >= l).sum(),
                    ((column >= l) & truth).sum(),
                )
                for u, l in pairs
            ],
            axis=0,
        )

    @property
    def reviewed(self):
        return self.kept - self.accepted

    @property
    def precision(self):
        """1 where nothing is accepted."""
        return np.where(self.accepted == 0, 1.0, self.right / np.maximum(self.accepted, 1))

    @property
    def recall(self):
        """1 if there are no positives."""
        return self.found / self.n_positive if self.n_positive else np.ones(self.found.size)

    def smallest_queue(self, min_precision, min_recall):
        allowed = (self.precision >= min_precision) & (self.recall >= min_recall)
        return self.reviewed[allowed].min()

    def highest_recall(self, min_precision, most_reviewed):
        allowed = (self.precision >= min_precision) & (self.reviewed <= most_reviewed)
        return self.recall[allowed].max()

    def highest_precision(self, min_recall, most_reviewed):
        allowed = (self.recall >= min_recall) & (self.reviewed <= most_reviewed)
        return self.precision[allowed].max()

    def highest_rate(self, most_reviewed):
        return np.minimum(self.precision, self.recall)[self.reviewed <= most_reviewed].max()

    def least_cost(self, false_positive, false_negative, review):
        """The sum of the least costs of the labels; costs are arrays by label."""
        total = 0.0
        for j, (accepted, right, kept, found) in enumerate(counts.T for counts in self.labels):
            wrong, lost = accepted - right, found.max() - found
            costs = false_positive[j] * wrong + false_negative[j] * lost
            total += (costs + review[j] * (kept - accepted)).min()
        return total
