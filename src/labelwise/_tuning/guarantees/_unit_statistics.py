"""Independent units, and the number that each of them has for a constraint at the points of a path.

Tests need units that are independent of each other: samples, or groups of samples
(`IndependentUnits`). `path_cells` finds what a path of thresholds decides in each sample, and
`PathCells.blocks` counts decisions and hits at every point. A `RowStatistic` turns the counts of a
sample into a number whose mean is above 0 if and only if a constraint is met; the number of a unit
is the sum over its samples, or their mean if every group counts the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves import are_positive
from labelwise._tuning.guarantees._guarantees_kernels import (
    counts_along,
    entry_points,
    reaching_cells,
)
from labelwise._tuning.objectives._constraints import Limits
from labelwise._tuning.problem._problem import Problem

# Numbers in memory at a time, of each kind of count.
_BLOCK = 2**20


class IndependentUnits(NamedTuple):
    """A problem whose rows are sorted by unit, with the units in random order."""

    problem: Problem
    ends: np.ndarray  # the row number after the last row of each unit
    most_weight: float  # no unit has a larger sum of weights, here or among new ones
    weights: np.ndarray | None = None  # of the rows; None if each counts once

    @property
    def n_units(self) -> int:
        return int(self.ends.size)

    @property
    def n_groups(self) -> int | None:
        """Number of groups; None if each sample is a unit by itself."""
        return None if self.problem.groups is None else self.n_units

    def part(self, first: int, last: int) -> IndependentUnits:
        """Return the units from number `first` to number ``last - 1``."""
        starts = np.append(0, self.ends)
        rows = slice(int(starts[first]), int(starts[last]))
        return self._replace(
            problem=self.problem.rows(rows),
            ends=self.ends[first:last] - starts[first],
            weights=None if self.weights is None else self.weights[rows],
        )

    def counted_alike(self) -> IndependentUnits:
        """Return the same units with weights that sum to 1 in each of them."""
        weights = np.ones(self.problem.n_samples) if self.weights is None else self.weights
        starts = np.append(0, self.ends[:-1])
        totals = np.repeat(np.add.reduceat(weights, starts), self.ends - starts)
        return self._replace(weights=weights / totals, most_weight=1.0)

    @property
    def mean_weight(self) -> float:
        """The mean weight of a row."""
        return 1.0 if self.weights is None else float(self.weights.mean())

    def blocks_of(self, cells: PathCells, statistic: RowStatistic) -> Iterator[np.ndarray]:
        """Yield a statistic of consecutive units at each point of a path."""
        first = 0
        for counts in cells.blocks(self.ends):
            numbers = statistic.of(counts)
            yield self.summed(numbers, first)
            first += len(numbers)

    def summed(self, numbers: np.ndarray, first: int = 0) -> np.ndarray:
        """Sum the numbers of consecutive rows by weight over the rows of each unit.

        The first number is that of row `first`.
        """
        if self.weights is not None:
            weights = self.weights[first : first + len(numbers)]
            numbers = numbers * (weights if numbers.ndim == 1 else weights[:, None])
        if self.n_units == self.problem.n_samples:
            return numbers
        here = self.ends[(self.ends > first) & (self.ends <= first + len(numbers))]
        return np.add.reduceat(numbers, np.append(first, here[:-1]) - first, axis=0)


def shuffled_units(problem: Problem, random: np.random.RandomState) -> IndependentUnits:
    """Sort the rows of a problem by unit, with the units in random order."""
    (units,) = split_units(problem, random, [])
    return units


def split_units(
    problem: Problem, random: np.random.RandomState, shares: Sequence[float]
) -> list[IndependentUnits]:
    """Split the units of a problem at random, into parts that end at shares of all units.

    The bound of the weight of a unit is the same for all parts: that of the heaviest unit of all.
    """
    unit = np.arange(problem.n_samples) if problem.groups is None else problem.groups
    most_weight = float(np.bincount(unit, problem.weights).max())
    place = random.permutation(problem.n_units)[unit]
    order = np.argsort(place, kind="stable")
    ends = np.flatnonzero(np.diff(place[order], append=-1)) + 1
    bounds = [0, *(min(max(1, round(s * ends.size)), ends.size - 1) for s in shares), ends.size]
    starts = np.append(0, ends)
    parts = []
    for first, last in pairwise(bounds):
        rows = order[starts[first] : starts[last]]
        weights = None if problem.weights is None else problem.weights[rows].astype(np.float64)
        found = problem.rows(rows), ends[first:last] - starts[first], most_weight, weights
        parts.append(IndependentUnits(*found))
    return parts


class RowCounts(NamedTuple):
    """Counts of a block of rows, at each point of a path."""

    decided: np.ndarray  # (n_rows, n_points)
    hits: np.ndarray  # (n_rows, n_points)
    labels: np.ndarray  # (n_rows, 1), the number of true labels


class PathCells(NamedTuple):
    """Cells of each row that the last point of a path decides, in the order to keep them.

    The cells of row i are at ``starts[i]`` to ``starts[i + 1] - 1``. If a row may have fewer
    decisions than cells, those with the highest scores are kept.
    """

    starts: np.ndarray
    entries: np.ndarray  # the first point of the path that decides the cell
    positive: np.ndarray
    n_labels_of_row: np.ndarray
    n_points: int
    most_per_row: int

    def blocks(self, ends: np.ndarray) -> Iterator[RowCounts]:
        """Yield the counts of consecutive rows; blocks end only at row numbers of `ends`."""
        size = max(1, _BLOCK // self.n_points)
        is_last = np.diff(ends // size, append=-1) != 0
        first = 0
        for last in ends[is_last].tolist():
            yield self._counts(first, last)
            first = last

    def _counts(self, first: int, last: int) -> RowCounts:
        starts = self.starts[first : last + 1]
        cells = slice(int(starts[0]), int(starts[-1]))
        decided, hits = counts_along(
            starts - starts[0],
            self.entries[cells],
            self.positive[cells],
            self.most_per_row,
            self.n_points,
        )
        return RowCounts(decided, hits, self.n_labels_of_row[first:last, None])


def path_cells(problem: Problem, path: np.ndarray, most_per_row: int | None = None) -> PathCells:
    """Find the cells that a path of thresholds decides, and at which point each is decided first.

    The rows of `path` are threshold vectors that fall from one to the next. With `most_per_row`,
    rows keep the highest scores.
    """
    stored = _reaching(problem.scores, path[-1])
    truth = sparse.csr_array(problem.Y)
    truth.sort_indices()
    positive = are_positive(stored.indptr, stored.indices, truth.indptr, truth.indices)
    entries = entry_points(stored.data, stored.indices, np.ascontiguousarray(path.T))
    most = problem.most_labels if most_per_row is None else most_per_row
    crowded, order = _by_falling_score(stored, most)
    entries[crowded], positive[crowded] = entries[order], positive[order]
    n_labels_of_row = np.diff(truth.indptr)
    return PathCells(stored.indptr, entries, positive, n_labels_of_row, len(path), most)


def _by_falling_score(stored: sparse.csr_array, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of rows with more than `most`, in their order and from the highest score."""
    sizes = np.diff(stored.indptr)
    crowded = np.flatnonzero(np.repeat(sizes > most, sizes))
    rows = np.repeat(np.arange(sizes.size), np.where(sizes > most, sizes, 0))
    return crowded, crowded[np.lexsort((-stored.data[crowded], rows))]


def _reaching(scores: Any, thresholds: np.ndarray) -> sparse.csr_array:
    """Return the scores that reach the threshold of their label, as CSR with sorted columns."""
    if not sparse.issparse(scores):
        return sparse.csr_array(reaching_cells(scores, thresholds), shape=scores.shape)
    stored = sparse.csr_array(scores)
    stored.sort_indices()
    reached = stored.data >= thresholds[stored.indices]
    starts = np.concatenate(([0], np.cumsum(reached)))[stored.indptr]
    cells = (stored.data[reached], stored.indices[reached], starts)
    return sparse.csr_array(cells, shape=stored.shape)


class RowStatistic(NamedTuple):
    """The hits of a sample, less shares of its decisions and of its labels.

    The mean over samples is above 0 if and only if a rate is above its limit. For micro precision
    above τ the number of a sample is ``hits - τ·decisions``, for micro recall above ρ it is
    ``hits - ρ·labels``. For the mean precision of samples the number is divided by the decisions
    of the sample, for the mean recall by its labels, and is 0 without any. `lowest` is the least
    value that the number of a sample can have.
    """

    decisions: float
    labels: float
    lowest: float
    per: str | None = None

    def of(self, counts: RowCounts) -> np.ndarray:
        """Compute the numbers of a block of samples at each point of a path."""
        decided, hits, labels = counts
        numbers = hits - self.decisions * decided - self.labels * labels
        if self.per is None:
            return np.ascontiguousarray(numbers)
        total = decided if self.per == "decided" else np.broadcast_to(labels, decided.shape)
        shares = np.zeros(numbers.shape)
        np.divide(numbers, total, out=shares, where=total > 0)
        return shares


def row_statistics(
    limits: Limits, average: str, n_labels: int, most_decided: int
) -> list[RowStatistic]:
    """Return the statistic of each constraint, of samples with at most so many decisions."""
    by_sample, found = average == "sample", []
    if (limit := limits.min_precision) is not None:
        lowest = -limit if by_sample else -limit * most_decided
        found.append(RowStatistic(limit, 0.0, lowest, "decided" if by_sample else None))
    if (limit := limits.min_recall) is not None:
        lowest = -limit if by_sample else -limit * n_labels
        found.append(RowStatistic(0.0, limit, lowest, "labels" if by_sample else None))
    return found
