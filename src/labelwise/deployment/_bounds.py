"""Intervals of quotients by betting, for checks of promises and for audits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from labelwise._tuning import log_capitals

# Units of which the numbers of all tested values are in memory.
_TOGETHER = 1000
# For bets on every value of a grid that a quotient is above (sign 1) or below (sign -1) it: a
# function that returns the numbers of some units, of shape (n_units, n_values), the least number of
# each value, and rough mean squares for the first bets.
Bets = Callable[[float, np.ndarray], tuple[Callable[[slice], np.ndarray], Any, Any]]


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
