"""Choose the kind of a path and the limit of decisions per row, by values on other rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees.paths._path_summary import (
    SURE,
    PathSummary,
    mean_summary,
    summarise_path,
)
from labelwise.decisions.guarantees.paths._row_counts import path_cells
from labelwise.decisions.guarantees.paths._threshold_path import has_path, path_of
from labelwise.decisions.guarantees.paths._units import IndependentUnits
from labelwise.decisions.objectives._request import Request

# Points and units that a choice is made by, and the highest limit of decisions per row that is
# tried: beyond it, a limit gains nothing.
_N_POINTS, _N_UNITS, _HIGHEST_LIMIT = 25, 2000, 200


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


class HalfPath(NamedTuple):
    """A path of one half of the tuning units, and units of the other half to measure it on."""

    path: np.ndarray
    units: IndependentUnits

    def summary(self, request: Request, n_points: int, limits: Sequence[int | None]) -> Summaries:
        """Summarise so many points of the path, with each limit of decisions per row."""
        places = np.linspace(0, len(self.path) - 1, min(n_points, len(self.path)))
        n_labels = self.units.problem.n_labels
        lowest = min(most or n_labels for most in limits)
        path = self.path[np.rint(places).astype(np.intp)]
        cells = path_cells(self.units.problem, path, lowest)
        return [
            summarise_path(self.units, request, cells._replace(most_per_row=most or n_labels))
            for most in limits
        ]


Summaries = list[PathSummary]


class PathCandidate(NamedTuple):
    """A kind of path and a limit of decisions per row, with the paths of both halves."""

    value: float  # the best value of a point that may be certified
    evidence: float  # of the safest point, see `PathSummary.evidence`
    kind: str
    most_per_row: int | None
    halves: tuple[HalfPath, HalfPath]
    share: float  # of the path that is worth a test


def choose_paths(
    tuning: IndependentUnits, request: Request, n_calibration: int, alpha: float
) -> list[PathChoice]:
    """Choose paths to test one after another; the last has the best value of a likely point.

    The kinds of paths are the micro frontier, with a threshold for each label, and one threshold
    for all labels. With ``shared=True`` only the latter is allowed. If no point of the last path is
    almost sure to pass its test, the path with the safest point of all comes before it, so that the
    safest point is certified even if the tests of the last path fail.
    """
    kinds = ("shared",) if request.shared else ("frontier", "shared")
    limits = list(_possible_limits(request, tuning.problem.n_labels))
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
) -> Summaries:
    """Average the summaries of both halves, for each limit of decisions per row."""
    one, other = (half.summary(request, n_points, limits) for half in halves)
    return [mean_summary(first, second, n_points) for first, second in zip(one, other, strict=True)]


def _possible_limits(request: Request, n_labels: int) -> Iterator[int | None]:
    """Yield limits of decisions per row, from none at all in steps of a third.

    A test of micro precision must stand the loss of a row in which all decisions are wrong, so
    that the most decisions that a row can have limit the size of its bets. With a lower limit the
    tests of more points pass, but decisions are left out.
    """
    yield None
    if request.average != "micro" or request.limits.min_precision is None:
        return
    limit = n_labels
    while limit > 1:
        limit = min(limit - 1, limit * 2 // 3)
        if limit <= _HIGHEST_LIMIT:
            yield limit
