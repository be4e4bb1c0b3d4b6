"""Expected counts of decisions: each sample counts as positive with its adapted probability."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._counts import counts_of
from labelwise.decisions.label_shift._label_priors import Probabilities
from labelwise.measures import Counts


def at_priors(p: Any, old: Any, new: Any) -> Any:
    """Return what probabilities become if the frequency of the label is `new` instead of `old`.

    With the frequencies exchanged, this is the inverse function.
    """
    positive = p * new * (1 - old)
    negative = (1 - p) * (1 - new) * old
    total = positive + negative
    return np.divide(positive, total, out=np.array(p, dtype=np.float64), where=total > 0)


@dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """Expected counts of decisions on new samples, whose labels have new frequencies."""

    proba: Probabilities
    old: np.ndarray
    new: np.ndarray
    labels: np.ndarray  # mask of the labels whose thresholds are chosen

    def for_each_label(self, work: Callable[[int, np.ndarray, np.ndarray], None]) -> None:
        """Call `work` with each chosen label, its probabilities and the adapted ones."""

        def on_column(j: int, column: np.ndarray) -> None:
            if self.labels[j]:
                work(j, column, at_priors(column, self.old[j], self.new[j]))

        self.proba.for_each_label(on_column)

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the expected counts of each label at its threshold."""
        decided, hits, positives = np.zeros((3, thresholds.size))

        def add(j: int, column: np.ndarray) -> None:
            adapted = at_priors(column, self.old[j], self.new[j])
            reached = column >= thresholds[j]
            decided[j] = np.count_nonzero(reached)
            hits[j], positives[j] = adapted[reached].sum(), adapted.sum()

        self.proba.for_each_label(add)
        return rounded_up(counts_of(decided, hits, positives, self.proba.n_samples))


def rounded_up(counts: Counts) -> Counts:
    """Return counts of which rounding has made none negative."""
    return Counts(*(np.maximum(part, 0.0) for part in counts))
