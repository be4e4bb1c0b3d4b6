"""Units are split at random, and counts along a path are those of deciding at each point."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise._tuning import Problem, check_problem, decisions_at
from labelwise._tuning.guarantees import _unit_statistics
from labelwise._tuning.guarantees._unit_statistics import (
    IndependentUnits,
    path_cells,
    row_statistics,
    shuffled_units,
    split_units,
)
from labelwise._tuning.objectives._constraints import Limits
from tests.decisions.problems import problems
from tests.oracles import guarantees as oracle


def drawn_path(data, n_labels):
    """Threshold vectors that fall, with infinities and repeated points."""
    levels = st.lists(
        st.sampled_from([np.inf, 1.0, 0.5, 0.25, 0.0, -1.5, -np.inf]),
        min_size=n_labels,
        max_size=n_labels,
    )
    points = data.draw(st.lists(levels, min_size=1, max_size=5))
    return np.flip(np.sort(np.array(points), axis=0), axis=0)


@given(problems(most_samples=5, most_labels=4), st.data())
def test_counts_at_each_point_are_those_of_its_thresholds(problem, data):
    scores, Y = problem
    most = data.draw(st.integers(1, 4) | st.none())
    path = drawn_path(data, scores.shape[1])
    checked = check_problem(scores, Y, None)
    cells = path_cells(checked, path, most)
    (counts,) = cells.blocks(np.arange(1, len(Y) + 1))
    for k, thresholds in enumerate(path):
        decided, hits = oracle.row_counts(scores, Y, thresholds, most)
        np.testing.assert_array_equal(counts.decided[:, k], decided)
        np.testing.assert_array_equal(counts.hits[:, k], hits)
    np.testing.assert_array_equal(counts.labels[:, 0], Y.sum(axis=1))


@given(problems(most_samples=5, most_labels=4), st.integers(1, 4), st.booleans())
def test_decisions_with_a_limit_are_those_that_are_counted(problem, most, is_sparse):
    scores, Y = problem
    thresholds = np.zeros(scores.shape[1])
    given_scores = sparse.csr_array(scores) if is_sparse else scores
    decided = decisions_at(given_scores, thresholds, most)
    dense = decided.toarray() if is_sparse else decided
    stored = scores if not is_sparse else np.where(scores == 0, -np.inf, scores)
    n_decided, hits = oracle.row_counts(stored, Y, thresholds, most)
    np.testing.assert_array_equal(dense.sum(axis=1), n_decided)
    np.testing.assert_array_equal((dense.astype(bool) & Y).sum(axis=1), hits)


@given(problems(most_samples=6, most_labels=3))
def test_sparse_scores_have_the_counts_of_dense_ones(problem):
    scores, Y = problem
    shifted = scores + 4  # no score is 0
    path = np.sort(np.array([[4.0, 5.0, 3.0], [2.0, 4.5, 2.0]])[:, : scores.shape[1]], axis=0)[::-1]
    for most in (None, 2):
        found = [
            next(
                path_cells(check_problem(form(shifted), Y, None), path, most).blocks(
                    np.array([len(Y)])
                )
            )
            for form in (np.asarray, sparse.csr_array)
        ]
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_blocks_end_with_units_and_have_every_row_once(monkeypatch):
    monkeypatch.setattr(_unit_statistics, "_BLOCK", 6)
    random = np.random.default_rng(0)
    scores, Y = random.normal(size=(30, 3)), random.random((30, 3)) < 0.4
    groups = np.sort(random.integers(0, 8, size=30))
    units = shuffled_units(check_problem(scores, Y, None, groups), np.random.RandomState(0))
    path = np.array([[1.0] * 3, [0.0] * 3, [-1.0] * 3])
    cells = path_cells(units.problem, path)
    sizes = [len(counts.decided) for counts in cells.blocks(units.ends)]
    assert sum(sizes) == 30
    assert set(np.cumsum(sizes)) <= set(units.ends)
    assert len(sizes) > 3
    statistic = row_statistics(Limits(min_precision=0.5), "micro", 3, 3)[0]
    sums = np.concatenate(list(units.blocks_of(cells, statistic)))
    assert len(sums) == units.n_units == np.unique(groups).size
    decided = units.problem.scores[None] >= path[:, None]
    each = (decided * (units.problem.Y.toarray() - 0.5)).sum(axis=2).T
    np.testing.assert_allclose(sums, np.add.reduceat(each, np.append(0, units.ends[:-1]), axis=0))


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
    assert units.most_weight == 1
    assert problem.n_fold_units == 10  # folds keep copies together


def test_every_part_is_bounded_by_the_largest_group_of_all():
    problem = grouped([1] * 20 + [7])
    for seed in range(5):
        parts = split_units(problem, np.random.RandomState(seed), [0.5])
        assert [part.most_weight for part in parts] == [7, 7]
        assert parts[0].part(0, 2).most_weight == 7


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_number_of_a_unit_is_the_weighted_sum_or_mean_of_its_samples(is_weighted):
    sizes = np.array([3, 1, 7, 2])
    random = np.random.default_rng(3)
    problem = grouped(sizes)
    if is_weighted:
        problem = replace(problem, weights=random.integers(1, 5, problem.n_samples))
    units = shuffled_units(problem, np.random.RandomState(0))
    given = problem.everyone
    assert units.most_weight == np.bincount(problem.groups, given).max()
    numbers = random.normal(size=(problem.n_samples, 2))
    for counted, alike in ((units, False), (units.counted_alike(), True)):
        expected = []
        for first, last in itertools.pairwise(np.append(0, units.ends)):
            rows = units.problem.rows(slice(first, last))
            weights = rows.everyone / (rows.everyone.sum() if alike else 1)
            expected.append(weights @ numbers[first:last])
        np.testing.assert_allclose(counted.summed(numbers), expected)
    assert units.counted_alike().most_weight == 1


@pytest.mark.parametrize("share", [0.001, 0.999])
def test_no_part_is_empty(share):
    parts = split_units(grouped([1] * 10), np.random.RandomState(0), [share])
    assert sorted(part.n_units for part in parts) == [1, 9]


@pytest.mark.parametrize("n_units", [1, 2, 3])
def test_units_contain_every_row_however_few_they_are(n_units):
    groups = np.repeat(np.arange(n_units), 2)
    problem = check_problem(np.ones((groups.size, 1)), np.ones((groups.size, 1)), None)
    for grouped in (problem, replace(problem, groups=groups)):
        (units,) = split_units(grouped, np.random.RandomState(0), [])
        assert units.ends[-1] == groups.size
        assert units.ends.size == grouped.n_units
