"""Certify the threshold of each label by itself, by exact binomial tests down its curve."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc

from labelwise._counts import Counts
from labelwise._curves import Cuts
from labelwise._tuning.objectives._choice import first_best_of_each
from labelwise._tuning.objectives._constraints import Limits
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import Problem

# Cuts of each label that are tested, and cuts of all labels in memory.
_MOST_CUTS, _FEWEST_CUTS, _MOST_IN_ALL = 100, 5, 2**23
# No label needs more error-free decisions than this at a level that floats can tell from 1.
_MOST_NEEDED = 2**31


def certified_labels(
    tuning: Problem, calibration: Problem, request: Request, options: Certify
) -> tuple[np.ndarray, np.ndarray]:
    """Certify the cut of each label with the best value that passes its tests.

    The cuts of a label are tested on the calibration rows in an order that the tuning rows give:
    from the cut at which the constraint is met with the highest significance to the cut with the
    best value, until the first test fails. A label without positives in the tuning rows has no
    cut to test.

    Returns
    -------
    thresholds : ndarray of shape (n_labels,)
        The certified thresholds, inf for a label without one.
    needed : ndarray of int of shape (n_labels,)
        How many decisions without an error the others lack; 0 for certified labels.
    """
    cuts = tuning.cuts_of_all()
    order = _test_order(cuts, request)
    thresholds = cuts.thresholds[order]
    p_values = _p_values(calibration, thresholds, request.limits)
    has_cuts = (tuning.support > 0) & (thresholds[0] < np.inf)
    # A label passes a cut if all cuts up to it pass.
    p_values = np.maximum.accumulate(np.where(has_cuts, p_values, 1.0), axis=0)
    level = _level(p_values[-1, has_cuts], options)
    n_passed = (p_values <= level).sum(axis=0)
    chosen = thresholds[np.maximum(n_passed - 1, 0), np.arange(tuning.n_labels)]
    needed = _needed(calibration, thresholds[0], request.limits, level)
    return np.where(n_passed, chosen, np.inf), np.where(n_passed, 0, needed)


def _test_order(cuts: Cuts, request: Request) -> np.ndarray:
    """Return the places of the cuts of each label in the order of their tests, one column each.

    Repeated places fill up the columns of labels with few cuts.
    """
    counts = cuts.counts
    p_values = _worst_p_value(counts, request.limits)
    # The first cut of a label decides nothing, so that it cannot be tested.
    is_testable = np.ones(p_values.size, dtype=bool)
    is_testable[cuts.starts[:-1][np.diff(cuts.starts) > 1]] = False
    safest = first_best_of_each(-p_values, cuts.starts, is_testable)
    best = first_best_of_each(
        np.asarray(request.measure(counts), dtype=np.float64), cuts.starts, is_testable
    )
    n_labels = safest.size
    most = int(np.clip(_MOST_IN_ALL // n_labels, _FEWEST_CUTS, _MOST_CUTS))
    n_points = min(most, int(np.abs(best - safest).max()) + 1)
    share = np.linspace(0.0, 1.0, n_points)[:, None]
    places = np.rint(safest + share * (best - safest))
    return np.asarray(places, dtype=np.intp)


def _p_values(calibration: Problem, thresholds: np.ndarray, limits: Limits) -> np.ndarray:
    """Return the p-value of each label at each of its thresholds."""
    # Counts are computed for falling thresholds; tests can go in both directions.
    order = np.argsort(-thresholds, axis=0, kind="stable")
    falling = np.take_along_axis(thresholds, order, axis=0)
    counts = calibration.counts_under(calibration.everyone, falling)
    found = _worst_p_value(counts, limits)
    p_values = np.empty_like(found)
    np.put_along_axis(p_values, order, found, axis=0)
    return p_values


def _worst_p_value(counts: Counts, limits: Limits) -> np.ndarray:
    """Return the largest p-value of the binomial tests of the constraints."""
    hits, errors, missed, _ = counts
    found = np.zeros(np.shape(hits))
    for limit, others in ((limits.min_precision, errors), (limits.min_recall, missed)):
        if limit is not None:
            found = np.maximum(found, binomial_tail(hits, hits + others, limit))
    return found


def binomial_tail(hits: np.ndarray, trials: np.ndarray, rate: float) -> np.ndarray:
    """Return the probability of at least so many hits in so many trials at a rate."""
    tail = betainc(np.maximum(hits, 1), trials - hits + 1.0, rate)
    return np.where(np.asarray(hits) > 0, tail, 1.0)


def _level(p_values: np.ndarray, options: Certify) -> float:
    """Return the level at which each label is tested.

    With ``across="all"``, no label may be wrong: Holm's method. The alpha is shared equally; a
    label that has passed all its cuts leaves its share to the others.
    """
    if options.across == "each" or not p_values.size:
        return options.alpha
    shares = options.alpha / np.arange(p_values.size, 0, -1)
    n_done = int(np.argmin(np.append(np.sort(p_values) <= shares, False)))
    return float(shares[min(n_done, p_values.size - 1)])


def _needed(
    calibration: Problem, thresholds: np.ndarray, limits: Limits, level: float
) -> np.ndarray:
    """Return how many more decisions without an error each label needs to pass its first test."""
    counts = calibration.counts(thresholds)
    low = np.zeros(thresholds.size, dtype=np.int64)
    high = np.full(thresholds.size, _MOST_NEEDED)
    while (low < high).any():
        middle = (low + high) // 2
        enough = _worst_p_value(counts._replace(tp=counts.tp + middle), limits) <= level
        high = np.where(enough, middle, high)
        low = np.where(enough, low, np.minimum(middle + 1, high))
    return low
