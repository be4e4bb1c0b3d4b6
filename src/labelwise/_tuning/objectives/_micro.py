"""The highest micro average: on the micro frontier, with the certificate that proves it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelwise._counts import Measure, counts_of
from labelwise._curves import (
    Curves,
    Cuts,
    FrontierSteps,
    frontier_steps,
    hull_slack,
    hulls_of,
)
from labelwise._tuning.objectives._choice import Choice, choice_at, first_best
from labelwise._tuning.objectives._linear_fractional import (
    certificate_of,
    none_is_higher,
)
from labelwise._tuning.objectives._off_frontier import OffFrontier


def best_micro(curves: Curves, rule: MicroRule) -> Choice:
    """Find the highest micro average: on the frontier, or by a search off it."""
    chosen = rule(curves.frontier_cuts())
    if chosen.gap is not None:
        return chosen
    search = OffFrontier(curves, curves.cuts_of_all(), rule.measure)
    return search.best() if search.can_prove else chosen


@dataclass(frozen=True)
class MicroRule:
    """Choose the point of the micro frontier with the highest value and the fewest decisions.

    A quotient of linear functions of hits and decisions has its maximum over all threshold vectors
    on the frontier: at the optimum every label maximises ``hits - λ·decisions`` by itself for a
    common λ, and so lies on its hull. This also proves Property 1 of Pillai et al. (ICPR 2012).
    """

    measure: Measure
    needs_every_cut = False

    def __call__(self, cuts: Cuts) -> Choice:
        """Choose one cut for each label; the gap is None without a proof of the optimum."""
        steps = frontier_steps(hulls_of(cuts))
        values = np.asarray(self.measure(steps.counts), dtype=np.float64)
        step = first_best(values)
        chosen = choice_at(steps.hulls, steps.places(step), values[step])
        if step and steps.slopes[0] == steps.slopes[step - 1]:
            chosen = self._first_on_line(cuts, steps, chosen)
        slope = certificate_of(self.measure, chosen.value, steps.n_positive, steps.n_cells)
        if slope is None or not none_is_higher(self.measure, chosen.value, steps.counts):
            return chosen
        return chosen._replace(gap=0.0, certificate=slope)

    def _first_on_line(self, cuts: Cuts, steps: FrontierSteps, best: Choice) -> Choice:
        """Return the cut with the fewest decisions if the best one is on the frontier's first line.

        On this line precision is the same at all points but the first, which has no decisions.
        Among points of equal value, a cut of a single label has the fewest decisions.
        """
        # No slope is higher than the first; equal quotients of integers are equal as floats.
        least = steps.slopes[0] * (1 - hull_slack(cuts.hits))
        is_on_line = cuts.hits / np.where(cuts.decided > 0, cuts.decided, 1) >= least
        place = np.flatnonzero(is_on_line)[np.argmin(cuts.decided[is_on_line])]
        decided, hits = cuts.decided[place], cuts.hits[place]
        value = self.measure(counts_of(decided, hits, steps.n_positive, steps.n_cells))
        if decided >= best.decided.sum() or first_best([value, best.value]) > 0:
            return best
        places = cuts.starts[:-1].copy()
        places[np.searchsorted(cuts.starts, place, side="right") - 1] = place
        return choice_at(cuts, places, value)
