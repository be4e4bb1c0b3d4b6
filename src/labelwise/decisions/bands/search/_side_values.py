"""What each end of the queue is chosen for: many accepted cells, few kept ones, or a high rate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.bands.search._sides import SideValue


class SideValues(NamedTuple):
    """Values of accepted cells and of kept cells, given the totals of all scored cells.

    The functions for accepted cells take the cells that are not accepted, and the negatives among
    them, as the mirrored side counts.
    """

    n_cells: int
    n_negative: int  # among the scored cells
    n_positive: int  # of all cells, scored or not

    def precision(self, accepted: np.ndarray, wrong: np.ndarray) -> np.ndarray:
        """Return the share of accepted cells that are right, 1 if none is wrong."""
        share = (accepted - wrong) / np.maximum(accepted, 1)
        return np.where(wrong <= 0, 1.0, share)

    def recall(self, hits: np.ndarray) -> np.ndarray:
        """Return the share of the positives that are kept, 1 without positives."""
        return np.asarray(hits / self.n_positive if self.n_positive else np.ones(np.shape(hits)))

    def most_accepted(self, min_precision: float) -> SideValue:
        """Return the value for the most accepted cells of a least precision."""

        def value(decided: np.ndarray, hits: np.ndarray) -> np.ndarray:
            accepted = self.n_cells - decided
            precision = self.precision(accepted, self.n_negative - hits)
            return np.where(precision >= min_precision, accepted, -np.inf)

        return value

    def highest_precision(self, least_accepted: float) -> SideValue:
        """Return the value for the highest precision of a least number of accepted cells."""

        def value(decided: np.ndarray, hits: np.ndarray) -> np.ndarray:
            accepted = self.n_cells - decided
            precision = self.precision(accepted, self.n_negative - hits)
            return np.where(accepted >= least_accepted, precision, -np.inf)

        return value

    def fewest_kept(self, min_recall: float) -> SideValue:
        """Return the value for the fewest kept cells of a least recall."""
        return lambda decided, hits: np.where(self.recall(hits) >= min_recall, -decided, -np.inf)

    def highest_recall(self, most_kept: float) -> SideValue:
        """Return the value for the highest recall of a largest number of kept cells."""
        return lambda decided, hits: np.where(decided <= most_kept, self.recall(hits), -np.inf)
