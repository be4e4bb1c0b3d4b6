"""Search the bands of labels: for a precision, a recall, the size of the queue, or the least cost.

`QueueSearch` finds the smallest queue for given rates and the best rates for a given queue: each
end of the queue by itself, and then both in order. With costs, `least_cost` solves each label by
itself. Both return a `BandChoice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from labelwise._curves import Cuts, frontier_steps
from labelwise._tuning.objectives._choice import first_best
from labelwise._tuning.objectives._constraints import InfeasibleError, Limits
from labelwise._tuning.objectives._off_frontier import OffFrontier
from labelwise._tuning.problem._problem import Problem
from labelwise.decisions.bands._queue_ends import (
    BandCut,
    Found,
    Side,
    SideValue,
    SideValues,
    whole_hulls,
)
from labelwise.measures import f_measure

# The rate that precision and recall both reach is bisected until its bounds differ by less.
_RATE_TOLERANCE = 1e-4


class BandChoice(NamedTuple):
    """Both ends of the queue, the value of the objective, and how much better others could be."""

    upper: BandCut
    lower: BandCut
    objective: str
    value: float
    gap: float

    @property
    def n_reviewed(self) -> int:
        """Number of cells to review, of all labels."""
        return int((self.lower.decided - self.upper.decided).sum())


@dataclass(frozen=True, eq=False)
class QueueSearch:
    """Find bands by searching both ends of the queue, each by itself.

    On the frontier the ends are in order for every label or for none, since both are points of the
    same frontier. If the end of the accepted cells lies behind the end of the kept ones, each
    point between meets both constraints, and no cell needs a review. Thresholds off the frontier
    can be in the wrong order for some labels; the gap includes what putting them in order costs.
    """

    problem: Problem

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The side of acceptance, which is mirrored, and the side of rejection."""
        hulls = whole_hulls(self.problem)
        steps = frontier_steps(hulls)
        return Side(self.problem, hulls, steps, True), Side(self.problem, hulls, steps, False)

    @cached_property
    def values(self) -> SideValues:
        """The values that each side can be searched for."""
        steps = self.sides[1].steps
        n_cells, n_hits = int(steps.decided[-1]), int(steps.hits[-1])
        return SideValues(n_cells, n_cells - n_hits, int(self.problem.support.sum()))

    def smallest_queue(self, min_precision: float | None, min_recall: float | None) -> BandChoice:
        """Find the fewest cells to review; without a least rate, one side is not used."""
        uppers, lowers = self._accepted(min_precision), self._kept(min_recall)
        least = max(0.0, -lowers[0].bound - uppers[0].bound)
        found = None
        if least == 0 and min_precision is not None and min_recall is not None:
            found = self._without_review(min_precision, min_recall)
        if found is None:
            more_uppers = self._in_order(
                0, self.values.most_accepted(min_precision or 0), uppers, lowers[-1]
            )
            more_lowers = self._in_order(
                1, self.values.fewest_kept(min_recall or 0), lowers, uppers[-1]
            )
            pairs = product([*uppers, *more_uppers], [*lowers, *more_lowers])
            found = min((_ordered(*pair) for pair in pairs), key=lambda choice: choice.n_reviewed)
        n_reviewed = found.n_reviewed
        return found._replace(value=float(n_reviewed), gap=n_reviewed - min(least, n_reviewed))

    def highest_recall(self, min_precision: float, most_reviewed: int) -> BandChoice:
        """Find the highest recall of accepted and reviewed cells with a queue of this size."""
        uppers, choices = self._accepted(min_precision), []
        for upper in uppers:
            value = self.values.highest_recall(upper.cut.decided.sum() + most_reviewed)
            lowers = self._ends(1, value)
            lowers += self._in_order(1, value, lowers, uppers[-1])
            choices += [_ordered(upper, lower) for lower in lowers]
        bound = self._ends(1, self.values.highest_recall(uppers[0].bound + most_reviewed))[0].bound
        return _best(choices, most_reviewed, "recall", self._recall, bound)

    def highest_precision(self, min_recall: float, most_reviewed: int) -> BandChoice:
        """Find the highest precision of accepted cells with a queue of this size."""
        lowers, choices = self._kept(min_recall), []
        for lower in lowers:
            value = self.values.highest_precision(lower.cut.decided.sum() - most_reviewed)
            uppers = self._ends(0, value)
            uppers += self._in_order(0, value, uppers, lowers[-1])
            choices += [_ordered(upper, lower) for upper in uppers]
        least = -lowers[0].bound - most_reviewed
        bound = self._ends(0, self.values.highest_precision(least))[0].bound
        return _best(choices, most_reviewed, "precision", self._precision, bound)

    def highest_equal_rate(self, most_reviewed: int) -> BandChoice:
        """Find the highest t such that a precision and a recall of t need no larger queue.

        The best pair of points of the frontier is the start. Then t is bisected: the queue for t is
        bounded from below by the frontier, and found by the search for the smallest queue.
        """
        best = self._best_on_frontier(most_reviewed)
        low, high, rate = best.value, np.inf, 1.0
        while high - low > _RATE_TOLERANCE and low < 1:
            if self.least_queue(rate, rate) > most_reviewed:
                high = rate
            else:
                found = self.smallest_queue(rate, rate)
                if found.n_reviewed <= most_reviewed:
                    low, best = min(self._precision(found), self._recall(found)), found
                elif found.value - found.gap > most_reviewed:
                    high = rate
                else:
                    break
            rate = (low + min(high, 1.0)) / 2
        gap = max(0.0, min(high, 1.0) - low)
        return best._replace(objective="rate", value=low, gap=gap)

    def _best_on_frontier(self, most_reviewed: int) -> BandChoice:
        """Return the pair of frontier points with the highest lower rate within the queue."""
        side, values = self.sides[1], self.values
        decided, hits = side.steps.decided, side.steps.hits
        kept = np.searchsorted(decided, decided + most_reviewed, side="right") - 1
        rates = np.minimum(values.precision(decided, decided - hits), values.recall(hits[kept]))
        step = int(np.argmax(rates))
        ends = [side.at_step(n) for n in (step, int(kept[step]))]
        return BandChoice(ends[0], nested(*ends), "rate", float(rates[step]), 0.0)

    def least_queue(self, min_precision: float, min_recall: float) -> float:
        """Return a lower bound of the smallest queue, from the frontier; inf if there is none."""
        upper = self.sides[0].best_vertex(self.values.most_accepted(min_precision))
        lower = self.sides[1].best_vertex(self.values.fewest_kept(min_recall))
        return np.inf if upper is None or lower is None else -lower.bound - upper.bound

    def _accepted(self, min_precision: float | None) -> list[Found]:
        """Return the most cells that may be accepted, by a search and on the frontier."""
        if min_precision is None:
            n_labels = self.problem.n_labels
            none = np.zeros(n_labels, dtype=np.int64)
            return [Found(BandCut(np.full(n_labels, np.inf), none, none), 0.0, 0.0)]
        return self._ends(0, self.values.most_accepted(min_precision))

    def _kept(self, min_recall: float | None) -> list[Found]:
        """Return the fewest cells that must not be rejected, by a search and on the frontier."""
        side = self.sides[1]
        steps = side.steps
        if min_recall is None:
            n_cells = float(steps.decided[-1])
            return [Found(side.at_step(steps.slopes.size), -n_cells, -n_cells)]
        found = self._ends(1, self.values.fewest_kept(min_recall))
        if not found:
            highest = self.values.recall(steps.hits[-1])
            raise InfeasibleError(
                f"min_recall={min_recall} cannot be met: the highest recall of the cells that have "
                f"a score is {highest:.4g}."
            )
        return found

    def _ends(self, side: int, value: SideValue) -> list[Found]:
        """Return the result of a search of a side, and the best vertex if they differ."""
        vertex = self.sides[side].best_vertex(value)
        if vertex is None:
            return []
        best = self.sides[side].improved(vertex, value)
        return [best] if best.value == vertex.value else [best, vertex]

    def _in_order(
        self, side: int, value: SideValue, ends: list[Found], other: Found
    ) -> list[Found]:
        """Return an end of a side that is in order with a vertex of the other side.

        It is searched only if the best end of the side is off the frontier, and not in order.
        """
        upper, lower = (ends[0], other) if side == 0 else (other, ends[0])
        if len(ends) == 1 or not (upper.cut.decided > lower.cut.decided).any():
            return []
        return [self.sides[side].improved(ends[-1], value, other.cut)]

    def _without_review(self, min_precision: float, min_recall: float) -> BandChoice | None:
        """Return the thresholds of the highest micro F that meet both rates without a review."""
        limits = Limits(min_precision or None, min_recall or None)
        if not (limits.are_set and self.values.n_positive):
            return None
        cuts = self.problem.cuts_of_all()
        try:
            best = OffFrontier(self.problem, cuts, f_measure, limits).best()
        except ValueError:
            return None
        both = BandCut(best.thresholds, best.decided, best.hits)
        return BandChoice(both, both, "review", 0.0, 0.0)

    def _recall(self, choice: BandChoice) -> float:
        return float(self.values.recall(choice.lower.hits.sum()))

    def _precision(self, choice: BandChoice) -> float:
        accepted, hits = choice.upper.decided.sum(), choice.upper.hits.sum()
        return float(self.values.precision(accepted, accepted - hits))


def _ordered(upper: Found, lower: Found) -> BandChoice:
    """Return bands with these ends, in order."""
    return BandChoice(upper.cut, nested(upper.cut, lower.cut), "review", 0.0, 0.0)


def nested(upper: BandCut, lower: BandCut) -> BandCut:
    """Return the lower ends, lowered to the upper ones where they are above.

    A label whose upper threshold is below the lower one has no cell to review. Its cells between
    both are accepted: this loses no positive, and changes no accepted cell.
    """
    is_above = lower.decided < upper.decided
    return BandCut(*(np.where(is_above, high, low) for high, low in zip(upper, lower, strict=True)))


def _best(
    choices: Iterable[BandChoice],
    most_reviewed: int,
    objective: str,
    value: Callable[[BandChoice], float],
    bound: float,
) -> BandChoice:
    """Return the bands of the highest value within the queue; among equals, fewest reviews."""
    allowed = [choice for choice in choices if choice.n_reviewed <= most_reviewed]
    best = max(allowed, key=lambda choice: (value(choice), -choice.n_reviewed))
    reached = value(best)
    return best._replace(objective=objective, value=reached, gap=max(0.0, bound - reached))


def least_cost(problem: Problem, costs: Sequence[np.ndarray]) -> BandChoice:
    """Choose the bands of each label with the least cost; among equals, the fewest reviews.

    The costs are those of a wrong acceptance, of a wrong rejection and of one review, by label.
    The cost is a sum over labels. For one label it is a function of the upper cut plus a function
    of the lower cut, so that a running minimum over upper cuts gives the best one for each lower
    cut: O(n) for n cuts, over all cuts and not only those on the hull.
    """
    uppers, lowers, total = [], [], 0.0
    for j, cuts in enumerate(problem.every_cut()):
        upper, lower, value = _least_of_label(cuts, *(part[j] for part in costs))
        uppers.append((cuts.thresholds[upper], cuts.decided[upper], cuts.hits[upper]))
        lowers.append((cuts.thresholds[lower], cuts.decided[lower], cuts.hits[lower]))
        total += value
    ends = [BandCut(*map(np.array, zip(*found, strict=True))) for found in (uppers, lowers)]
    return BandChoice(ends[0], ends[1], "cost", total, 0.0)


def _least_of_label(
    cuts: Cuts, false_positive: float, false_negative: float, review: float
) -> tuple[int, int, float]:
    """Return the place of the upper and of the lower cut of one label, and their cost."""
    of_upper = false_positive * (cuts.decided - cuts.hits) - review * cuts.decided
    missed = cuts.positives[0] - cuts.hits
    of_lower = false_negative * missed + review * cuts.decided
    least = np.minimum.accumulate(of_upper)
    # The last upper cut that reaches the minimum so far leaves the fewest cells to review.
    uppers = np.maximum.accumulate(np.where(of_upper == least, np.arange(least.size), 0))
    totals = of_lower + of_upper[uppers]
    by_queue = np.argsort(cuts.decided - cuts.decided[uppers], kind="stable")
    lower = int(by_queue[first_best(-totals[by_queue])])
    return int(uppers[lower]), lower, float(totals[lower])
