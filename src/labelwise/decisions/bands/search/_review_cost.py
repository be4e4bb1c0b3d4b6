"""The least total cost of wrong decisions and of reviews."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._curves import Cuts
from labelwise.decisions.bands.search._band_choice import BandChoice, BandCut
from labelwise.decisions.objectives._by_label import costs_by_label
from labelwise.decisions.objectives._choice import first_best
from labelwise.decisions.problem._problem import Problem

_EVENTS = ("a false positive", "a false negative", "a review")


class ReviewCost(NamedTuple):
    """Costs by label: of a wrong acceptance, of a wrong rejection, and of one review."""

    false_positive: np.ndarray
    false_negative: np.ndarray
    review: np.ndarray

    def for_label(self, j: int) -> ReviewCost:
        """Return the costs of one label."""
        return ReviewCost(*(part[j] for part in self))


def check_review_cost(cost: Any, n_labels: int) -> ReviewCost:
    """Check the costs of a false positive, of a false negative and of a review."""
    return ReviewCost(*costs_by_label(cost, "three costs", _EVENTS, n_labels))


def least_cost(problem: Problem, cost: ReviewCost) -> BandChoice:
    """Choose the bands of each label with the least cost; among equals, the fewest reviews.

    The cost is a sum over labels. For one label it is a function of the upper cut plus a function
    of the lower cut, so that a running minimum over upper cuts gives the best one for each lower
    cut: O(n) for n cuts, over all cuts and not only those on the hull.
    """
    uppers, lowers, total = [], [], 0.0
    for j, cuts in enumerate(problem.every_cut()):
        upper, lower, value = _least_of_label(cuts, cost.for_label(j))
        uppers.append((cuts.thresholds[upper], cuts.decided[upper], cuts.hits[upper]))
        lowers.append((cuts.thresholds[lower], cuts.decided[lower], cuts.hits[lower]))
        total += value
    ends = [BandCut(*map(np.array, zip(*found, strict=True))) for found in (uppers, lowers)]
    return BandChoice(ends[0], ends[1], "cost", total, 0.0)


def _least_of_label(cuts: Cuts, cost: ReviewCost) -> tuple[int, int, float]:
    """Return the place of the upper and of the lower cut of one label, and their cost."""
    of_upper = cost.false_positive * (cuts.decided - cuts.hits) - cost.review * cuts.decided
    missed = cuts.positives[0] - cuts.hits
    of_lower = cost.false_negative * missed + cost.review * cuts.decided
    least = np.minimum.accumulate(of_upper)
    # The last upper cut that reaches the minimum so far leaves the fewest cells to review.
    uppers = np.maximum.accumulate(np.where(of_upper == least, np.arange(least.size), 0))
    totals = of_lower + of_upper[uppers]
    by_queue = np.argsort(cuts.decided - cuts.decided[uppers], kind="stable")
    lower = int(by_queue[first_best(-totals[by_queue])])
    return int(uppers[lower]), lower, float(totals[lower])
