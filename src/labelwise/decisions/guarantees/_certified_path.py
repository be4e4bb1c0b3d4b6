"""Certify a vector of thresholds: test the points of a path, from a safe one on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees._betting import rejections
from labelwise.decisions.guarantees.paths._path_choice import PathChoice
from labelwise.decisions.guarantees.paths._row_counts import PathCells, path_cells
from labelwise.decisions.guarantees.paths._row_statistics import row_statistics
from labelwise.decisions.guarantees.paths._units import IndependentUnits
from labelwise.decisions.thresholds._request import Request

# Tests begin where the logarithm of the capital is expected to be this many times its target.
_SURE = 6.0


class CertifiedPoint(NamedTuple):
    """Certified thresholds, the limit of decisions per row, and how many points were tested."""

    thresholds: np.ndarray
    most_per_row: int | None
    n_tested: int


def certified_point(
    choice: PathChoice, calibration: IndependentUnits, request: Request, alpha: float
) -> CertifiedPoint | None:
    """Find the point with the best value on the tuning rows that the calibration rows certify.

    The points and their order depend on the tuning rows only. They are tested in this order on the
    calibration rows, each at the full level, until the first test fails (fixed sequence): then a
    point that breaks a constraint is passed with probability at most alpha, whatever the number
    of points, because the first such point must have been rejected falsely. None if the first
    test fails.
    """
    path, most, summary = choice
    sequence = summary.sequence(-_SURE * np.log(alpha) / calibration.n_units)
    tested = np.sort(sequence)
    cells = path_cells(calibration.problem, path[tested], most)
    squares = summary.mean_squares[:, tested]
    passed = _passed(calibration, request, cells, squares, alpha)
    passed = passed[np.searchsorted(tested, sequence)]
    certified = sequence[: int(np.argmin(np.append(passed, False)))]
    if not certified.size:
        return None
    values = np.nan_to_num(summary.values[certified], nan=-np.inf)
    return CertifiedPoint(path[certified[np.argmax(values)]], most, sequence.size)


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
