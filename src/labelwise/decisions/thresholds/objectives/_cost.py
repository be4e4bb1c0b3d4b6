"""The least total cost of false positives and false negatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._curves import Cuts
from labelwise.decisions.thresholds.objectives._choice import Choice, choice_at, first_best_of_each

_EVENTS = ("a false positive", "a false negative")


@dataclass(frozen=True)
class CostRule:
    """Choose the cut of each label with the least cost; among equals, the fewest decisions."""

    false_positive: np.ndarray  # cost by label
    false_negative: np.ndarray  # cost by label
    needs_every_cut = False

    def __call__(self, cuts: Cuts) -> Choice:
        """Choose one cut for each label; the value is the total cost of all labels."""
        _, fp, fn, _ = cuts.counts
        labels = cuts.labels
        costs = self.false_positive[labels] * fp + self.false_negative[labels] * fn
        places = first_best_of_each(-costs, cuts.starts)
        return choice_at(cuts, places, costs[places].sum(), gap=0.0)

    def of_labels(self, chosen: np.ndarray) -> CostRule:
        """Return the costs of the labels that a mask or an array of numbers selects."""
        return CostRule(self.false_positive[chosen], self.false_negative[chosen])

    def of_label(self, j: int) -> CostRule:
        """Return the rule with the costs of one label."""
        return CostRule(self.false_positive[[j]], self.false_negative[[j]])

    def total(self, values: Sequence[float]) -> float:
        """Return the sum of the costs of the labels."""
        return float(np.sum(values))


def check_cost(cost: Any, n_labels: int) -> CostRule:
    """Check the costs of false positives and false negatives, and return their objective."""
    return CostRule(*costs_by_label(cost, "a pair", _EVENTS, n_labels))


def costs_by_label(cost: Any, kind: str, events: Sequence[str], n_labels: int) -> list[np.ndarray]:
    """Return the cost of each event by label, from numbers or sequences with one for each label."""
    if not isinstance(cost, tuple | list) or len(cost) != len(events):
        raise TypeError(
            f"cost must be {kind}, of {', of '.join(events[:-1])} and of {events[-1]}, "
            f"numbers or a sequence for each label, got {cost!r}."
        )
    parts = [np.asarray(part, dtype=np.float64) for part in cost]
    for part in parts:
        if part.shape not in ((), (n_labels,)):
            raise ValueError(f"cost must have {n_labels} numbers by label, got shape {part.shape}.")
        if not (np.isfinite(part) & (part >= 0)).all():
            raise ValueError(f"cost must be finite and not negative, got {part.min()}.")
    return [np.broadcast_to(part, (n_labels,)) for part in parts]
