"""What the tuning samples show at each point of a path: values, and how surely tests pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise._counts import counts_of, measured
from labelwise.decisions.guarantees._betting import LARGEST_LOSS
from labelwise.decisions.guarantees.paths._row_counts import PathCells, RowCounts
from labelwise.decisions.guarantees.paths._row_statistics import row_statistics
from labelwise.decisions.guarantees.paths._units import IndependentUnits
from labelwise.decisions.objectives._request import Request

# The evidence from which a test counts as passed almost surely, in standard errors.
SURE = 5.0


class PathSummary(NamedTuple):
    """Values of the measure, and moments of the statistic of each constraint, at each point."""

    values: np.ndarray  # (n_points,)
    means: np.ndarray  # (n_statistics, n_points)
    mean_squares: np.ndarray  # (n_statistics, n_points)
    lowest: np.ndarray  # (n_statistics,), the least value of each statistic
    mistake: np.ndarray  # (n_statistics,), the value of each statistic for one wrong cell
    n_units: int  # units behind the means

    def at(self, points: np.ndarray) -> PathSummary:
        """Return the summary of some of the points."""
        return self._replace(
            values=self.values[points],
            means=self.means[:, points],
            mean_squares=self.mean_squares[:, points],
        )

    @property
    def best(self) -> int:
        """The point with the highest value."""
        return int(np.argmax(np.nan_to_num(self.values, nan=-np.inf)))

    def evidence(self, n_tested: int, alpha: float) -> np.ndarray:
        """Estimate how surely the tests of each point pass, in standard errors of their result.

        With a constant bet b, mean μ and mean square s of the statistic, the logarithm of the
        capital after n units is about ``n (b μ - b² s / 2)`` and must reach ``log(1 / alpha)``.
        Its standard error is ``b σ sqrt(n + n² / m)``, if μ is a mean over m other units. The bet
        is the one with the highest quotient, at most the largest that a test may make. One wrong
        cell is added to the units, so that a few decisions without an error are weak evidence. At
        0, a test passes as often as it fails; the weakest test of a point counts.
        """
        target, mistake = -np.log(alpha), self.mistake[:, None]
        means = self.means + mistake / self.n_units
        squares = self.mean_squares + mistake**2 / self.n_units
        bet = np.minimum(
            np.sqrt(2 * target / (n_tested * squares)), LARGEST_LOSS / -self.lowest[:, None]
        )
        variance = np.maximum(squares - means**2, squares / self.n_units)
        error = np.sqrt(variance * (n_tested + n_tested**2 / self.n_units))
        excess = n_tested * (means - bet * squares / 2) - target / bet
        return np.asarray((excess / error).min(axis=0))

    def points_to_best(self, evidence: np.ndarray) -> np.ndarray:
        """Return points to test in order: from a safe one to the one with the best value.

        The first is the nearest to the last of those whose tests pass almost surely, or else the
        one with the most evidence.
        """
        last = self.best
        sure = np.flatnonzero(evidence >= SURE)
        first = int(sure[np.argmin(np.abs(sure - last))] if sure.size else np.argmax(evidence))
        return _from_to(first, last)

    def safest_points(self, evidence: np.ndarray) -> np.ndarray:
        """Return the point with the most evidence, and those after it that pass almost surely."""
        points = _from_to(int(np.argmax(evidence)), self.best)
        n_sure = int(np.argmin(np.append(evidence[points] >= SURE, False)))
        return points[: max(1, n_sure)]


def _from_to(first: int, last: int) -> np.ndarray:
    """Return whole numbers from the first to the last, upwards or downwards."""
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
    mistake = -np.array([statistic.decisions + statistic.labels for statistic in statistics])
    values = _values(units, request, sums)
    return PathSummary(values, means, mean_squares, lowest, mistake, units.n_units)


def mean_summary(one: PathSummary, other: PathSummary, n_points: int) -> PathSummary:
    """Average the summaries of two paths, which need not have the same number of points.

    Points of both paths are at equal shares of the hits, so that they are matched by their share
    of the path.
    """
    first, second = (
        found.at(np.rint(np.linspace(0, found.values.size - 1, n_points)).astype(np.intp))
        for found in (one, other)
    )
    return one._replace(
        values=(first.values + second.values) / 2,
        means=(first.means + second.means) / 2,
        mean_squares=(first.mean_squares + second.mean_squares) / 2,
        n_units=one.n_units + other.n_units,
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
