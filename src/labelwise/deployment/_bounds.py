"""Intervals of quotients by betting, for checks of promises and for audits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from labelwise._tuning import log_capitals

# Bets on every value of a grid that a quotient is above (sign 1) or below (sign -1) it: blocks of
# numbers, the least number of each value, and rough mean squares for the first bets.
Bets = Callable[[float, np.ndarray], tuple[Iterable[np.ndarray], Any, Any]]


def bounds(bets: Bets, n_units: int, alpha: float, grid: np.ndarray) -> tuple[float, float]:
    """Return the ends of an interval, each wrong with probability at most alpha / 2.

    A lower end that passes the true value has rejected the first value of the grid that is not
    below it, which happens with probability at most alpha / 2; and so for the upper end.
    """
    ends = []
    for sign, values in ((1.0, grid), (-1.0, grid[::-1])):
        numbers, least, squares = bets(sign, values)
        capitals = log_capitals(numbers, least, squares, n_units, alpha / 2)
        is_rejected = np.append(capitals >= -math.log(alpha / 2), False)
        ends.append(float(values[max(int(np.argmin(is_rejected)) - 1, 0)]))
    return ends[0], ends[1]
