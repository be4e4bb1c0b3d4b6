"""The largest number between any two places of a short array, found in constant time."""

from __future__ import annotations

import numpy as np


class RangeMaxima:
    """Maxima of all stretches of an array whose length is a power of two; NaN is left out.

    Parameters
    ----------
    values : ndarray
        The numbers.
    """

    def __init__(self, values: np.ndarray) -> None:
        levels = [np.where(np.isnan(values), -np.inf, values)]
        width = 1
        while 2 * width <= values.size:
            before = levels[-1]
            after = np.append(before[width:], np.full(width, -np.inf))
            levels.append(np.maximum(before, after))
            width *= 2
        self._table = np.stack(levels)
        self._level = np.frexp(np.arange(1, values.size + 1))[1] - 1

    def highest(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return the largest value from each first to each last place; -inf if there is none."""
        level = self._level[last - first]
        two = self._table[level, first], self._table[level, last - (1 << level) + 1]
        return np.asarray(np.maximum(*two))
