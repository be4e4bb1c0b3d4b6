"""What the tuning samples show at each point of a path: values, and how safe each point is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees._betting import LARGEST_LOSS
from labelwise.decisions.guarantees.paths._row_counts import PathCells, RowCounts
from labelwise.decisions.guarantees.paths._row_statistics import row_statistics
from labelwise.decisions.guarantees.paths._units import IndependentUnits
from labelwise.decisions.thresholds._request import Request
from labelwise.decisions.thresholds.curves._cuts import counts_of
from labelwise.measures import measured


class PathSummary(NamedTuple):
    """Values of the measure, and moments of the statistic of each constraint, at each point."""

    values: np.ndarray  # (n_points,)
    means: np.ndarray  # (n_statistics, n_points)
    mean_squares: np.ndarray  # (n_statistics, n_points)
    lowest: np.ndarray  # (n_statistics,), the least value of each statistic

    def at(self, points: np.ndarray) -> PathSummary:
        """Return the summary of some of the points."""
        return PathSummary(
            self.values[points], self.means[:, points], self.mean_squares[:, points], self.lowest
        )

    @property
    def best(self) -> int:
        """The point with the highest value."""
        return int(np.argmax(np.nan_to_num(self.values, nan=-np.inf)))

    @property
    def growth(self) -> np.ndarray:
        """The growth of the logarithm of the capital per unit, of the slowest test at each point.

        It is approximated by the first two moments, for the best constant bet of those that a test
        may make.
        """
        largest = LARGEST_LOSS / -self.lowest[:, None]
        squares = np.maximum(self.mean_squares, np.finfo(float).tiny)
        bet = np.clip(self.means / squares, 0.0, largest)
        gain = np.where(self.means > 0, bet * self.means - bet**2 * squares / 2, self.means)
        return np.asarray(gain.min(axis=0))

    def sequence(self, sure_growth: float) -> np.ndarray:
        """Return the points to test in order: from a safe one to the one with the best value.

        The first is the nearest to the last of those whose tests pass almost surely, with a growth
        of `sure_growth`, or else the one with the highest growth.
        """
        growth, last = self.growth, self.best
        sure = np.flatnonzero(growth >= sure_growth)
        first = sure[np.argmin(np.abs(sure - last))] if sure.size else np.argmax(growth)
        step = 1 if last >= first else -1
        return np.arange(first, last + step, step)


def summarise_path(units: IndependentUnits, request: Request, cells: PathCells) -> PathSummary:
    """Measure each point of a path on the units, and compute the moments of the statistics."""
    n_labels, most = units.problem.n_labels, cells.most_per_row
    statistics = row_statistics(request.limits, request.average, n_labels, most)
    moments = np.zeros((2, len(statistics), cells.n_points))
    sums = np.zeros((2, cells.n_points))
    first = 0
    for counts in cells.blocks(units.ends):
        for number, statistic in enumerate(statistics):
            numbers = units.summed(statistic.of(counts), first)
            moments[:, number] += numbers.sum(axis=0), (numbers**2).sum(axis=0)
        sums += _value_sums(request, counts, n_labels)
        first += len(counts.decided)
    means, mean_squares = moments / units.n_units
    lowest = np.array([statistic.lowest for statistic in statistics]) * units.most_rows
    return PathSummary(_values(units, request, sums), means, mean_squares, lowest)


def mean_summary(one: PathSummary, other: PathSummary, n_points: int) -> PathSummary:
    """Average the summaries of two paths, which need not have the same number of points.

    Points of both paths are at equal shares of the hits, so that they are matched by their share
    of the path.
    """
    first, second = (
        found.at(np.rint(np.linspace(0, found.values.size - 1, n_points)).astype(np.intp))
        for found in (one, other)
    )
    return PathSummary(
        (first.values + second.values) / 2,
        (first.means + second.means) / 2,
        (first.mean_squares + second.mean_squares) / 2,
        one.lowest,
    )


def _value_sums(
    request: Request, counts: RowCounts, n_labels: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return, at each point, the decisions and hits of the micro average.

    For the mean over samples, return the sum of their values, and how many have a value.
    """
    decided, hits, labels = counts
    if request.average != "sample":
        return decided.sum(axis=0), hits.sum(axis=0)
    found = np.asarray(measured(request.measure, counts_of(decided, hits, labels, n_labels)))
    return np.nansum(found, axis=0), np.sum(~np.isnan(found), axis=0)


def _values(units: IndependentUnits, request: Request, sums: np.ndarray) -> np.ndarray:
    """Compute the value of the measure at each point, from the sums of `_value_sums`."""
    problem = units.problem
    if request.average == "sample":
        return np.asarray(sums[0] / np.maximum(sums[1], 1))
    decided, hits = sums
    together = counts_of(decided, hits, problem.Y.nnz, problem.n_samples * problem.n_labels)
    return np.asarray(request.measure(together), dtype=np.float64)
