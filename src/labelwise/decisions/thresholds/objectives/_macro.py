"""The best value of each label by itself (SCut), for any measure of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import Cuts
from labelwise.decisions.thresholds.objectives._choice import Choice, choice_at, first_best_of_each
from labelwise.decisions.thresholds.objectives._constraints import NO_LIMITS, Limits, within
from labelwise.measures import Measure, f_measure, jaccard

# With as many hits, these only fall with more decisions: cuts at hits are enough.
_FALL_WITH_DECISIONS = (f_measure, jaccard)


@dataclass(frozen=True)
class MacroRule:
    """Choose the cut of each label with the highest value, with the fewest decisions among equals.

    Cuts outside the limits are passed over: a label without any other is not decided. Cuts where
    the measure is NaN are taken only if there are no others within the limits.
    """

    measure: Measure
    limits: Limits = NO_LIMITS

    @property
    def needs_every_cut(self) -> bool:
        """Whether cuts at hits are not enough."""
        measure = self.measure.func if isinstance(self.measure, partial) else self.measure
        return measure not in _FALL_WITH_DECISIONS

    def __call__(self, cuts: Cuts) -> Choice:
        """Return the choice."""
        values = np.asarray(self.measure(cuts.counts), dtype=np.float64)
        places = first_best_of_each(values, cuts.starts, within(self.limits, cuts.counts))
        return choice_at(cuts, places, values[places].mean(), gap=0.0)
