"""One number for each sample whose mean is above 0 if and only if a constraint is met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees.paths._row_counts import RowCounts
from labelwise.decisions.objectives._constraints import Limits


class RowStatistic(NamedTuple):
    """The hits of a sample, less shares of its decisions and of its labels.

    The mean over samples is above 0 if and only if a rate is above its limit. For micro precision
    above τ the number of a sample is ``hits - τ·decisions``, for micro recall above ρ it is
    ``hits - ρ·labels``. For the mean precision of samples the number is divided by the decisions
    of the sample, for the mean recall by its labels, and is 0 without any. `lowest` is the least
    value that the number of a sample can have.
    """

    name: str
    decisions: float
    labels: float
    lowest: float
    per: str | None = None

    def of(self, counts: RowCounts) -> np.ndarray:
        """Compute the numbers of a block of samples at each point of a path."""
        decided, hits, labels = counts
        numbers = hits - self.decisions * decided - self.labels * labels
        if self.per is None:
            return np.ascontiguousarray(numbers)
        total = decided if self.per == "decided" else np.broadcast_to(labels, decided.shape)
        shares = np.zeros(numbers.shape)
        np.divide(numbers, total, out=shares, where=total > 0)
        return shares


def precision_above(limit: float, most_decided: int, average: str) -> RowStatistic:
    """Return the statistic for a precision above a limit, of at most so many decisions a sample."""
    if average == "sample":
        return RowStatistic("min_precision", limit, 0.0, -limit, "decided")
    return RowStatistic("min_precision", limit, 0.0, -limit * most_decided)


def recall_above(limit: float, n_labels: int, average: str) -> RowStatistic:
    """Return the statistic for a recall above a limit, of samples with any number of labels."""
    if average == "sample":
        return RowStatistic("min_recall", 0.0, limit, -limit, "labels")
    return RowStatistic("min_recall", 0.0, limit, -limit * n_labels)


def row_statistics(
    limits: Limits, average: str, n_labels: int, most_decided: int
) -> list[RowStatistic]:
    """Return the statistic of each constraint, of samples with at most so many decisions."""
    found = []
    if limits.min_precision is not None:
        found.append(precision_above(limits.min_precision, most_decided, average))
    if limits.min_recall is not None:
        found.append(recall_above(limits.min_recall, n_labels, average))
    return found
