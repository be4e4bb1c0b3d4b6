"""One end of the queue by itself: which cells are accepted, or which are kept from rejection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from labelwise._curves import ROUNDING, Cuts, FrontierSteps, frontier_steps
from labelwise.decisions.bands.search._band_choice import BandCut
from labelwise.decisions.bands.search._whole_hulls import (
    Near,
    mirrored,
    mirrored_steps,
    near_cuts,
    whole_hulls,
)
from labelwise.decisions.objectives._off_frontier import FewestDecisions, Wanted, search_hits
from labelwise.decisions.problem._problem import Problem

# Most steps of successive searches: what a short search finds leaves less for the next one.
_MOST_STEPS = (10**6, 10**7, 10**8)
# Most cuts off the hulls that a search may take; if there are more, this share of the allowed
# distance from the hulls.
_MOST_CUTS, _SHARES = 10**6, (1.0, 1 / 64)
# Larger than the rounding error of ``hits - slope·decided`` of a label.
_SLACK = 1e-6

# Value of all labels together by decisions and hits, -inf where it is not allowed. With the hits
# fixed, more decisions must never have a higher value.
SideValue = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Found(NamedTuple):
    """One end of the queue, its value, and an upper bound of the value of all others."""

    cut: BandCut
    value: float
    bound: float


@dataclass(frozen=True, eq=False)
class Side:
    """Find cuts with the highest value of a side of the queue.

    The frontier is tried first. For each number of hits, no thresholds have fewer decisions than
    the frontier, rounded up, which bounds the value of all others. Those that may be better are
    searched. With `is_mirrored`, decisions are the cells below the thresholds, and hits are the
    negatives among them.
    """

    problem: Problem
    hulls: Cuts
    frontier: FrontierSteps
    is_mirrored: bool

    @cached_property
    def steps(self) -> FrontierSteps:
        """The frontier in the order of this side."""
        return mirrored_steps(self.frontier) if self.is_mirrored else self.frontier

    def best_vertex(self, value: SideValue) -> Found | None:
        """Return the best vertex of the frontier; None if no vertex is allowed."""
        values = np.asarray(value(self.steps.decided, self.steps.hits), dtype=np.float64)
        step = int(np.argmax(values))
        if values[step] == -np.inf:
            return None
        highest = float(values[step])
        bound = max(highest, float(value(*self._line_beside(step)).max()))
        return Found(self.at_step(step), highest, bound)

    def improved(self, best: Found, value: SideValue, other: BandCut | None = None) -> Found:
        """Return cuts off the frontier that are better than its best vertex, if there are any.

        With `other`, cuts are searched that are in order with these of the other side, and the
        bound is of no use.
        """
        if not _is_higher(best.bound, best.value):
            return best._replace(bound=best.value)
        step = int(np.argmax(value(self.steps.decided, self.steps.hits)))
        wanted = self._wanted(value, self._line_beside(step)[1], best.value)
        for most_steps in _MOST_STEPS:
            near, has_all = self._near(wanted, other)
            if near is None:
                break
            reached = search_hits(near, self.steps, wanted, most_steps)
            best = self._better(best, value, reached)
            wanted = self._wanted(value, wanted.hits, best.value)
            if (has_all and reached.is_complete) or not wanted.hits.size:
                return best._replace(bound=best.value)
        return best

    def _better(self, best: Found, value: SideValue, reached: FewestDecisions) -> Found:
        """Return the best result of a search if its value is higher than the best so far."""
        values = value(reached.decided, reached.hits)
        first = int(np.argmax(values)) if values.size else 0
        if not values.size or not _is_higher(values[first], best.value):
            return best
        places = reached.places(first)
        decided, hits = reached.cuts.decided[places], reached.cuts.hits[places]
        if self.is_mirrored:
            n_cells, n_hits = self._totals
            decided, hits = mirrored(decided, hits, n_cells, n_cells - n_hits)
        cut = BandCut(reached.cuts.thresholds[places], decided, hits)
        return best._replace(cut=cut, value=float(values[first]))

    def _line_beside(self, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the fewest decisions for each number of hits on the edges beside a step."""
        low, high = max(step - 1, 0), min(step + 1, self.steps.hits.size - 1)
        hits = np.arange(self.steps.hits[low], self.steps.hits[high] + 1)
        return self.steps.fewest_decided(hits), hits

    def _wanted(self, value: SideValue, hits: np.ndarray, best: float) -> Wanted:
        """Return the numbers of hits and decisions that have a higher value than the best.

        With the hits fixed, the largest number of decisions is found by bisection.
        """
        low = self.steps.fewest_decided(hits)
        is_wanted = _is_higher(value(low, hits), best)
        hits, low = hits[is_wanted], low[is_wanted]
        high = hits + int(self.steps.decided[-1] - self.steps.hits[-1]) + 1
        while (high - low > 1).any():
            middle = (low + high) // 2
            is_wanted = _is_higher(value(middle, hits), best)
            low, high = np.where(is_wanted, middle, low), np.where(is_wanted, high, middle)
        return Wanted(hits, low)

    def _near(self, wanted: Wanted, other: BandCut | None) -> tuple[Cuts | None, bool]:
        """Return cuts that wanted solutions may have, and whether these are all such cuts.

        Where there are too many, those are taken that are nearest to the hulls.
        """
        edge = int(np.searchsorted(self.steps.hits, wanted.hits[0], side="left")) - 1
        slope = float(self.steps.slopes[edge])
        highest = self.steps.hits[edge] - slope * self.steps.decided[edge]
        allowance = float(highest - (wanted.hits - slope * wanted.most).min())
        fewest = np.zeros(self.problem.n_labels) if other is None else other.decided
        if self.is_mirrored and other is not None:
            # Cells that are not kept must not be accepted.
            fewest = self._totals[0] - fewest
        cuts = None
        for share in _SHARES:
            near = Near(slope, share * allowance + _SLACK, fewest)
            cuts = near_cuts(self.problem, near, mirror=self.is_mirrored, most_cuts=_MOST_CUTS)
            if cuts is not None:
                return cuts, share == 1
        return None, False

    @cached_property
    def _totals(self) -> tuple[np.ndarray, np.ndarray]:
        """Number of scored cells of each label, and of positives among them."""
        last = self.hulls.starts[1:] - 1
        return self.hulls.decided[last], self.hulls.hits[last]

    def at_step(self, step: int) -> BandCut:
        """Return the cuts of a step of this side."""
        n_edges = self.steps.slopes.size - step if self.is_mirrored else step
        places = self.frontier.places(n_edges)
        hulls = self.hulls
        return BandCut(hulls.thresholds[places], hulls.decided[places], hulls.hits[places])


def sides_of(problem: Problem) -> tuple[Side, Side]:
    """Return the side of acceptance, which is mirrored, and the side of rejection."""
    hulls = whole_hulls(problem)
    steps = frontier_steps(hulls)
    return Side(problem, hulls, steps, True), Side(problem, hulls, steps, False)


def _is_higher(values: np.ndarray | float, best: float) -> np.ndarray:
    """Return which values are higher than the best by more than rounding."""
    return np.asarray(np.asarray(values) > best + ROUNDING * abs(best))
