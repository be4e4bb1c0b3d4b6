"""One end of the queue by itself: which cells are accepted, or which are kept from rejection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from labelwise.decisions.bands._frontier import (
    mirrored,
    mirrored_steps,
    near_cuts,
    whole_hulls,
)
from labelwise.decisions.thresholds.curves._cuts import Cuts
from labelwise.decisions.thresholds.curves._frontier_steps import FrontierSteps, frontier_steps
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.decisions.thresholds.objectives._choice import ROUNDING
from labelwise.decisions.thresholds.objectives._hit_search import Wanted, search_hits

# Most steps of successive searches: what a short search finds leaves less for the next one.
_MOST_STEPS = (10**6, 10**7, 10**8)
# Most cuts off the hulls that a search may take.
_MOST_CUTS = 10**6
# Larger than the rounding error of ``hits - slope·decided`` of a label.
_SLACK = 1e-6

# Value of all labels together by decisions and hits, -inf where it is not allowed. With the hits
# fixed, more decisions must never have a higher value.
SideValue = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Found(NamedTuple):
    """A cut of each label, its value, and an upper bound of the value of all other cuts."""

    thresholds: np.ndarray
    decided: np.ndarray  # cells of each label that reach the threshold
    hits: np.ndarray  # positives among them
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
        bounds = value(*self._line_beside(step))
        return self.at_step(step, max(values[step], bounds.max()))._replace(value=values[step])

    def improved(self, best: Found, value: SideValue) -> Found:
        """Return cuts off the frontier that are better than its best vertex, if there are any."""
        if not _is_higher(best.bound, best.value):
            return best._replace(bound=best.value)
        step = int(np.argmax(value(self.steps.decided, self.steps.hits)))
        wanted = self._wanted(value, self._line_beside(step)[1], best.value)
        near = self._near(wanted)
        for most_steps in _MOST_STEPS if near is not None else ():
            reached = search_hits(near, self.steps, wanted, most_steps)
            values = value(reached.decided, reached.hits)
            first = int(np.argmax(values)) if values.size else 0
            if values.size and _is_higher(values[first], best.value):
                cuts = self._at_cuts(near, reached.places(first))
                best = best._replace(**cuts, value=float(values[first]))
            wanted = self._wanted(value, wanted.hits, best.value)
            if reached.is_complete or not wanted.hits.size:
                return best._replace(bound=best.value)
        return best

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

    def _near(self, wanted: Wanted) -> Cuts | None:
        """Return the cuts that wanted solutions may have; None if there are too many."""
        edge = int(np.searchsorted(self.steps.hits, wanted.hits[0], side="left")) - 1
        slope = float(self.steps.slopes[edge])
        highest = self.steps.hits[edge] - slope * self.steps.decided[edge]
        allowance = float(highest - (wanted.hits - slope * wanted.most).min())
        return near_cuts(self.problem, self.is_mirrored, slope, allowance + _SLACK, _MOST_CUTS)

    def at_step(self, step: int, value: float) -> Found:
        """Return the cuts of a step, with a value that is its own bound."""
        n_edges = self.steps.slopes.size - step if self.is_mirrored else step
        places = self.frontier.places(n_edges)
        cuts = (self.hulls.thresholds[places], self.hulls.decided[places], self.hulls.hits[places])
        return Found(*cuts, float(value), float(value))

    def _at_cuts(self, cuts: Cuts, places: np.ndarray) -> dict[str, np.ndarray]:
        """Return the thresholds, decisions and hits of cuts of this side, not mirrored."""
        decided, hits = cuts.decided[places], cuts.hits[places]
        if self.is_mirrored:
            last = self.hulls.starts[1:] - 1
            n_cells, n_hits = self.hulls.decided[last], self.hulls.hits[last]
            decided, hits = mirrored(decided, hits, n_cells, n_cells - n_hits)
        return {"thresholds": cuts.thresholds[places], "decided": decided, "hits": hits}


def sides_of(problem: Problem) -> tuple[Side, Side]:
    """Return the side of acceptance, which is mirrored, and the side of rejection."""
    hulls = whole_hulls(problem)
    steps = frontier_steps(hulls)
    return Side(problem, hulls, steps, True), Side(problem, hulls, steps, False)


def _is_higher(values: np.ndarray | float, best: float) -> np.ndarray:
    """Return which values are higher than the best by more than rounding."""
    return np.asarray(np.asarray(values) > best + ROUNDING * abs(best))
