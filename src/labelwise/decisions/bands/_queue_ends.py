"""One end of the queue by itself: which cells are accepted, or which are kept from rejection.

Both ends of the queue lie on one frontier: cells are accepted down to one point of it, and reviewed
down to another. What is not accepted, from the lowest score up, is the same problem mirrored: the
cells are taken from the other end, and negatives are what is looked for. A `Side` finds the best
cuts of one end for one of the `SideValues`: many accepted cells, few kept ones, or a high rate. It
takes the best vertex of the frontier first, and then searches the cuts near the hulls that could be
better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from labelwise._curves import ROUNDING, Cuts, FrontierSteps, hulls_of, joined
from labelwise._tuning.objectives._off_frontier import FewestDecisions, Wanted, search_hits
from labelwise._tuning.problem._problem import Problem

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


class BandCut(NamedTuple):
    """One end of the queue: a threshold of each label, and the cells that reach it."""

    thresholds: np.ndarray
    decided: np.ndarray  # cells of each label
    hits: np.ndarray  # positives among them


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
        return _mirrored_steps(self.frontier) if self.is_mirrored else self.frontier

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
            decided, hits = _mirrored(decided, hits, n_cells, n_cells - n_hits)
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
            cuts = _near_cuts(self.problem, near, mirror=self.is_mirrored, most_cuts=_MOST_CUTS)
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


def _is_higher(values: np.ndarray | float, best: float) -> np.ndarray:
    """Return which values are higher than the best by more than rounding."""
    return np.asarray(np.asarray(values) > best + ROUNDING * abs(best))


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


def whole_hulls(problem: Problem) -> Cuts:
    """Return the hull vertices of each label, and the cut that decides every scored sample.

    Labels are read one at a time, since all cuts would be five times the size of the scores.
    """
    found = []
    for cuts in problem.every_cut():
        hull = hulls_of(cuts)
        parts = zip(_fields_of(hull), _fields_of(cuts), strict=True)
        # A hull ends at the last positive.
        ends = cuts.decided[-1] == hull.decided[-1]
        found.append(tuple(part if ends else np.append(part, every[-1]) for part, every in parts))
    return joined(found, problem.support, problem.n_samples)


class Near(NamedTuple):
    """Which cuts of a label may belong to a better solution.

    ``hits - slope·decided`` must be at most `allowance` below the highest value of the label, and
    label j must have at least ``fewest[j]`` decisions.
    """

    slope: float
    allowance: float
    fewest: np.ndarray

    def places(self, cuts: Cuts, j: int) -> np.ndarray:
        """Return the places of these cuts; of equal hits, only that with the fewest decisions."""
        gains = cuts.hits - self.slope * cuts.decided
        is_near = gains >= gains.max() - self.allowance
        places = np.flatnonzero(is_near & (cuts.decided >= self.fewest[j]))
        return places[np.diff(cuts.hits[places], prepend=-1) > 0]


def _near_cuts(problem: Problem, near: Near, *, mirror: bool, most_cuts: int) -> Cuts | None:
    """Return the cuts of all labels that may belong to a better solution.

    Cuts are those of the mirrored problem if `mirror`. None is returned for more than `most_cuts`
    cuts, and if a label has none.
    """
    found, n_found = [], 0
    for j, cuts in enumerate(problem.every_cut()):
        one = _mirrored_cuts(cuts) if mirror else cuts
        places = near.places(one, j)
        found.append(tuple(part[places] for part in _fields_of(one)))
        n_found += places.size
        if n_found > most_cuts or not places.size:
            return None
    return joined(found, problem.support, problem.n_samples)


def _fields_of(cuts: Cuts) -> tuple[np.ndarray, ...]:
    """Return the arrays of cuts as `joined` takes them."""
    return cuts.decided, cuts.hits, cuts.lows, cuts.thresholds


def _mirrored_cuts(cuts: Cuts) -> Cuts:
    """Return the cuts of one label from the lowest score up; hits are negatives below the cut."""
    decided, hits = _mirrored(cuts.decided, cuts.hits, cuts.decided[-1], cuts.hits[-1])
    backwards = cuts._replace(lows=cuts.lows[::-1], thresholds=cuts.thresholds[::-1])
    return backwards._replace(decided=decided[::-1], hits=hits[::-1])


def _mirrored_steps(steps: FrontierSteps) -> FrontierSteps:
    """Return the frontier from all cells to none, with negatives as hits."""
    decided, hits = _mirrored(steps.decided, steps.hits, steps.decided[-1], steps.hits[-1])
    return steps._replace(
        labels=steps.labels[::-1],
        slopes=1 - steps.slopes[::-1],
        decided=decided[::-1],
        hits=hits[::-1],
    )


def _mirrored(
    decided: np.ndarray, hits: np.ndarray, n_cells: Any, n_hits: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many cells are not decided, and how many of these are negatives."""
    rest = n_cells - decided
    return rest, rest - (n_hits - hits)
