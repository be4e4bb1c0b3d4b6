"""Independent units: samples, or groups of samples that are not independent of each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees.paths._row_counts import PathCells
from labelwise.decisions.guarantees.paths._row_statistics import RowStatistic
from labelwise.decisions.thresholds.curves._problem import Problem


class IndependentUnits(NamedTuple):
    """A problem whose rows are sorted by unit; the units are in random order."""

    problem: Problem
    ends: np.ndarray  # the row number after the last row of each unit

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.ends.size)

    @property
    def most_rows(self) -> int:
        """Number of rows of the largest unit."""
        return int(np.diff(self.ends, prepend=0).max())

    def part(self, first: int, last: int) -> IndependentUnits:
        """Return the units from number `first` to number ``last - 1``."""
        starts = np.append(0, self.ends)
        rows = np.arange(starts[first], starts[last])
        return IndependentUnits(self.problem.rows(rows), self.ends[first:last] - starts[first])

    def one_row_each(self) -> IndependentUnits:
        """Return the first row of each unit."""
        if self.n_units == self.problem.n_samples:
            return self
        firsts = np.append(0, self.ends[:-1])
        return IndependentUnits(self.problem.rows(firsts), np.arange(1, self.n_units + 1))

    def blocks_of(self, cells: PathCells, statistic: RowStatistic) -> Iterator[np.ndarray]:
        """Yield a statistic of consecutive units, the sum over the rows of each, at each point."""
        first = 0
        for counts in cells.blocks(self.ends):
            numbers = statistic.of(counts)
            yield self.summed(numbers, first)
            first += len(numbers)

    def summed(self, numbers: np.ndarray, first: int = 0) -> np.ndarray:
        """Sum the numbers of consecutive rows, from row `first` on, over the rows of each unit."""
        if self.n_units == self.problem.n_samples:
            return numbers
        here = self.ends[(self.ends > first) & (self.ends <= first + len(numbers))]
        return np.add.reduceat(numbers, np.append(first, here[:-1]) - first, axis=0)


def shuffled_units(problem: Problem, random: np.random.RandomState) -> IndependentUnits:
    """Sort the rows of a problem by unit, with the units in random order."""
    if problem.units is None:
        order = random.permutation(problem.n_samples)
        return IndependentUnits(problem.rows(order), np.arange(1, problem.n_samples + 1))
    place = random.permutation(problem.n_units)[problem.units]
    order = np.argsort(place, kind="stable")
    ends = np.flatnonzero(np.diff(place[order], append=-1)) + 1
    return IndependentUnits(problem.rows(order), ends)
