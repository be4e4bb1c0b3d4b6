"""Certify a vector of thresholds: test the points of a path, from the safest one on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees._betting import rejections
from labelwise.decisions.guarantees.paths._path_summary import summarise_path
from labelwise.decisions.guarantees.paths._row_counts import PathCells, path_cells
from labelwise.decisions.guarantees.paths._row_statistics import row_statistics
from labelwise.decisions.guarantees.paths._threshold_path import path_of
from labelwise.decisions.guarantees.paths._units import IndependentUnits
from labelwise.decisions.thresholds._request import Request

# Points of a path that a limit of decisions per row is chosen by, and the highest limit that is
# tried: with more decisions a row than this, a limit gains nothing.
_N_POINTS_TO_LIMIT, _HIGHEST_LIMIT = 25, 200


class CertifiedPoint(NamedTuple):
    """Certified thresholds, the limit of decisions per row, and how many points were tested."""

    thresholds: np.ndarray
    most_per_row: int | None
    n_tested: int


def certified_point(
    tuning: IndependentUnits,
    calibration: IndependentUnits,
    request: Request,
    path: np.ndarray,
    alpha: float,
) -> CertifiedPoint | None:
    """Find the point with the best value on the tuning rows that the calibration rows certify.

    The points and their order depend on the tuning rows only. They are tested in this order on the
    calibration rows, each at the full level, until the first test fails (fixed sequence): then a
    point that breaks a constraint is passed with probability at most alpha, whatever the number
    of points, because the first such point must have been rejected falsely. None if the first
    test fails.
    """
    whole = summarise_path(tuning, request, path_cells(tuning.problem, path))
    # The points behind both would not be tested.
    path = path[: max(whole.best, whole.safest) + 1]
    most = limit_per_row(tuning, calibration.n_units, request, path, alpha)
    summary = summarise_path(tuning, request, path_cells(tuning.problem, path, most))
    sequence = summary.sequence()
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


def limit_per_row(
    tuning: IndependentUnits, n_calibration: int, request: Request, path: np.ndarray, alpha: float
) -> int | None:
    """Return the most decisions a row may have, None for no limit.

    A test of precision must stand the loss of a row in which all decisions are wrong, so that the
    most decisions that a row can have limit the size of its bets. A low limit makes the tests of
    more points pass, but leaves out decisions. Of several limits, the one is returned with the
    best value of a point that is likely to pass.
    """
    n_labels = tuning.problem.n_labels
    if request.average != "micro" or request.limits.min_precision is None:
        return None
    points = np.unique(np.linspace(0, len(path) - 1, _N_POINTS_TO_LIMIT).round().astype(int))
    cells = path_cells(tuning.problem, path[points], n_labels)
    best, chosen = (-np.inf, -np.inf), n_labels
    for most in _possible_limits(n_labels):
        summary = summarise_path(tuning, request, cells._replace(most_per_row=most))
        growth = summary.growth * n_calibration
        likely = (growth >= -np.log(alpha)) & ~np.isnan(summary.values)
        value = summary.values[likely].max() if likely.any() else -np.inf
        if (value, growth.max()) > best:
            best, chosen = (value, growth.max()), most
    return chosen if chosen < n_labels else None


def _possible_limits(n_labels: int) -> list[int]:
    """Return the number of labels, and lower limits in steps of a third."""
    limits = [n_labels]
    while limits[-1] > 1:
        limits.append(min(limits[-1] - 1, limits[-1] * 2 // 3))
    return [limit for limit in limits if limit <= _HIGHEST_LIMIT or limit == n_labels]


def better_path(tuning: IndependentUnits, request: Request) -> np.ndarray:
    """Return the path with the higher value where its constraints are met, on other rows.

    Paths of one half of the tuning rows are measured on the other half, both ways. Thresholds of
    single labels fit the half that they were made of better than one threshold for all labels
    does, but may do worse on other rows.
    """
    halves = (tuning.part(0, tuning.n_units // 2), tuning.part(tuning.n_units // 2, tuning.n_units))
    if request.shared:
        return path_of(tuning.problem, "shared")
    kind = "frontier"
    if all(half.n_units and half.problem.Y.nnz for half in halves):
        worth = {kind: _worth(kind, halves, request) for kind in ("frontier", "shared")}
        kind = max(worth, key=lambda kind: worth[kind])
    return path_of(tuning.problem, kind)


def _worth(kind: str, halves: tuple[IndependentUnits, IndependentUnits], request: Request) -> float:
    """Return the sum of the best values of two halves at points that meet the constraints."""
    total = 0.0
    for made_of, measured_on in (halves, halves[::-1]):
        path = path_of(made_of.problem, kind)
        summary = summarise_path(measured_on, request, path_cells(measured_on.problem, path))
        point = summary.best_allowed
        total += summary.values[point] if (summary.means[:, point] >= 0).all() else 0.0
    return total
