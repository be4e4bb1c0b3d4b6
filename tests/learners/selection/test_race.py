"""Rounds of a race: how they fit a budget, who goes on, and what a stop returns."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from labelwise.learners import BinaryRelevance
from labelwise.learners.selection import _race, _trials
from labelwise.learners.selection._candidates import Candidate
from labelwise.learners.selection._costs import judging
from labelwise.learners.selection._race import LEAST_ROWS, Clock, planned_rounds, run_race
from tests.learners.selection.arenas import arena_of


def trees(depths, seconds=0.0):
    """Trees of several depths; the deeper is dearer."""
    return [
        Candidate(
            f"depth {depth}",
            BinaryRelevance(DecisionTreeClassifier(max_depth=depth, random_state=0)),
            float(depth),
            lambda n_rows: seconds * n_rows,
        )
        for depth in depths
    ]


def quiet(text):
    pass


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch):
    """Stop the clock, so that what is tried does not depend on the speed of the machine."""
    for module in (_race, _trials):
        monkeypatch.setattr(module, "perf_counter", lambda: 0.0)


@given(st.integers(1, 5000), st.integers(1, 12), st.floats(0, 3000), st.floats(0, 0.01))
def test_a_plan_fits_the_budget_with_as_few_rounds_as_possible(rows, n, budget, each):
    def seconds(n_rows, n_candidates):
        return each * n_rows * n_candidates

    found = planned_rounds(rows, n, seconds, budget)
    if found is None:
        assert seconds(rows, n) > budget
        return
    assert found[-1].n_rows == rows
    assert found[0].n_candidates == n
    assert sum(seconds(*one) for one in found) <= budget
    for before, after in pairwise(found):
        assert before.n_rows == -(-after.n_rows // 2)
        assert after.n_candidates == -(-before.n_candidates // 2)
    if len(found) > 1:
        assert seconds(rows, n) > budget
        assert found[0].n_rows >= LEAST_ROWS


def test_without_a_budget_there_is_one_round_of_all():
    assert planned_rounds(10**6, 20, pow, None) == [(10**6, 20)]


def test_rows_double_and_candidates_halve():
    found = planned_rounds(1600, 8, lambda rows, n: rows * n / 100, 64.0)
    assert found == [(200, 8), (400, 4), (800, 2), (1600, 1)]


def test_a_short_budget_drops_candidates_on_fewer_rows():
    finish = run_race(trees([1, 2, 3, 4], 1e-3), arena_of(800), Clock(8.0), quiet)
    assert len(finish.last) < 4
    assert all(trial.n_rows == 800 for trial in finish.last)
    assert finish.earlier
    assert all(trial.n_rows < 800 for trial in finish.earlier)
    names = {trial.name for trial in (*finish.last, *finish.earlier)}
    assert names | {name for name, _ in finish.left_out} == {f"depth {k}" for k in (1, 2, 3, 4)}


def test_candidates_that_no_plan_has_time_for_are_left_out_with_the_reason():
    field = [*trees([1], 1e-6), *trees([9], 10.0)]
    finish = run_race(field, arena_of(100), Clock(5.0), quiet)
    assert [trial.name for trial in finish.last] == ["depth 1"]
    why = "it would take about 3,000 s, and 5.0 of the 5 s are left"
    assert finish.left_out == [("depth 9", why)]


def test_time_that_is_left_is_used_by_the_next_candidate(monkeypatch):
    # By predicted seconds there is time for one; trials take no second, so that there is for more.
    field = [*trees([1], 0.02), *trees([2], 0.021)]
    finish = run_race(field, arena_of(100), Clock(6.5), quiet)
    assert [trial.name for trial in finish.last] == ["depth 1", "depth 2"]
    assert finish.left_out == []
    left = iter([6.5, 1.0])  # for the plan, and after the first trial
    monkeypatch.setattr(Clock, "left", lambda clock: next(left))  # noqa: ARG005
    finish = run_race(field, arena_of(100), Clock(6.5), quiet)
    assert [trial.name for trial in finish.last] == ["depth 1"]
    assert finish.left_out == [
        ("depth 2", "it would take about 6.4 s, and 1.0 of the 6.5 s are left")
    ]


def test_a_trial_that_takes_longer_than_predicted_is_stopped_when_the_time_is_over(monkeypatch):
    class Slow(DecisionTreeClassifier):
        def fit(self, X, y):
            nonlocal now
            now += 1.0
            return super().fit(X, y)

    now = 0.0
    for module in (_race, _trials):
        monkeypatch.setattr(module, "perf_counter", lambda: now)
    quick, slow = trees([1, 2])
    slow = slow._replace(estimator=BinaryRelevance(Slow()))
    # A fold has three labels, and there is time for one of the two folds.
    finish = run_race([quick, slow], arena_of(60), Clock(2.0), quiet)
    assert now == 3.0
    assert [trial.name for trial in finish.last] == ["depth 1"]
    why = "the time was over before its trial had ended"
    assert finish.left_out == [("depth 2", why)]
    # Without any other trial, it runs to its end.
    finish = run_race([slow], arena_of(60), Clock(2.0), quiet)
    assert now == 9.0
    assert [trial.name for trial in finish.last] == ["depth 2"]


def test_time_is_kept_for_the_last_fit_of_the_best_candidate(monkeypatch):
    seconds = iter([0.0, 10.0])  # when the trial starts and ends
    monkeypatch.setattr(_trials, "perf_counter", lambda: next(seconds))
    clock = Clock(60.0)
    run_race(trees([1]), arena_of(60), clock, quiet)
    assert clock.left() == 60.0 - 10.0 / 2


def test_a_candidate_behind_one_that_is_too_dear_takes_part_if_there_is_time():
    cheap, dear, late = trees([1, 2, 3])
    field = [
        cheap._replace(seconds=lambda _: 1.0),
        dear._replace(seconds=lambda _: 100.0),
        late._replace(seconds=lambda _: 2.0, priority=1),
    ]
    finish = run_race(field, arena_of(200), Clock(12.0), quiet)
    assert [trial.name for trial in finish.last] == ["depth 1", "depth 3"]
    assert [name for name, _ in finish.left_out] == ["depth 2"]


def test_predicted_seconds_follow_the_pace_of_trials():
    finish = run_race(trees([1, 2], 1e-3), arena_of(100), Clock(None), quiet)
    field = trees([1, 2], 1e-3)
    predicted = 2 * _race._predicted(field[0], finish.arena, 100)
    slow = [trial._replace(seconds=predicted) for trial in finish.last]
    assert _race._pace(field, finish.arena, slow) == pytest.approx(2.0, rel=1e-3)
    slower = [trial._replace(seconds=100.0) for trial in finish.last]
    assert _race._pace(field, finish.arena, slower) == 4
    quick = [trial._replace(seconds=0.3) for trial in finish.last]
    assert _race._pace(field, finish.arena, quick) == 1


def test_judging_the_scores_of_many_labels_takes_time_too():
    arena = arena_of(100)
    (one,) = trees([1], 1e-3)
    assert _race._predicted(one, arena, 100) == pytest.approx(3 * 0.1 + judging(100, 3), rel=1e-9)


def test_judging_a_few_scores_of_each_sample_takes_less_time():
    arena = arena_of(100)
    assert arena.judging(10_000) == judging(10_000, 3)
    assert judging(10_000, 1000, 50) < judging(10_000, 1000)
    assert judging(10_000, 1000, 50) > judging(10_000, 50)


def test_candidates_on_texts_are_tried_on_all_rows_one_after_the_other():
    field = [one._replace(representation=object()) for one in trees([1, 2, 3, 4], 1e-3)]
    plan = _race._plan(field, arena_of(800), Clock(8.0))
    assert plan.rounds == [(800, 1)]
    assert [one.name for one in plan.field + plan.late] == [one.name for one in field]
    # By predicted seconds, half of the candidates have time on half of the rows.
    others = _race._plan(trees([1, 2, 3, 4], 1e-3), arena_of(800), Clock(8.0))
    assert len(others.rounds) > 1


def test_when_the_time_is_over_the_best_so_far_is_left(monkeypatch):
    times = iter([0.0, 100.0, 200.0, 300.0])
    monkeypatch.setattr(_race, "perf_counter", lambda: next(times))
    finish = run_race(trees([1, 2, 3]), arena_of(60), Clock(50.0), quiet)
    assert [trial.name for trial in finish.last] == ["depth 1"]
    assert finish.left_out == [("depth 2", "the time was over"), ("depth 3", "the time was over")]


def test_a_budget_of_nothing_still_tries_the_cheapest():
    finish = run_race(trees([1, 2], 1.0), arena_of(1000), Clock(0.0), quiet)
    assert [trial.name for trial in finish.last] == ["depth 1"]
    assert finish.last[0].n_rows <= LEAST_ROWS + 10


class Broken(DecisionTreeClassifier):
    def fit(self, X, y):  # noqa: ARG002
        raise ValueError("no tree grows here\nat all")


def test_a_candidate_that_fails_is_left_out_and_all_failing_raise_the_first_error():
    broken = Candidate("broken", BinaryRelevance(Broken()), 0.0, float)
    finish = run_race([broken, *trees([1])], arena_of(60), Clock(None), quiet)
    assert [trial.name for trial in finish.last] == ["depth 1"]
    assert finish.left_out == [("broken", "failed: no tree grows here")]
    with pytest.raises(ValueError, match="no tree grows here"):
        run_race([broken], arena_of(60), Clock(None), quiet)


def test_a_race_reports_every_candidate():
    lines = []
    run_race(trees([1, 2]), arena_of(60), Clock(None), lines.append)
    assert lines[0] == "1 of 2, depth 1 on 60 rows"
    assert lines[1].startswith("depth 1: 0.")


def test_the_first_candidate_is_tried_on_as_many_rows_as_it_has_time_for():
    first = trees([5], 0.01)[0]._replace(is_first=True)
    arena = arena_of(1600)
    # A trial has two folds and a fit: 0.03 s a row.
    finish = run_race([*trees([1], 1e-5), first], arena, Clock(15.0), quiet)
    assert {trial.name: trial.n_rows for trial in finish.last} == {"depth 5": 400, "depth 1": 400}
    assert finish.notes == (
        "candidates were tried on 400 of 1,600 rows: on all rows, depth 5 would take about 48 s, "
        "and there are 15 s",
    )
    assert finish.left_out == []


def test_the_first_candidate_goes_on_to_the_last_round():
    first = trees([1], 1e-3)[0]._replace(is_first=True, cost=99.0)
    finish = run_race([first, *trees([3, 4, 5, 6], 1e-3)], arena_of(800), Clock(8.0), quiet)
    assert "depth 1" in {trial.name for trial in finish.last}


def test_a_candidate_is_left_out_only_if_it_takes_longer_than_the_time_that_is_left():
    for budget in (1.0, 5.0, 9.0, 14.0, 30.0):
        field = [trees([depth], depth * 1e-3)[0] for depth in (1, 2, 3, 5, 8)]
        finish = run_race(field, arena_of(800), Clock(budget), quiet)
        for _, why in finish.left_out:
            took, left = re.fullmatch(
                rf"it would take about ([\d.]+) s, and ([\d.]+) of the {budget:g} s are left", why
            ).groups()
            assert float(took) > float(left)


class Unchanged:
    """A representation with the features as they are."""

    def features(self, X):
        return X


@pytest.mark.parametrize(
    ("representation", "priority", "budget", "n_tried"),
    [
        (Unchanged(), 1, 100.0, 4),
        (Unchanged(), 0, 100.0, 6),  # linear models, which a blend gains from
        (Unchanged(), 1, None, 6),
        (None, 1, 100.0, 6),
    ],
)
def test_a_leader_on_texts_is_settled_after_three_worse_candidates(
    representation, priority, budget, n_tried
):
    guesses = [BinaryRelevance(DummyClassifier(strategy="stratified", random_state=0))] * 5
    field = [BinaryRelevance(DecisionTreeClassifier(max_depth=4, random_state=0)), *guesses]
    candidates = [
        Candidate(f"{k}", one, float(k), lambda _: 0.0, False, priority, representation)
        for k, one in enumerate(field)
    ]
    finish = run_race(candidates, arena_of(400), Clock(budget), quiet)
    assert [trial.name for trial in finish.last] == [f"{k}" for k in range(n_tried)]
    why = "the 3 candidates before were worse by more than a standard error"
    assert finish.left_out == [(f"{k}", why) for k in range(n_tried, 6)]
