"""Independent units: samples, or groups of samples that are not independent of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees.paths._row_counts import PathCells
from labelwise.decisions.guarantees.paths._row_statistics import RowStatistic
from labelwise.decisions.problem._problem import Problem


class IndependentUnits(NamedTuple):
    """A problem whose rows are sorted by unit; units, and rows within one, are in random order."""

    problem: Problem
    ends: np.ndarray  # the row number after the last row of each unit
    most_rows: int  # no unit has more rows, here or among new ones

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.ends.size)

    def part(self, first: int, last: int) -> IndependentUnits:
        """Return the units from number `first` to number ``last - 1``."""
        starts = np.append(0, self.ends)
        rows = slice(int(starts[first]), int(starts[last]))
        ends = self.ends[first:last] - starts[first]
        return IndependentUnits(self.problem.rows(rows), ends, self.most_rows)

    def one_row_each(self) -> IndependentUnits:
        """Return a random row of each unit: the first one."""
        if self.n_units == self.problem.n_samples:
            return self
        firsts = np.append(0, self.ends[:-1])
        return IndependentUnits(self.problem.rows(firsts), np.arange(1, self.n_units + 1), 1)

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
    (units,) = split_units(problem, random, [])
    return units


def split_units(
    problem: Problem, random: np.random.RandomState, shares: Sequence[float]
) -> list[IndependentUnits]:
    """Split the units of a problem at random, into parts that end at shares of all units.

    The bound of the rows of a unit is the same for all parts: the size of the largest unit of all.
    """
    unit = np.arange(problem.n_samples) if problem.groups is None else problem.groups
    place = random.permutation(problem.n_units)[unit]
    order = np.argsort(place)
    if problem.groups is not None:
        order = np.lexsort((random.random_sample(place.size), place))
    ends = np.flatnonzero(np.diff(place[order], append=-1)) + 1
    bounds = [0, *(min(max(1, round(s * ends.size)), ends.size - 1) for s in shares), ends.size]
    starts = np.append(0, ends)
    most_rows = int(np.diff(starts).max())
    return [
        IndependentUnits(
            problem.rows(order[starts[first] : starts[last]]),
            ends[first:last] - starts[first],
            most_rows,
        )
        for first, last in pairwise(bounds)
    ]
