"""Tests by betting, binomial tests and counts along a path, written as their definitions."""

import math
from statistics import NormalDist

import numpy as np

NORMAL = NormalDist()


def capitals(
    numbers, lowest, mean_square, alpha, *, largest_loss=0.95, prior_rows=200, n_planned=None
):
    """The capital after each number, starting with 1.

    The bet is the one that would reach the aim, slightly above 1/alpha, in the remaining rounds
    with the highest probability if the numbers were normal with mean 0.
    """
    aim = math.exp(0.05) / alpha
    capital, found = 1.0, []
    squares, n_squares = prior_rows * mean_square, prior_rows
    for t, number in enumerate(numbers):
        if max([1.0, *found]) >= 1 / alpha:
            break
        q = NORMAL.inv_cdf(capital / aim)
        deviation = math.sqrt(((n_planned or len(numbers)) - t) * squares / n_squares)
        bet = NORMAL.pdf(q) / NORMAL.cdf(q) / deviation
        capital *= 1 + min(bet, largest_loss / -lowest) * number
        found.append(capital)
        squares, n_squares = squares + number**2, n_squares + 1
    return found


def row_counts(scores, Y, thresholds, most):
    """Decisions and hits of each row; a row keeps its highest scores, the first among equals."""
    found = []
    for row, truth in zip(scores, Y, strict=True):
        reached = [j for j in range(row.size) if row[j] >= thresholds[j]]
        kept = sorted(reached, key=lambda j: (-row[j], j))[:most]
        found.append((len(kept), sum(bool(truth[j]) for j in kept)))
    return np.array(found).T


def tail(hits, trials, rate):
    """The probability of at least so many hits, term by term."""
    return sum(
        math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(hits, trials + 1)
    )


def needed(hits, trials, rate, level):
    """The fewest further trials, all hits, after which the tail is at most the level."""
    further = 0
    while tail(hits + further, trials + further, rate) > level:
        further += 1
    return further
