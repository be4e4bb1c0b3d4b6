"""Tests by betting that the mean of bounded numbers is above 0, for any distribution."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from scipy.special import ndtri

from labelwise._tuning.guarantees._guarantees_kernels import bet_on_rows

# The table of bets goes down to capitals of exp(-40) of the target, in steps of 1 / 128.
_STEPS_PER_UNIT, _DEEPEST = 128.0, 40
# Bets aim at a capital above the target by this much, as a logarithm. Bets that aim at the target
# itself shrink with the distance to it, so that a capital just below the target often stays there:
# of tests that an exact binomial test passes 99 times in 100, they passed 76, with the margin 99.
_MARGIN = 0.05
# The variance of the tuning samples counts as this many rows, beside the rows seen so far. Errors
# are rare and large: the variance of a few rows without one is too low, and bets are too high.
_PRIOR_ROWS = 200.0
_LEAST_VARIANCE = 1e-12


def rejections(
    blocks: Iterable[np.ndarray],
    lowest: np.ndarray,
    mean_squares: np.ndarray,
    n_rows: int,
    alpha: float,
) -> np.ndarray:
    """Return whether the mean of each column is proven to be above 0, see `log_capitals`."""
    found = log_capitals(blocks, lowest, mean_squares, n_rows, alpha)
    return np.asarray(found >= -np.log(alpha))


def log_capitals(
    blocks: Iterable[np.ndarray],
    lowest: np.ndarray,
    mean_squares: np.ndarray,
    n_rows: int,
    alpha: float,
) -> np.ndarray:
    """Bet for each column that the mean of its numbers is above 0.

    A player starts with a capital of 1 and bets before each row that its number is above 0: the
    capital is multiplied by ``1 + bet * number``. If the mean is 0 or less, the capital is a
    nonnegative supermartingale, and exceeds ``1 / alpha`` at any time with probability at most
    alpha (Ville's inequality). So a capital of ``1 / alpha`` rejects the hypothesis, whatever the
    distribution of the numbers.

    The bet of each row only affects the power. It is the one that would reach the target in the
    remaining rows with the highest probability if the sum of the numbers were a Brownian motion
    without drift: with q the normal quantile of ``alpha * capital``, variance v and r rows to come,
    it is ``φ(q) / (Φ(q) sqrt(r v))``. The target of this formula is slightly above ``1 / alpha``.

    Rows of the blocks are independent, and in an order that does not depend on their numbers.
    `lowest` is the least value that a number of each column can have, below 0; `mean_squares` are
    means of the squared numbers on other rows, for the first bets. Return the logarithms of the
    largest capitals: ``exp(-x)`` is a p-value of the hypothesis that the mean is 0 or less.

    References
    ----------
    I. Waudby-Smith, A. Ramdas, "Estimating Means of Bounded Random Variables by Betting", 2024.

    V. Voráček, F. Orabona, "STaR-Bets: Sequential Target-Recalculating Bets for Tighter Confidence
    Intervals", 2025: bets that depend on the capital and on the rows to come.
    """
    state = np.zeros((4, lowest.size))
    state[2] = _PRIOR_ROWS * np.maximum(mean_squares, _LEAST_VARIANCE * lowest**2)
    state[3] = _PRIOR_ROWS
    target, n_left = -np.log(alpha), n_rows
    for values in blocks:
        bet_on_rows(values, state, lowest, target, n_left, bet_table())
        n_left -= values.shape[0]
    return np.asarray(state[1])


@cache
def bet_table() -> tuple[np.ndarray, float]:
    """Return the bets per standard deviation of the sum of the rows to come, and the step.

    Entry i is ``φ(q) / Φ(q)`` for a capital that is lower than the target by a factor of
    ``exp(-i / step)``; ``Φ(q)`` is its share of the capital that bets aim at.
    """
    share = np.exp(-np.arange(_DEEPEST * _STEPS_PER_UNIT + 2) / _STEPS_PER_UNIT - _MARGIN)
    density = np.exp(-0.5 * ndtri(share) ** 2) / np.sqrt(2 * np.pi)
    return density / share, _STEPS_PER_UNIT
