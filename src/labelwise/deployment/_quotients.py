"""Measures as quotients of sums over cells, and intervals of quotients by betting.

A cell is a label of a sample, and its state is 0 (not decided), 1 (decided) or 2 (to review). The
sums of precision, recall and F have a term for each positive, by its state, and one for each
decision. A quotient is above τ if "above - τ · below" is above 0 in sum: tests by betting need the
numbers of independent units, or of drawn cells, and the least that they can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from labelwise._tuning import log_capitals

# Units of which the numbers of all tested values are in memory.
_TOGETHER = 1000
# For bets on every value of a grid that a quotient is above (sign 1) or below (sign -1) it: a
# function that returns the numbers of some units, of shape (n_units, n_values), the least number of
# each value, and rough mean squares for the first bets.
Bets = Callable[[float, np.ndarray], tuple[Callable[[slice], np.ndarray], Any, Any]]


class Terms(NamedTuple):
    """What cells add to sums, for instance to those above and below the line of a measure."""

    positive: np.ndarray  # of a positive of each state, shape (n_sums, 3)
    decided: np.ndarray  # of a decision, whatever the truth, shape (n_sums,)

    def sums(self, positives: Any, n_decided: Any) -> np.ndarray:
        """Return the sums of numbers of positives, by state, and of decisions."""
        return np.asarray(self.positive @ positives + np.multiply.outer(self.decided, n_decided))


def terms_of(measure: str, beta: float) -> Terms:
    """Return the terms of the sums above and below the line of a measure.

    Precision is that of the decided cells. In recall and F, a person finds the positives among the
    cells to review, which are decisions then.
    """
    decided, found = np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])
    above, below, per_decision = {
        "precision": (decided, 0.0 * decided, 1.0),
        "recall": (found, np.ones(3), 0.0),
        "f": ((1 + beta**2) * found, found - decided + beta**2, 1.0),
    }[measure]
    return Terms(np.stack([above, below]), np.array([0.0, per_decision]))


class Quotient(NamedTuple):
    """A measure as a quotient of sums over independent units, each a sample or a group.

    The mean number of decisions, at most m a sample, is read as the share of m that is not
    decided, so that a promise is always a least value between 0 and 1.
    """

    above: np.ndarray  # (n_units,), not negative
    below: np.ndarray
    most_above: float  # the largest number that a unit can have
    most_below: float
    scale: float = 1.0  # roughly the mean square of a unit's number, by that of an error
    most_decided: float = 0.0  # m for the number of decisions

    def on_scale(self, value: Any) -> Any:
        """Turn values of the measure into values of the quotient, and back."""
        return value if not self.most_decided else 1 - value / self.most_decided

    def of_scale(self, value: Any) -> Any:
        """Turn values of the quotient into values of the measure."""
        return value if not self.most_decided else self.most_decided * (1 - value)

    @property
    def value(self) -> float:
        """The quotient itself."""
        return float(self.above.sum() / self.below.sum()) if self.below.any() else math.nan

    def bets(self, sign: float, grid: np.ndarray) -> tuple[Callable[[Any], np.ndarray], Any, Any]:
        """Return what bets need, see `Bets`; the least numbers are below 0 also for 0 and 1."""

        def numbers(units: Any) -> np.ndarray:
            return np.asarray(sign * (self.above[units, None] - grid * self.below[units, None]))

        least = -grid * self.most_below if sign > 0 else (grid - 1) * self.most_above
        return numbers, np.minimum(least, -1e-9), (grid * (1 - grid) + 1e-3) * self.scale


def bounds(bets: Bets, n_units: int, alpha: float, grid: np.ndarray) -> tuple[float, float]:
    """Return the ends of an interval, each wrong with probability at most alpha / 2.

    A lower end that passes the true value has rejected the first value of the grid that is not
    below it, which happens with probability at most alpha / 2; and so for the upper end.
    """
    ends = []
    for sign, values in ((1.0, grid), (-1.0, grid[::-1])):
        numbers, least, squares = bets(sign, values)
        blocks = (
            np.ascontiguousarray(numbers(slice(first, min(first + _TOGETHER, n_units))))
            for first in range(0, n_units, _TOGETHER)
        )
        capitals = log_capitals(blocks, least, squares, n_units, alpha / 2)
        is_rejected = np.append(capitals >= -math.log(alpha / 2), False)
        ends.append(float(values[max(int(np.argmin(is_rejected)) - 1, 0)]))
    return ends[0], ends[1]
