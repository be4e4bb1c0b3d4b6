"""Certify a vector of thresholds: test the points of paths, from a safe one on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees._betting import LARGEST_LOSS, rejections
from labelwise.decisions.guarantees.paths._path_choice import PathChoice
from labelwise.decisions.guarantees.paths._row_counts import PathCells, path_cells
from labelwise.decisions.guarantees.paths._row_statistics import row_statistics
from labelwise.decisions.guarantees.paths._units import IndependentUnits
from labelwise.decisions.objectives._constraints import Limits
from labelwise.decisions.objectives._request import Request
from labelwise.measures import macro, micro, precision, recall

# Limits that are tested for a lower bound of a rate, and the largest factor of samples to advise.
_N_LIMITS, _MOST_TIMES = 100, 1000.0


class CertifiedPoint(NamedTuple):
    """Certified thresholds, the limit of decisions per row, and how many points were tested."""

    thresholds: np.ndarray
    most_per_row: int | None
    n_tested: int


def certified_point(
    choices: Sequence[PathChoice], calibration: IndependentUnits, request: Request, alpha: float
) -> CertifiedPoint | None:
    """Find the point with the best value on the tuning rows that the calibration rows certify.

    The points and their order depend on the tuning rows only. They are tested in this order on the
    calibration rows, each at the full level, until the first test fails (fixed sequence): then a
    point that breaks a constraint is passed with probability at most alpha, whatever the number
    of points, because the first such point must have been rejected falsely. None if the first
    test fails.
    """
    best: CertifiedPoint | None = None
    highest = -np.inf
    n_tested = sum(choice.sequence.size for choice in choices)
    for path, most, summary, sequence in choices:
        tested = np.sort(sequence)
        cells = path_cells(calibration.problem, path[tested], most)
        squares = summary.mean_squares[:, tested]
        passed = _passed(calibration, request, cells, squares, alpha)
        passed = passed[np.searchsorted(tested, sequence)]
        certified = sequence[: int(np.argmin(np.append(passed, False)))]
        if certified.size:
            values = np.nan_to_num(summary.values[certified], nan=-np.inf)
            if best is None or values.max() > highest:
                best = CertifiedPoint(path[certified[np.argmax(values)]], most, n_tested)
                highest = values.max()
        if certified.size < sequence.size:
            break
    return best


def _passed(
    calibration: IndependentUnits,
    request: Request,
    cells: PathCells,
    mean_squares: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """Test at each point of a path whether all constraints are met."""
    n_labels, n_units = calibration.problem.n_labels, calibration.n_units
    statistics = row_statistics(request.limits, request.average, n_labels, cells.most_per_row)
    passed = np.ones(cells.n_points, dtype=bool)
    for statistic, squares in zip(statistics, mean_squares, strict=True):
        lowest = np.full(cells.n_points, statistic.lowest * calibration.most_rows)
        blocks = calibration.blocks_of(cells, statistic)
        passed &= rejections(blocks, lowest, squares, n_units, alpha)
    return passed


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
    counts = calibration.problem.decision_counts(thresholds, most, request.counts_by)
    average = partial(macro, undefined="skip") if request.average == "sample" else micro
    said, factors = [], []
    for rate, name in ((precision, "min_precision"), (recall, "min_recall")):
        asked = getattr(request.limits, name)
        if asked is None:
            continue
        limits = asked * np.linspace(1 / _N_LIMITS, 1.0, _N_LIMITS)
        statistics = [
            row_statistics(
                Limits(**{name: limit}),
                request.average,
                calibration.problem.n_labels,
                cells.most_per_row,
            )[0]
            for limit in limits.tolist()
        ]
        each = (calibration.blocks_of(cells, statistic) for statistic in statistics)
        numbers = np.hstack([np.concatenate(list(blocks)) for blocks in each])
        lowest = np.array([one.lowest for one in statistics]) * calibration.most_rows
        squares = (numbers**2).mean(axis=0)
        passed = rejections([numbers], lowest, squares, calibration.n_units, alpha)
        n_passed = int(np.argmin(np.append(passed, False)))
        proven = limits[n_passed - 1] if n_passed else 0.0
        said.append(f"{rate.__name__} {average(rate, counts):.4f} there, which proves {proven:.2f}")
        mean, square = numbers[:, -1].mean(), squares[-1]
        bet = min(mean / max(square, np.finfo(float).tiny), LARGEST_LOSS / -lowest[-1])
        growth = bet * mean - bet**2 * square / 2
        factors.append(-np.log(alpha) / (growth * calibration.n_units) if mean > 0 else np.inf)
    more = max(factors)
    advice = "lower limits or a lower probability may pass, more samples alone will not"
    if more < _MOST_TIMES:
        times = f"about {max(more, 1.5):.2g} times as many samples"
        advice = f"lower limits, a lower probability or {times} may pass"
    return f"the safest thresholds found have {' and '.join(said)}; {advice}"
