"""Objectives that choose the cut of each label by itself: macro averages (SCut) and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from labelwise._counts import Measure, record_of
from labelwise._tuning.objectives._choice import Choice, Objective, choice_at, first_best_of_each
from labelwise._tuning.objectives._constraints import NO_LIMITS, Limits, within

if TYPE_CHECKING:  # thresholds from a file need no kernels
    from labelwise._curves import Curves, Cuts


class LabelObjective(Objective, Protocol):
    """An objective that chooses the cut of each label by itself, as `MacroRule` and `CostRule`."""

    def of_labels(self, chosen: Any) -> Objective:
        """Return the objective for the cuts of some labels."""

    def total(self, values: Sequence[float]) -> float:
        """Return the value of all labels from that of each label."""


def best_by_label(curves: Curves, objective: LabelObjective) -> Choice:
    """Find the best cut of each label by itself; curves have all labels at once, or one by one."""
    pieces = curves.pieces(objective.needs_every_cut)
    first = next(pieces)
    if first.positives.size == curves.n_labels:
        return objective(first)
    found = [objective.of_labels([j])(cuts) for j, cuts in enumerate(chain([first], pieces))]
    return Choice(
        np.concatenate([choice.thresholds for choice in found]),
        np.concatenate([choice.decided for choice in found]),
        np.concatenate([choice.hits for choice in found]),
        objective.total([choice.value for choice in found]),
        gap=0.0,
    )


@dataclass(frozen=True)
class MacroRule:
    """Choose the cut of each label with the highest value; among equals, the fewest decisions.

    Cuts that do not meet the limits are skipped; a label without any other cut is not decided.
    Cuts at which the measure is NaN are chosen only if no other cut meets the limits.
    """

    measure: Measure
    limits: Limits = NO_LIMITS

    @property
    def needs_every_cut(self) -> bool:
        """Whether cuts at every distinct score are needed, or those at positives are enough."""
        found = record_of(self.measure)
        return found is None or not found[0].falls_with_decisions

    def __call__(self, cuts: Cuts) -> Choice:
        """Choose one cut for each label; the value is the mean over labels."""
        best: list[np.ndarray] = []
        values: list[np.ndarray] = []
        n_before = 0
        for piece in cuts.pieces():
            counts = piece.counts
            found = np.asarray(self.measure(counts), dtype=np.float64)
            places = first_best_of_each(found, piece.starts, within(self.limits, counts))
            best.append(places + n_before)
            values.append(found[places])
            n_before += found.size
        value = np.concatenate(values).mean()
        return choice_at(cuts, np.concatenate(best), value, gap=0.0)

    def of_labels(self, chosen: Any) -> MacroRule:  # noqa: ARG002
        """Return the same rule, which is that of every label."""
        return self

    def total(self, values: Sequence[float]) -> float:
        """Return the mean of the values of the labels."""
        return float(np.mean(values))


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

    def of_labels(self, chosen: Any) -> CostRule:
        """Return the costs of the labels that a mask or a list of numbers selects."""
        return CostRule(self.false_positive[chosen], self.false_negative[chosen])

    def total(self, values: Sequence[float]) -> float:
        """Return the sum of the costs of the labels."""
        return float(np.sum(values))
