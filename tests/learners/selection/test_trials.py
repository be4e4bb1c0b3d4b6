"""Trials: the same folds for all, and ties that go to the cheaper candidate."""

import numpy as np
from hypothesis import given, settings, strategies as st

from labelwise._estimators import HeldOutScores
from labelwise.learners.selection._rules import RULES, Judgement
from labelwise.learners.selection._trials import Trial, best_of, judged
from tests.learners.selection.arenas import arena_of
from tests.oracles.leave_out import cheapest_of_equals


def trial_of(value, left_out, cost, name="one"):
    judgement = Judgement(value, value, None, None)
    return Trial((name,), cost, RULES["thresholds"], None, judgement, left_out, 0.0, None)


@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([0.001, 0.02, 0.3]))
def test_ties_within_a_standard_error_go_to_the_cheapest(seed, n_candidates, noise):
    rng = np.random.default_rng(seed)
    values = np.round(rng.random(n_candidates), 2)  # equal values happen
    left_out = values[:, None] + noise * rng.normal(size=(n_candidates, 10))
    costs = rng.integers(0, 3, n_candidates).astype(float)
    trials = [trial_of(*one) for one in zip(values, left_out, costs, strict=True)]
    assert best_of(trials) == cheapest_of_equals(values, left_out, costs)


def test_a_difference_that_never_varies_is_no_tie():
    left_out = np.linspace(0.4, 0.6, 10)
    cheap, dear = trial_of(0.5, left_out, 0.0), trial_of(0.51, left_out + 0.01, 1.0)
    assert best_of([cheap, dear]) == 1


def test_a_value_that_is_not_known_loses():
    none = np.empty(0)
    unknown, known = trial_of(float("nan"), none, 0.0), trial_of(0.1, none, 1.0)
    assert best_of([unknown, known]) == 1


@given(st.integers(0, 10_000), st.sampled_from([1, 2]))
@settings(max_examples=30)
def test_thresholds_tuned_on_the_highest_scores_have_their_value_on_all_scores(seed, most_scores):
    arena = arena_of(60)._replace(most_scores=most_scores)
    rows = np.concatenate([test for _, test in arena.splits])
    folds = np.repeat([0, 1], [len(test) for _, test in arena.splits])
    # A label without a low score would be decided for everybody, were it not for the others.
    scores = np.random.default_rng(seed).normal(size=(60, 3))
    scores[:, 2] += 3 + arena.samples.Y[rows, 2]
    found = judged(("one",), 0.0, [RULES["thresholds"]], HeldOutScores(scores, rows, folds), arena)
    values = found.judgement.thresholds.values
    assert values.min() >= np.sort(scores, axis=None)[-60 * most_scores]
    counts = found.problem.counts(values)
    assert arena.request.value(counts) == found.judgement.value
    # Sigmoids need all scores.
    np.testing.assert_array_equal(found.problem.scores, scores)


def test_a_part_of_the_rows_has_the_same_folds():
    arena = arena_of(60)
    rows = np.arange(0, 60, 3)
    part = arena.part(rows)
    for (train, test), (all_train, all_test) in zip(part.splits, arena.splits, strict=True):
        assert set(rows[train]) == set(all_train) & set(rows)
        assert set(rows[test]) == set(all_test) & set(rows)
    np.testing.assert_array_equal(part.samples.X, arena.samples.X[rows])
