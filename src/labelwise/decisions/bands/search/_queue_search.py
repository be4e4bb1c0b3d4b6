"""The smallest queue for given rates, and the best rates for a given queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from labelwise.decisions.bands.search._band_choice import BandChoice, BandCut, nested
from labelwise.decisions.bands.search._side_values import SideValues
from labelwise.decisions.bands.search._sides import Found, Side, SideValue, sides_of
from labelwise.decisions.objectives._constraints import InfeasibleError, Limits
from labelwise.decisions.objectives._off_frontier import OffFrontier
from labelwise.decisions.problem._problem import Problem
from labelwise.measures import f_measure


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
    def _sides(self) -> tuple[Side, Side]:
        return sides_of(self.problem)

    @cached_property
    def values(self) -> SideValues:
        """The values that each side can be searched for."""
        steps = self._sides[1].steps
        n_cells, n_hits = int(steps.decided[-1]), int(steps.hits[-1])
        return SideValues(n_cells, n_cells - n_hits, int(self.problem.support.sum()))

    @property
    def keep(self) -> Side:
        """The side of the lower thresholds."""
        return self._sides[1]

    def least_queue(self, min_precision: float, min_recall: float) -> float:
        """Return a lower bound of the smallest queue, from the frontier; inf if there is none."""
        upper = self._sides[0].best_vertex(self.values.most_accepted(min_precision))
        lower = self._sides[1].best_vertex(self.values.fewest_kept(min_recall))
        return np.inf if upper is None or lower is None else -lower.bound - upper.bound

    def lower_rate(self, choice: BandChoice) -> float:
        """Return the lower one of precision of accepted cells and recall of kept cells."""
        return min(self._precision(choice), self._recall(choice))

    def smallest_queue(self, min_precision: float | None, min_recall: float | None) -> BandChoice:
        """Find the fewest cells to review; without a least rate, one side is not used.

        Raises
        ------
        ValueError
            If the recall cannot be met, because too many positives have no score.
        """
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

    def _accepted(self, min_precision: float | None) -> list[Found]:
        """Return the most cells that may be accepted, by a search and on the frontier."""
        if min_precision is None:
            n_labels = self.problem.n_labels
            none = np.zeros(n_labels, dtype=np.int64)
            return [Found(BandCut(np.full(n_labels, np.inf), none, none), 0.0, 0.0)]
        return self._ends(0, self.values.most_accepted(min_precision))

    def _kept(self, min_recall: float | None) -> list[Found]:
        """Return the fewest cells that must not be rejected, by a search and on the frontier."""
        steps = self.keep.steps
        if min_recall is None:
            n_cells = float(steps.decided[-1])
            return [Found(self.keep.at_step(steps.slopes.size), -n_cells, -n_cells)]
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
        vertex = self._sides[side].best_vertex(value)
        if vertex is None:
            return []
        best = self._sides[side].improved(vertex, value)
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
        return [self._sides[side].improved(ends[-1], value, other.cut)]

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
