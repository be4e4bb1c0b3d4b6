"""Paths of threshold vectors, and the choice of the points that are worth a test.

A path goes from few decisions to many: along the micro frontier, or with one threshold for all
labels (`path_of`). Its `PathSummary` has the value of the measure at each point and estimates how
surely the tests of the point will pass. `choose_paths` compares kinds of paths and limits of
decisions per sample by such summaries, and returns the points to test in order. All of this uses
the tuning samples only, so that tests on the calibration samples stay valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from labelwise._counts import counts_of, measured
from labelwise._curves import frontier_steps, hulls_of
from labelwise._tuning.guarantees._guarantees_kernels import LARGEST_LOSS
from labelwise._tuning.guarantees._unit_statistics import (
    IndependentUnits,
    PathCells,
    RowCounts,
    path_cells,
    row_statistics,
)
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.problem._problem import Problem

_KINDS = ("frontier", "shared")
# Points of a path: a step of 1 / 200 of the recall is small beside the error of any estimate.
_MOST_POINTS, _FEWEST_POINTS = 200, 20
# Thresholds of a path in memory.
_MOST_THRESHOLDS = 2**24
# The evidence from which a test counts as passed almost surely, in standard errors.
SURE = 5.0
# Points and units that a choice is made by, and the highest limit of decisions per row that is
# tried: beyond it, a limit gains nothing.
_N_POINTS, _N_UNITS, _HIGHEST_LIMIT = 25, 2000, 200


def has_path(problem: Problem) -> bool:
    """Return whether a positive has a score, without which there is no path."""
    return problem.hit_scores[1].size > 0


def path_of(problem: Problem, kind: str) -> np.ndarray:
    """Return a path of at most 200 threshold vectors that fall from one to the next.

    Points are at about equal steps of the hits. The path "frontier" has vertices of the micro
    frontier, "shared" the same threshold for all labels, at scores of positives.
    """
    return _frontier_path(problem) if kind == "frontier" else _shared_path(problem)


def _frontier_path(problem: Problem) -> np.ndarray:
    steps = frontier_steps(hulls_of(problem.cuts_of_all()))
    points = _at_equal_steps(steps.hits[1:], problem.n_labels) + 1
    places = steps.hulls.starts[:-1].copy()
    path = np.empty((points.size, problem.n_labels))
    for number, (before, step) in enumerate(zip(np.append(0, points[:-1]), points, strict=True)):
        places += np.bincount(steps.labels[before:step], minlength=problem.n_labels)
        path[number] = steps.hulls.thresholds[places]
    return path


def _shared_path(problem: Problem) -> np.ndarray:
    scores = np.sort(problem.hit_scores[1])[::-1]
    is_last = np.append(scores[1:] < scores[:-1], True)
    distinct, hits = scores[is_last], np.flatnonzero(is_last) + 1
    chosen = distinct[_at_equal_steps(hits, problem.n_labels)].astype(np.float64)
    return np.repeat(chosen[:, None], problem.n_labels, axis=1)


def _at_equal_steps(hits: np.ndarray, n_labels: int) -> np.ndarray:
    """Return places in rising hits, at about equal steps from the first to the last."""
    most = int(np.clip(_MOST_THRESHOLDS // n_labels, _FEWEST_POINTS, _MOST_POINTS))
    wanted = np.linspace(hits[0], hits[-1], most)
    return np.unique(np.searchsorted(hits, wanted))


class PathSummary(NamedTuple):
    """Values of the measure, and moments of the statistic of each constraint, at each point."""

    values: np.ndarray  # (n_points,)
    means: np.ndarray  # (n_statistics, n_points)
    mean_squares: np.ndarray  # (n_statistics, n_points)
    lowest: np.ndarray  # (n_statistics,), the least value of each statistic
    mistake: np.ndarray  # (n_statistics,), the value of each statistic for one wrong cell
    n_units: int  # units behind the means

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
    n_labels, most = units.problem.most_labels, cells.most_per_row
    statistics = row_statistics(request.limits, request.average, n_labels, most)
    moments = np.zeros((2, len(statistics), cells.n_points))
    sums = np.zeros((2, cells.n_points))
    first = 0
    for counts in cells.blocks(units.ends):
        for number, statistic in enumerate(statistics):
            numbers = units.summed(statistic.of(counts), first)
            moments[:, number] += numbers.sum(axis=0), (numbers**2).sum(axis=0)
        rows = slice(first, first + len(counts.decided))
        sums += _value_sums(units.problem, request, counts, rows)
        first = rows.stop
    means, mean_squares = moments / units.n_units
    lowest = np.array([statistic.lowest for statistic in statistics]) * units.most_weight
    mistake = -np.array([statistic.decisions + statistic.labels for statistic in statistics])
    mistake = mistake * units.mean_weight
    values = _values(units, request, sums)
    return PathSummary(values, means, mean_squares, lowest, mistake, units.n_units)


def mean_summary(one: PathSummary, other: PathSummary, n_points: int) -> PathSummary:
    """Average the summaries of two paths, which need not have the same number of points.

    Points of both paths are at equal shares of the hits, so that they are matched by their share
    of the path.
    """
    first, second = (
        np.rint(np.linspace(0, found.values.size - 1, n_points)).astype(np.intp)
        for found in (one, other)
    )
    return one._replace(
        values=(one.values[first] + other.values[second]) / 2,
        means=(one.means[:, first] + other.means[:, second]) / 2,
        mean_squares=(one.mean_squares[:, first] + other.mean_squares[:, second]) / 2,
        n_units=one.n_units + other.n_units,
    )


def _value_sums(
    problem: Problem, request: Request, counts: RowCounts, rows: slice
) -> tuple[np.ndarray, np.ndarray]:
    """Return, at each point, the decisions and hits of some rows, by weight.

    For the mean over samples, return the sum of their values, and how many have a value.
    """
    decided, hits, labels = counts

    def total(numbers: np.ndarray) -> np.ndarray:
        weights = problem.weights
        return numbers.sum(axis=0) if weights is None else np.asarray(weights[rows] @ numbers)

    if request.average != "sample":
        return total(decided), total(hits)
    n_cells = np.broadcast_to(problem.labels_of_each, problem.n_samples)[rows, None]
    found = np.asarray(measured(request.measure, counts_of(decided, hits, labels, n_cells)))
    return total(np.nan_to_num(found)), total(~np.isnan(found))


def _values(units: IndependentUnits, request: Request, sums: np.ndarray) -> np.ndarray:
    """Compute the value of the measure at each point, from the sums of `_value_sums`."""
    problem = units.problem
    if request.average == "sample":
        return np.asarray(sums[0] / np.where(sums[1] > 0, sums[1], 1))
    decided, hits = sums
    n_cells = np.sum(problem.everyone * problem.labels_of_each)
    together = counts_of(decided, hits, problem.support.sum(), n_cells)
    return np.asarray(request.measure(together), dtype=np.float64)


class PathChoice(NamedTuple):
    """A path of thresholds made of all tuning units, and what its points show on other units.

    The summary averages two paths of the same kind: each is made of one half of the tuning units
    and measured on the other half. A path that is measured on its own units looks better than it
    is on new ones. The sequence has the points to test, in order.
    """

    path: np.ndarray
    most_per_row: int | None
    summary: PathSummary
    sequence: np.ndarray


class PathCandidate(NamedTuple):
    """A kind of path and a limit of decisions per row, with the paths of both halves."""

    value: float  # the best value of a point that may be certified
    evidence: float  # of the safest point, see `PathSummary.evidence`
    kind: str
    most_per_row: int | None
    halves: tuple[HalfPath, HalfPath]
    share: float  # of the path that is worth a test


class HalfPath(NamedTuple):
    """A path of one half of the tuning units, and units of the other half to measure it on."""

    path: np.ndarray
    units: IndependentUnits

    def summaries(
        self, request: Request, n_points: int, limits: Sequence[int | None]
    ) -> list[PathSummary]:
        """Summarise so many points of the path, with each limit of decisions per row."""
        places = np.linspace(0, len(self.path) - 1, min(n_points, len(self.path)))
        n_labels = self.units.problem.most_labels
        lowest = min(most or n_labels for most in limits)
        path = self.path[np.rint(places).astype(np.intp)]
        cells = path_cells(self.units.problem, path, lowest)
        return [
            summarise_path(self.units, request, cells._replace(most_per_row=most or n_labels))
            for most in limits
        ]


def choose_paths(
    tuning: IndependentUnits, request: Request, n_calibration: int, alpha: float
) -> list[PathChoice]:
    """Choose paths to test one after another; the last has the best value of a likely point.

    The kinds of paths are the micro frontier, with a threshold for each label, and one threshold
    for all labels. With ``shared=True`` only the latter is allowed. If no point of the last path is
    almost sure to pass its test, the path with the safest point of all comes before it, so that the
    safest point is certified even if the tests of the last path fail.
    """
    kinds = _KINDS[1:] if request.shared else _KINDS
    limits = list(_possible_limits(request, tuning.problem))
    found = []
    parts = _halves(tuning)
    for kind in kinds:
        halves, share = _half_paths(parts, kind, request)
        for most, summary in zip(limits, _summaries(halves, request, limits), strict=True):
            evidence = summary.evidence(n_calibration, alpha)
            likely = (evidence >= 0) & ~np.isnan(summary.values)
            value = summary.values[likely].max() if likely.any() else -np.inf
            found.append(PathCandidate(value, evidence.max(), kind, most, halves, share))
    best = max(found, key=lambda one: (one.value, one.evidence))
    safest = max(found, key=lambda one: one.evidence)
    is_enough = best is safest or best.evidence >= SURE
    chosen = [best] if is_enough else [safest, best]
    choices = []
    for candidate in chosen:
        path = path_of(tuning.problem, candidate.kind)
        path = path[: _n_kept(candidate.share, len(path))]
        (summary,) = _summaries(candidate.halves, request, [candidate.most_per_row], len(path))
        evidence = summary.evidence(n_calibration, alpha)
        points = summary.points_to_best if candidate is best else summary.safest_points
        choices.append(PathChoice(path, candidate.most_per_row, summary, points(evidence)))
    return choices


def best_kind_of_path(tuning: IndependentUnits, request: Request) -> str:
    """Return the kind of path with the highest value on units that it was not made of."""
    parts = _halves(tuning)

    def value(kind: str) -> float:
        halves, _ = _half_paths(parts, kind, request)
        (summary,) = _summaries(halves, request, [None])
        return float(np.nan_to_num(summary.values, nan=-np.inf).max())

    return max(_KINDS, key=value)


def _halves(tuning: IndependentUnits) -> tuple[IndependentUnits, IndependentUnits]:
    """Return both halves of the units; the whole twice if a half has no path."""
    middle = tuning.n_units // 2
    one, other = tuning.part(0, middle), tuning.part(middle, tuning.n_units)
    if all(half.n_units and has_path(half.problem) for half in (one, other)):
        return one, other
    return tuning, tuning


def _half_paths(
    parts: tuple[IndependentUnits, IndependentUnits], kind: str, request: Request
) -> tuple[tuple[HalfPath, HalfPath], float]:
    """Return a path of each half, cut behind points that are worth a test, and their share."""
    one, other = parts
    halves = (
        HalfPath(path_of(one.problem, kind), other.part(0, min(other.n_units, _N_UNITS))),
        HalfPath(path_of(other.problem, kind), one.part(0, min(one.n_units, _N_UNITS))),
    )
    if request.limits.min_precision is None:
        return halves, 1.0
    (rough,) = _summaries(halves, request, [None])
    # The statistic of precision is the first one. Behind its last point above 0 no test passes.
    last = int(np.flatnonzero(rough.means[0] >= 0).max(initial=0))
    share = min(1.0, (last + 2) / _N_POINTS)
    first, second = (
        half._replace(path=half.path[: _n_kept(share, len(half.path))]) for half in halves
    )
    return (first, second), share


def _n_kept(share: float, n_points: int) -> int:
    return max(1, round(share * n_points))


def _summaries(
    halves: tuple[HalfPath, HalfPath],
    request: Request,
    limits: Sequence[int | None],
    n_points: int = _N_POINTS,
) -> list[PathSummary]:
    """Average the summaries of both halves, for each limit of decisions per row."""
    one, other = (half.summaries(request, n_points, limits) for half in halves)
    return [mean_summary(first, second, n_points) for first, second in zip(one, other, strict=True)]


def _possible_limits(request: Request, problem: Problem) -> Iterator[int | None]:
    """Yield limits of decisions per row, from none at all in steps of a third.

    A test of micro precision must stand the loss of a row in which all decisions are wrong, so
    that the most decisions that a row can have limit the size of its bets. With a lower limit the
    tests of more points pass, but decisions are left out. Scores of cells without truth are not
    stored, but would count for the limit, so that there is none with missing labels.
    """
    yield None
    if request.average != "micro" or request.limits.min_precision is None or problem.n_missing:
        return
    limit = problem.most_labels
    while limit > 1:
        limit = min(limit - 1, limit * 2 // 3)
        if limit <= _HIGHEST_LIMIT:
            yield limit
