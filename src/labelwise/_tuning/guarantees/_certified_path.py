"""Certify a vector of thresholds: a point of a path, by tests on the calibration samples.

`certified_point` tests the constraints by betting, from a safe point on, and `shortfall` says what
is missing where no point passes. `f_bound` bounds micro F at the certified point in the same way.
`first_controlled_point` is for a recall in expectation instead of with a probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import ratio
from labelwise._tuning.guarantees._betting import log_capitals, rejections
from labelwise._tuning.guarantees._guarantees_kernels import LARGEST_LOSS
from labelwise._tuning.guarantees._paths import PathChoice
from labelwise._tuning.guarantees._unit_statistics import (
    IndependentUnits,
    PathCells,
    path_cells,
    row_statistics,
)
from labelwise._tuning.objectives._constraints import Limits
from labelwise._tuning.objectives._request import Request

# Limits that are tested for a lower bound of a rate, and the largest factor of samples to advise.
_N_RATES, MOST_TIMES = 100, 1000.0
# Limits of F that are tested, and where the first and the last of them are, in standard errors
# from the F on the tuning samples.
_N_LIMITS, _FIRST, _LAST, _N_FAR = 60, -12.0, 2.0, 40
_BLOCK = 2**15


class CertifiedPoint(NamedTuple):
    """Certified thresholds, the limit of decisions per row, and how many points were tested."""

    thresholds: np.ndarray
    most_per_row: int | None
    n_tested: int


def certified_point(
    choices: Sequence[PathChoice], calibration: IndependentUnits, request: Request, alpha: float
) -> CertifiedPoint | None:
    """Find the point of best value on the tuning samples that calibration samples certify.

    The points and their order depend on the tuning samples only. They are tested in this order on
    the calibration samples, each at the full level, until the first test fails (fixed sequence): a
    point that breaks a constraint is passed with probability at most alpha, whatever the number
    of points, because the first such point must have been rejected falsely. None if the first
    test fails.
    """
    return tested_points(choices, calibration, request, alpha, alpha).certified(alpha)


class PointTests(NamedTuple):
    """Points of paths in the order of their tests."""

    choices: Sequence[PathChoice]
    numbers: np.ndarray  # of the choice of each point
    points: np.ndarray  # of its path
    values: np.ndarray  # of the measure on tuning units
    passing: np.ndarray  # the largest p-value up to each point

    def certified(self, level: float) -> CertifiedPoint | None:
        """Return the point with the best value before the first test that fails, or None."""
        n_passed = int((self.passing <= level).sum())
        if not n_passed:
            return None
        best = int(np.argmax(np.nan_to_num(self.values[:n_passed], nan=-np.inf)))
        choice = self.choices[self.numbers[best]]
        n_tested = sum(one.sequence.size for one in self.choices)
        return CertifiedPoint(choice.path[self.points[best]], choice.most_per_row, n_tested)


def tested_points(
    choices: Sequence[PathChoice],
    calibration: IndependentUnits,
    request: Request,
    alpha: float,
    most: float,
) -> PointTests:
    """Test points in order, by bets that aim at the level `alpha`.

    Paths after a path with a p-value above `most`, the largest level, are not tested.
    """
    numbers, points, values, p_values = [], [], [], []
    for number, (path, most_per_row, summary, sequence) in enumerate(choices):
        tested = np.sort(sequence)
        cells = path_cells(calibration.problem, path[tested], most_per_row)
        squares = summary.mean_squares[:, tested]
        found = _p_values(calibration, request, cells, squares, alpha)
        numbers.append(np.full(sequence.size, number))
        points.append(sequence)
        values.append(summary.values[sequence])
        p_values.append(found[np.searchsorted(tested, sequence)])
        if p_values[-1].max() > most:
            break
    passing = np.maximum.accumulate(np.concatenate(p_values))
    order = tuple(np.concatenate(part) for part in (numbers, points, values))
    return PointTests(choices, order[0], order[1], order[2], passing)


def _p_values(
    calibration: IndependentUnits,
    request: Request,
    cells: PathCells,
    mean_squares: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """Return the p-value of each point of a path, alpha at least: the worst of its constraints."""
    n_labels, n_units = calibration.problem.most_labels, calibration.n_units
    statistics = row_statistics(request.limits, request.average, n_labels, cells.most_per_row)
    p_values = np.full(cells.n_points, alpha)
    for statistic, squares in zip(statistics, mean_squares, strict=True):
        lowest = np.full(cells.n_points, statistic.lowest * calibration.most_weight)
        blocks = calibration.blocks_of(cells, statistic)
        capitals = log_capitals(blocks, lowest, squares, n_units, alpha)
        # Bets end at a capital of 1 / alpha, which must not be missed by rounding.
        found = np.where(capitals >= -np.log(alpha), alpha, np.exp(-capitals))
        p_values = np.maximum(p_values, found)
    return p_values


def _n_before_a_failure(passed: np.ndarray) -> int:
    return int(np.argmin(np.append(passed, False)))


def shortfall(
    choices: Sequence[PathChoice], calibration: IndependentUnits, request: Request, alpha: float
) -> str:
    """Say what the point that was tested first reaches and proves, and what might pass.

    For each constraint, rising limits are tested at this point until the first test fails: the last
    limit that passes is a lower bound of the rate on new samples. The number of samples that would
    be enough is the one at which the capital is expected to reach its target.
    """
    path, most, _, sequence = choices[0]
    thresholds = path[sequence[0]]
    cells = path_cells(calibration.problem, thresholds[None], most)
    n_decided = sum(int(counts.decided.sum()) for counts in cells.blocks(calibration.ends))
    if n_decided == 0:
        return (
            "the safest thresholds found make no decision there; lower limits, a lower probability "
            "or more samples may pass"
        )
    reached = rates_reached(calibration, thresholds, most, request.average)
    said, factors = [], []
    for rate, name in zip(reached, ("min_precision", "min_recall"), strict=True):
        asked = getattr(request.limits, name)
        if asked is None:
            continue
        limits = asked * np.linspace(1 / _N_RATES, 1.0, _N_RATES)
        statistics = [
            row_statistics(
                Limits(**{name: limit}),
                request.average,
                calibration.problem.most_labels,
                cells.most_per_row,
            )[0]
            for limit in limits.tolist()
        ]
        each = (calibration.blocks_of(cells, statistic) for statistic in statistics)
        numbers = np.hstack([np.concatenate(list(blocks)) for blocks in each])
        lowest = np.array([one.lowest for one in statistics]) * calibration.most_weight
        squares = (numbers**2).mean(axis=0)
        passed = rejections([numbers], lowest, squares, calibration.n_units, alpha)
        n_passed = _n_before_a_failure(passed)
        proven = limits[n_passed - 1] if n_passed else 0.0
        said.append(f"{name[4:]} {rate:.4f}, which proves {proven:.2f}")
        factors.append(_times_enough(numbers[:, -1], lowest[-1], alpha))
    more = max(factors)
    advice = "lower limits or a lower probability may pass, more samples alone will not"
    if more < MOST_TIMES:
        times = f"about {max(more, 1.5):.2g} times as many samples"
        advice = f"lower limits, a lower probability or {times} may pass"
    decisions = "1 decision" if n_decided == 1 else f"{n_decided:,} decisions"
    safest = f"the safest thresholds found make {decisions} there, with {' and '.join(said)}"
    return f"{safest}; {advice}"


def _times_enough(numbers: np.ndarray, lowest: float, alpha: float) -> float:
    """Return how many times as many units as these let the capital reach its target, by mean."""
    mean, square = numbers.mean(), np.mean(numbers**2)
    if mean <= 0:
        return np.inf
    bet = min(mean / max(square, np.finfo(float).tiny), LARGEST_LOSS / -lowest)
    return float(-np.log(alpha) / ((bet * mean - bet**2 * square / 2) * numbers.size))


def samples_factor(
    points: PointTests, calibration: IndependentUnits, request: Request, alpha: float
) -> float:
    """Return about how many times as many samples the point that was tested first needs."""
    path, most, _, sequence = points.choices[0]
    cells = path_cells(calibration.problem, path[sequence[0]][None], most)
    n_labels, found = calibration.problem.most_labels, []
    for statistic in row_statistics(request.limits, request.average, n_labels, cells.most_per_row):
        numbers = np.concatenate(list(calibration.blocks_of(cells, statistic)))[:, 0]
        found.append(_times_enough(numbers, statistic.lowest * calibration.most_weight, alpha))
    return max(found)


def rates_reached(
    units: IndependentUnits, thresholds: np.ndarray, most_per_row: Any, average: str
) -> tuple[float, float]:
    """Compute precision and recall on units by weight: micro rates, or the mean over samples.

    `most_per_row` is as in `Problem.decided_at`. A rate that is not defined is NaN.
    """
    hits, errors, missed, _ = units.problem.decision_counts(thresholds, most_per_row, "sample")
    weights = np.ones(hits.size) if units.weights is None else units.weights
    precision, recall = (
        _rate(hits, hits + others, weights, average) for others in (errors, missed)
    )
    return precision, recall


def _rate(hits: np.ndarray, total: np.ndarray, weights: np.ndarray, average: str) -> float:
    """Return the quotient of both sums, or the mean of the samples' quotients."""
    if average == "sample":
        hits, total = ratio(hits, total, 0.0), total > 0
    return float(ratio(weights @ hits, weights @ total, np.nan))


def f_bound(
    tuning: IndependentUnits,
    calibration: IndependentUnits,
    beta: float,
    thresholds: np.ndarray,
    most_per_row: int | None,
    alpha: float,
) -> float:
    """Return a lower bound of micro F, which is wrong with probability at most alpha.

    F is the quotient of the sums of ``(1 + beta²) hits`` and of ``decisions + beta² labels``.
    """

    def terms(units: IndependentUnits) -> tuple[np.ndarray, np.ndarray]:
        decided, hits, labels = unit_counts(units, thresholds, most_per_row)
        return (1 + beta**2) * hits, decided + beta**2 * labels

    n_labels = tuning.problem.most_labels
    most_below = (most_per_row or n_labels) + beta**2 * n_labels
    most = most_below * calibration.most_weight
    return quotient_bound(terms(tuning), terms(calibration), most, alpha, tuning.mean_weight)


def quotient_bound(
    tuning: tuple[np.ndarray, np.ndarray],
    calibration: tuple[np.ndarray, np.ndarray],
    most: float,
    alpha: float,
    mean_weight: float = 1.0,
) -> float:
    """Return a lower bound of a quotient of means, which is wrong with probability at most alpha.

    The quotient is above x if ``above - x below`` has a mean above 0 over units. Rising limits x,
    chosen by the tuning units, are tested by betting until the first test fails. 0 if none passes.
    Both pairs have the numbers above and below the line of each unit; `most` is the largest number
    below the line that a unit can have, and numbers above are not negative. `mean_weight` is that
    of a row of the tuning units.
    """
    above, below = tuning
    if not below.any():
        return 0.0
    value = above.sum() / below.sum()
    # Units without an error would leave no limit but the value itself: one wrong cell is added.
    mistake = value * mean_weight
    mean_square = max(np.mean((above - value * below) ** 2), mistake**2 / above.size)
    above, below = calibration
    error = np.sqrt(mean_square / above.size) / tuning[1].mean()
    near = value + np.linspace(_FIRST, _LAST, _N_LIMITS) * error
    # Limits far below the value as well: its error is too small if the tuning units have no error.
    far = np.linspace(0.0, value, _N_FAR, endpoint=False)
    limits = np.unique(np.clip(np.append(near, far), 1e-6, 1.0))
    blocks = (
        above[first : first + _BLOCK, None] - limits * below[first : first + _BLOCK, None]
        for first in range(0, above.size, _BLOCK)
    )
    squares = np.full(limits.size, mean_square)
    passed = rejections(blocks, -limits * most, squares, above.size, alpha)
    n_passed = _n_before_a_failure(passed)
    return float(limits[n_passed - 1]) if n_passed else 0.0


def unit_counts(
    units: IndependentUnits, thresholds: np.ndarray, most_per_row: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the decisions, hits and labels of each unit, by weight."""
    cells = path_cells(units.problem, thresholds[None], most_per_row)
    blocks = list(cells.blocks(units.ends))
    decided, hits, labels = (
        units.summed(np.concatenate([getattr(counts, name)[:, 0] for counts in blocks]))
        for name in ("decided", "hits", "labels")
    )
    return decided, hits, labels


def first_controlled_point(
    calibration: IndependentUnits, path: np.ndarray, min_recall: float
) -> int | None:
    """Return the first point of a path whose expected recall of a new sample is high enough.

    The recall of a sample rises along the path. The number of a unit is the weighted sum of
    ``min_recall - recall`` over its samples that have labels; it is at most B, `min_recall` times
    the largest weight of a unit. At the first point where the sum over n calibration units and B
    is 0 or less, the expected number of a new unit is 0 or less: for units of one sample this is
    ``(n R + 1) / (n + 1) <= 1 - min_recall``, with the mean loss R (1 - recall). The expectation
    is over calibration units and the new unit; for given calibration units, the recall can be
    lower. None if no point meets it.

    References
    ----------
    A. N. Angelopoulos, S. Bates, A. Fisch, L. Lei, T. Schuster, "Conformal Risk Control", 2024.
    """
    (of_sample,) = row_statistics(Limits(min_recall=min_recall), "sample", len(path), 0)
    total = np.zeros(len(path))
    for numbers in calibration.blocks_of(path_cells(calibration.problem, path), of_sample):
        total -= numbers.sum(axis=0)
    controlled = np.flatnonzero(total + min_recall * calibration.most_weight <= 0)
    return int(controlled[0]) if controlled.size else None
