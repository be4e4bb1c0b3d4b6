"""The highest macro average: the best cut of each label by itself (SCut)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labelwise._counts import Measure, record_of
from labelwise._curves import Cuts
from labelwise.decisions.thresholds.objectives._choice import Choice, choice_at, first_best_of_each
from labelwise.decisions.thresholds.objectives._constraints import NO_LIMITS, Limits, within


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

    def of_label(self, j: int) -> MacroRule:  # noqa: ARG002
        """Return the same rule, which is that of every label."""
        return self

    def total(self, values: Sequence[float]) -> float:
        """Return the mean of the values of the labels."""
        return float(np.mean(values))
