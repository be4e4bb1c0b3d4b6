"""Both ends of a queue lie on one frontier, and bounds are never better than what exists."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise._tuning import check_problem
from labelwise.decisions.bands import _queue_ends
from labelwise.decisions.bands._band_search import QueueSearch, nested
from labelwise.decisions.bands._queue_ends import BandCut, Near, SideValues, whole_hulls
from tests.decisions.problems import problems, random_problems
from tests.oracles.bands import AllBands

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
RATES = st.sampled_from([0.3, 0.5, 2 / 3, 0.8, 1.0])


@given(problem=problems())
def test_a_hull_goes_from_no_cell_to_all_cells_with_falling_slopes(problem):
    scores, Y = problem
    hulls = whole_hulls(check_problem(scores, Y, None))
    for j, (start, end) in enumerate(zip(hulls.starts[:-1], hulls.starts[1:], strict=True)):
        decided, hits = hulls.decided[start:end], hulls.hits[start:end]
        assert (decided[0], decided[-1]) == (0, len(scores))
        assert (hits[0], hits[-1]) == (0, Y[:, j].sum())
        slopes = np.diff(hits) / np.diff(decided)
        assert (np.diff(slopes) < 0).all()
        assert hulls.thresholds[end - 1] == -np.inf


@given(problem=problems(), rate=RATES)
def test_each_end_of_the_queue_is_the_best_of_all_cuts(problem, rate):
    search, oracle = QueueSearch(check_problem(*problem, None)), AllBands(*problem)
    sides, values = search.sides, search.values
    most = sides[0].best_vertex(values.most_accepted(rate))
    accepted = oracle.accepted[oracle.precision >= rate].max()
    assert most.value <= accepted <= most.bound
    assert sides[0].improved(most, values.most_accepted(rate)).value == accepted
    fewest = sides[1].best_vertex(values.fewest_kept(rate))
    kept = oracle.kept[oracle.recall >= rate].min()
    assert -fewest.bound <= kept <= -fewest.value
    found = sides[1].improved(fewest, values.fewest_kept(rate))
    assert found.value == -kept
    assert found.cut.decided.sum() == kept


@given(problem=problems(), precision=RATES, recall=RATES)
def test_the_bound_of_the_frontier_is_never_above_the_smallest_queue(problem, precision, recall):
    search = QueueSearch(check_problem(*problem, None))
    least = AllBands(*problem).smallest_queue(precision, recall)
    assert search.least_queue(precision, recall) <= least


def searched_without(monkeypatch, name, value, problem):
    monkeypatch.setattr(_queue_ends, name, value)
    return QueueSearch(problem).smallest_queue(0.8, 0.9)


def test_a_search_that_is_cut_short_states_a_gap_that_contains_the_best(monkeypatch):
    random = np.random.default_rng(4)
    Y = random.random((400, 5)) < 0.3
    scores = np.round(random.normal(size=Y.shape) + Y, 1)
    problem = check_problem(scores, Y, None)
    best = QueueSearch(problem).smallest_queue(0.8, 0.9)
    assert best.gap == 0
    for name, value in (("_MOST_CUTS", 0), ("_MOST_STEPS", (10,))):
        with monkeypatch.context() as patched:
            short = searched_without(patched, name, value, problem)
        assert short.value >= best.value
        assert short.value - short.gap <= best.value
        assert short.gap > 0


def test_few_cuts_near_the_hulls_are_searched_if_there_are_too_many(monkeypatch):
    random = np.random.default_rng(5)
    Y = random.random((300, 4)) < 0.3
    problem = check_problem(np.round(random.normal(size=Y.shape) + Y, 1), Y, None)
    vertex_only = searched_without(monkeypatch, "_SHARES", (), problem)
    monkeypatch.setattr(_queue_ends, "_SHARES", (1 / 64,))
    near = QueueSearch(problem).smallest_queue(0.8, 0.9)
    assert near.value <= vertex_only.value


def test_lower_ends_are_lowered_to_upper_ones_and_never_raised():
    upper = BandCut(np.array([0.5, 0.9]), np.array([4, 1]), np.array([3, 1]))
    lower = BandCut(np.array([0.7, 0.2]), np.array([2, 5]), np.array([2, 2]))
    ordered = nested(upper, lower)
    np.testing.assert_array_equal(ordered.thresholds, [0.5, 0.2])
    np.testing.assert_array_equal(ordered.decided, [4, 5])
    np.testing.assert_array_equal(ordered.hits, [3, 2])


def test_no_accepted_cell_is_wrong_and_no_positive_lost_if_there_is_none():
    values = SideValues(n_cells=4, n_negative=4, n_positive=0)
    assert values.precision(np.array([0]), np.array([0])) == 1
    assert values.recall(np.array([0])) == 1


def test_a_rate_of_one_is_found_exactly():
    problem = check_problem([[0.9], [0.5], [0.4], [0.1]], [[1], [0], [1], [0]], None)
    found = QueueSearch(problem).highest_equal_rate(2)
    assert (found.value, found.gap, found.n_reviewed) == (1.0, 0.0, 2)


def test_ends_off_the_frontier_in_the_wrong_order_are_searched_again_in_order(monkeypatch):
    scores = [[1.25, 0.75, 1.25], [0.25, 0.0, 0.5], [0.75, 1.25, 0.5], [0.5, 1.0, 0.5]]
    Y = [[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 0]]
    problem = check_problem(scores, Y, None)
    found = QueueSearch(problem).smallest_queue(0.6, 0.8)
    assert found.value == AllBands(np.array(scores), np.array(Y) == 1).smallest_queue(0.6, 0.8) == 2
    monkeypatch.setattr(QueueSearch, "_in_order", lambda *_: [])
    assert QueueSearch(problem).smallest_queue(0.6, 0.8).value == 3


def test_the_highest_rate_is_searched_off_the_frontier_and_bounded():
    for scores, Y in random_problems(40, 11, most_samples=9):
        oracle, search = AllBands(scores, Y), QueueSearch(check_problem(scores, Y, None))
        for most in (2, 4):
            found = search.highest_equal_rate(most)
            highest = oracle.highest_rate(most)
            assert found.value - 1e-9 <= highest <= found.value + found.gap + 1e-9


@given(problem=problems(most_labels=1), slope=st.sampled_from([0.2, 0.5, 0.9]))
def test_near_cuts_are_those_within_the_allowance_of_the_best(problem, slope):
    cuts = next(iter(check_problem(*problem, None).every_cut()))
    gains = cuts.hits - slope * cuts.decided
    expected = []
    for place, gain in enumerate(gains):
        if gain >= max(gains) - 0.6 and cuts.decided[place] >= 1:
            better = [p for p in expected if cuts.hits[p] == cuts.hits[place]]
            expected += [] if better else [place]
    assert Near(slope, 0.6, np.array([1])).places(cuts, 0).tolist() == expected
