"""Certify the threshold of each label by itself, by tests down its curve.

Decisions of independent samples are tested by exact binomial tests. Samples of a group are not
independent, and weighted samples do not count alike: then the numbers of the groups or samples are
tested by betting.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc

from labelwise._counts import Counts
from labelwise._curves import Cuts
from labelwise._tuning.guarantees._betting import log_capitals
from labelwise._tuning.guarantees._guarantees_kernels import LARGEST_LOSS
from labelwise._tuning.guarantees._unit_statistics import IndependentUnits
from labelwise._tuning.objectives._choice import first_best_of_each
from labelwise._tuning.objectives._constraints import Limits
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import Problem

# Cuts of each label that are tested, and cuts of all labels in memory.
_MOST_CUTS, _FEWEST_CUTS, _MOST_IN_ALL = 100, 5, 2**23
_RATES = ("min_precision", "min_recall")
# No label needs more error-free decisions than this at any level below 1 in double precision.
_MOST_NEEDED = 2**31


def certified_labels(
    tuning: IndependentUnits, calibration: IndependentUnits, request: Request, options: Certify
) -> tuple[np.ndarray, np.ndarray]:
    """Certify the cut of each label with the best value that passes its tests.

    The cuts of a label are tested on the calibration samples in an order that the tuning samples
    give: from the cut at which the constraint is met with the highest significance to the cut with
    the best value, until the first test fails. A label without positives in the tuning samples has
    no cut to test. Return the thresholds, inf for a label without one, and how many decisions
    without an error each label lacks.
    """
    problem = tuning.problem
    cuts = problem.cuts_of_all()
    is_binomial = problem.groups is None and problem.weights is None
    order = _test_order(cuts, request) if is_binomial else _unit_order(tuning, cuts, request)
    thresholds = cuts.thresholds[order]
    has_cuts = (problem.support > 0) & (thresholds[0] < np.inf)
    # With tests by betting, Holm's method starts from the smallest share of alpha.
    least = options.alpha / (max(1, has_cuts.sum()) if options.across == "all" else 1)
    if is_binomial:
        p_values = _p_values(calibration.problem, thresholds, request.limits)
    else:
        p_values = _betting_p_values(tuning, calibration, thresholds, request.limits, least)
    # A label passes a cut if all cuts up to it pass.
    passing = np.maximum.accumulate(np.where(has_cuts, p_values, 1.0), axis=0)
    level = _level(passing[-1, has_cuts], options)
    n_passed = (passing <= level).sum(axis=0)
    chosen = thresholds[np.maximum(n_passed - 1, 0), np.arange(problem.n_labels)]
    if is_binomial:
        needed = _needed(calibration.problem, thresholds[0], request.limits, level)
    else:
        needed = _needed_by_betting(p_values[0], calibration.most_weight, request.limits, level)
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
    n_points = min(_most_cuts(safest.size), int(np.abs(best - safest).max()) + 1)
    return _places_between(safest, best, n_points)


def _most_cuts(n_labels: int) -> int:
    return int(np.clip(_MOST_IN_ALL // n_labels, _FEWEST_CUTS, _MOST_CUTS))


def _places_between(first: np.ndarray, last: np.ndarray, n_points: int) -> np.ndarray:
    """Return whole numbers at equal steps from the first to the last of each column."""
    share = np.linspace(0.0, 1.0, n_points)[:, None]
    return np.asarray(np.rint(first + share * (last - first)), dtype=np.intp)


def _unit_order(tuning: IndependentUnits, cuts: Cuts, request: Request) -> np.ndarray:
    """Return the places of the cuts of each label in the order of their tests by betting.

    The first cut is the one of some 100 at which the numbers of the tuning units, with a mistake
    more, are above 0 by the most standard errors.
    """
    values = np.asarray(request.measure(cuts.counts), dtype=np.float64)
    # The first cut of a label decides nothing, so that it cannot be tested.
    last = cuts.starts[1:] - 1
    places = _places_between(np.minimum(cuts.starts[:-1] + 1, last), last, _most_cuts(last.size))
    safest, best = np.empty_like(last), np.empty_like(last)
    for j, of_label in enumerate(places.T):
        evidence = np.full(of_label.size, np.inf)
        for rate in _RATES:
            limit = getattr(request.limits, rate)
            if limit:
                seen = numbers_of_label(tuning, j, cuts.thresholds[of_label], rate, limit)
                mistake = limit * tuning.mean_weight
                error = np.sqrt(np.sum(seen**2, axis=0) + mistake**2)
                evidence = np.minimum(evidence, (seen.sum(axis=0) - mistake) / error)
        safest[j] = of_label[np.argmax(evidence)]
        best[j] = of_label[np.argmax(np.nan_to_num(values[of_label], nan=-np.inf))]
    return _places_between(safest, best, len(places))


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


def _betting_p_values(
    tuning: IndependentUnits,
    calibration: IndependentUnits,
    thresholds: np.ndarray,
    limits: Limits,
    alpha: float,
) -> np.ndarray:
    """Return the p-value of each label at each of its thresholds, by betting on the units."""
    p_values = np.zeros(thresholds.shape)
    for j in range(thresholds.shape[1]):
        order = np.argsort(-thresholds[:, j], kind="stable")
        falling = thresholds[order, j]
        for rate in _RATES:
            limit = getattr(limits, rate)
            if not limit:
                continue
            seen, tested = (
                numbers_of_label(units, j, falling, rate, limit) for units in (tuning, calibration)
            )
            lowest = np.full(falling.size, -limit * calibration.most_weight)
            squares = np.mean(seen**2, axis=0) if len(seen) else lowest**2
            capitals = log_capitals([tested], lowest, squares, len(tested), alpha)
            # Bets end at a capital of 1 / alpha, which must not be missed by rounding.
            found = np.where(capitals >= -np.log(alpha), alpha, np.exp(-capitals))
            p_values[order, j] = np.maximum(p_values[order, j], found)
    return p_values


def numbers_of_label(
    units: IndependentUnits, j: int, thresholds: np.ndarray, rate: str, limit: float
) -> np.ndarray:
    """Return the numbers that a label has in the units, one column for each falling threshold.

    With the truth y and the decision d of a sample, 0 or 1, the number of a unit is the weighted
    sum of ``d (y - limit)`` for a precision above the limit, and of ``y (d - limit)`` for a
    recall. Units whose number is 0 at all thresholds, because no sample has a decision or none
    has the label, are left out: the others are independent too, and their mean has the same sign.
    """
    ranking, Y = units.problem.ranking, units.problem.Y
    of_label = slice(*ranking.starts[j : j + 2])
    rows, is_positive = ranking.cells[of_label] >> 1, ranking.cells[of_label] & 1 == 1
    entry = np.searchsorted(-thresholds, -ranking.scores[of_label])
    taken = np.flatnonzero(entry < thresholds.size)
    if rate == "min_precision":
        rows, entry, gains = rows[taken], entry[taken], is_positive[taken] - limit
    else:
        # A positive counts as missed at all thresholds, and as found from its entry on.
        taken = taken[is_positive[taken]]
        positives = Y.indices[slice(*Y.indptr[j : j + 2])]
        rows = np.append(rows[taken], positives)
        entry = np.append(entry[taken], np.zeros(positives.size, dtype=np.intp))
        gains = np.repeat([1.0, -limit], [taken.size, positives.size])
    if units.weights is not None:
        gains = gains * units.weights[rows]
    concerned, places = np.unique(np.searchsorted(units.ends, rows, "right"), return_inverse=True)
    numbers = np.zeros((concerned.size, thresholds.size))
    np.add.at(numbers, (places, entry), gains)
    return np.cumsum(numbers, axis=1)


def _needed_by_betting(
    p_values: np.ndarray, most_weight: float, limits: Limits, level: float
) -> np.ndarray:
    """Estimate how many more decisions without an error each label needs to pass its first test.

    Each is that of another unit, of one sample with weight 1, and wins the largest bet.
    """
    limit = max(limits.min_precision or 0.0, limits.min_recall or 0.0, 1e-12)
    gain = np.log1p(LARGEST_LOSS * (1 - limit) / (limit * most_weight))
    short = np.log(np.maximum(p_values, level) / level)
    needed = np.minimum(np.ceil(short / max(gain, 1 / _MOST_NEEDED)), _MOST_NEEDED)
    return np.asarray(needed, dtype=np.int64)


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
    return options.alpha if options.across == "each" else holm_level(p_values, options.alpha)


def holm_level(p_values: np.ndarray, alpha: float) -> float:
    """Return the level of each sequence of tests; `p_values` are those of whole sequences."""
    if not p_values.size:
        return alpha
    shares = alpha / np.arange(p_values.size, 0, -1)
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
