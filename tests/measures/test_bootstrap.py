"""Intervals are percentiles of the measures of drawn samples."""

import math

import numpy as np
import pytest

from labelwise._counts import micro_draws
from labelwise.measures import count, evaluate
from tests.measures.outcomes import random_outcome
from tests.oracles import measures as oracle


@pytest.mark.parametrize("undefined", ["nan", "skip", "zero", 0.0])
def test_intervals_are_percentiles_of_evaluations_of_drawn_rows(undefined):
    Y, scores, decided = random_outcome(25)
    Y[:9, :] = 0  # rows without labels
    options = {"scores": scores, "decided": decided, "undefined": undefined, "cutoffs": [2]}
    found = evaluate(Y, **options, n_bootstrap=30, confidence=0.8, random_state=3)

    def values(rows):
        again = {"scores": scores[rows], "decided": decided[rows]}
        return list(evaluate(Y[rows], **options | again).values())

    low, high = oracle.bootstrap_interval(values, 25, 30, 0.8, seed=3)
    expected = dict(zip(found, zip(low, high, strict=True), strict=True))
    for name, interval in found.intervals.items():
        np.testing.assert_allclose(interval, expected[name], atol=1e-12)
    none = {f"{a}-{name}" for a in ("micro", "macro") for name in ("auc", "average-precision")}
    assert set(found) - set(found.intervals) == none


def test_intervals_do_not_depend_on_the_number_of_draws_in_a_block(monkeypatch):
    Y, scores, decided = random_outcome()
    options = {"scores": scores, "decided": decided, "n_bootstrap": 40, "random_state": 1}
    together = evaluate(Y, **options).intervals
    monkeypatch.setattr("labelwise._counts._counting._BLOCK", 120)
    np.testing.assert_allclose(
        list(evaluate(Y, **options).intervals.values()), list(together.values()), rtol=1e-12
    )


@pytest.mark.parametrize("block", [10, 120], ids=["single draws", "four draws together"])
def test_counts_of_draws_are_those_of_the_drawn_rows(monkeypatch, block):
    Y, _, decided = random_outcome(25)
    monkeypatch.setattr("labelwise._counts._counting._BLOCK", block)
    found = micro_draws(count(Y, decided, "sample"), 30, np.random.RandomState(3))
    random = np.random.RandomState(3)
    for k in range(30):
        rows = random.randint(25, size=25)
        expected = [part.sum() for part in count(Y[rows], decided[rows])]
        assert [part[k] for part in found] == expected


def test_intervals_of_either_kind_of_input_alone():
    Y, scores, decided = random_outcome()
    both = evaluate(Y, scores=scores, decided=decided, n_bootstrap=20, random_state=0).intervals
    for alone in ({"scores": scores}, {"decided": decided}):
        found = evaluate(Y, **alone, n_bootstrap=20, random_state=0).intervals
        for name, interval in found.items():
            assert interval == pytest.approx(both[name], rel=1e-12)


def test_same_seed_same_intervals_and_another_seed_others():
    Y, _, decided = random_outcome()
    intervals = [
        evaluate(Y, decided=decided, n_bootstrap=20, random_state=seed).intervals["micro-f"]
        for seed in (0, 0, 1)
    ]
    assert intervals[0] == intervals[1] != intervals[2]


def test_an_interval_is_undefined_where_a_draw_had_no_value():
    Y = np.zeros((20, 2), dtype=int)
    Y[0], Y[1:, 0] = 1, 1
    found = evaluate(Y, decided=Y, n_bootstrap=50, random_state=0)
    assert all(map(math.isnan, found.intervals["macro-recall"]))
    assert found.intervals["micro-recall"] == (1, 1)
    assert "Intervals: 95%" in str(found)


def test_a_confidence_may_be_any_real_number():
    Y, _, decided = random_outcome()
    options = {"decided": decided, "n_bootstrap": 20, "random_state": 0}
    single = evaluate(Y, **options, confidence=np.float32(0.75))
    assert single.intervals == evaluate(Y, **options, confidence=0.75).intervals
    assert type(single.confidence) is float


def test_rows_of_a_group_are_drawn_together():
    Y, scores, decided = random_outcome(25)
    options = {"n_bootstrap": 20, "random_state": 3, "undefined": "defined"}
    alone = evaluate(Y, scores=scores, decided=decided, **options).intervals
    twice = [np.repeat(part, 2, axis=0) for part in (Y, scores, decided)]
    groups = [f"patient {i}" for i in range(25) for _ in range(2)]
    found = evaluate(twice[0], scores=twice[1], decided=twice[2], groups=groups, **options)
    for name, interval in found.intervals.items():
        np.testing.assert_allclose(interval, alone[name], atol=1e-12)
    apart = evaluate(twice[0], scores=twice[1], decided=twice[2], **options).intervals
    assert np.diff(apart["micro-f"]) < np.diff(alone["micro-f"])


def test_groups_follow_rows_of_weight_0_and_rows_without_truth():
    Y, _, decided = random_outcome(24)
    truth, weights, groups = Y.astype(float), np.ones(24), np.arange(24) // 3
    truth[5], weights[7] = np.nan, 0
    options = {"n_bootstrap": 20, "random_state": 3, "undefined": "defined"}
    found = evaluate(truth, decided=decided, sample_weight=weights, groups=groups, **options)
    kept = np.setdiff1d(np.arange(24), [5, 7])
    wanted = evaluate(Y[kept], decided=decided[kept], groups=groups[kept], **options)
    for name, interval in found.intervals.items():
        np.testing.assert_allclose(interval, wanted.intervals[name], atol=1e-12)
