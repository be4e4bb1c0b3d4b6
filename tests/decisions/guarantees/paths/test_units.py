"""Units are split at random; bounds and choices of rows do not depend on the split."""

import numpy as np
import pytest
from scipy import sparse

from labelwise.decisions.guarantees.paths._units import (
    IndependentUnits,
    shuffled_units,
    split_units,
)
from labelwise.decisions.problem._problem import Problem, check_problem


def grouped(sizes):
    """A problem whose only score is the place of the row in its group."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    place = np.concatenate([np.arange(size, dtype=float) for size in sizes])[:, None]
    return check_problem(place, np.ones(place.shape, dtype=bool), None, groups)


def test_copies_of_a_row_are_different_units():
    scores = np.repeat(np.random.default_rng(2).normal(size=(10, 3)), 2, axis=0)
    problem = Problem(scores, sparse.csc_array(scores > 0.5), None)
    units = shuffled_units(problem, np.random.RandomState(0))
    assert isinstance(units, IndependentUnits)
    assert units.n_units == 20
    assert units.most_rows == 1
    assert units.one_row_each() is units
    assert problem.n_fold_units == 10  # folds keep copies together


def test_every_part_is_bounded_by_the_largest_group_of_all():
    problem = grouped([1] * 20 + [7])
    for seed in range(5):
        parts = split_units(problem, np.random.RandomState(seed), [0.5])
        assert [part.most_rows for part in parts] == [7, 7]
        assert parts[0].part(0, 2).most_rows == 7


def test_the_row_of_a_group_is_drawn_at_random():
    units = shuffled_units(grouped([4] * 400), np.random.RandomState(0))
    places = units.one_row_each().problem.scores.ravel()
    # Each place is expected 100 times, with a standard deviation below 9.
    assert (np.abs(np.bincount(places.astype(int), minlength=4) - 100) < 36).all()


@pytest.mark.parametrize("share", [0.001, 0.999])
def test_no_part_is_empty(share):
    parts = split_units(grouped([1] * 10), np.random.RandomState(0), [share])
    assert sorted(part.n_units for part in parts) == [1, 9]
