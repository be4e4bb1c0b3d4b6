"""The saved proportion cut decides as `proportion_cut` does with the labels of tuning."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy import sparse

from labelwise.data import DataError
from labelwise.decisions import (
    Proportions,
    best_thresholds,
    load_rule,
    proportion_cut,
    proportion_rule,
)
from labelwise.measures import count, f_measure, jaccard, macro, micro
from labelwise.splitting import assign
from tests.decisions.problems import problems


@given(problem=problems(most_samples=12, most_labels=5))
def test_it_decides_as_the_proportion_cut(problem):
    scores, Y = problem
    rule = proportion_rule(scores, Y, random_state=0)
    decided = proportion_cut(scores, Y)
    np.testing.assert_array_equal(rule.decide(scores), decided)
    twice = np.concatenate([scores, scores[::-1]])
    np.testing.assert_array_equal(rule.decide(twice), proportion_cut(twice, Y))
    assert rule.value == pytest.approx(micro(f_measure, count(Y, decided)))
    np.testing.assert_array_equal(rule.evidence.decided, decided.sum(axis=0))


def some_problem(seed=0):
    random = np.random.default_rng(seed)
    Y = (random.random((61, 4)) < random.random(4)).astype(int)
    return Y + random.normal(size=Y.shape), Y


@pytest.mark.parametrize(("maximize", "average"), [("macro-f", None), (jaccard, "sample")])
def test_the_corrected_value_decides_each_fold_by_the_shares_of_the_others(maximize, average):
    scores, Y = some_problem()
    fold = assign(Y, 5, method="random", random_state=3)
    decided = np.zeros_like(Y)
    for k in range(5):
        decided[fold == k] = proportion_cut(scores[fold == k], Y[fold != k])
    rule = proportion_rule(scores, Y, maximize=maximize, average=average, random_state=3)
    by = "sample" if average == "sample" else "label"
    measure = f_measure if maximize == "macro-f" else jaccard
    expected = macro(measure, count(Y, decided, by=by))
    assert rule.evidence.corrected_value == pytest.approx(expected)


def test_it_is_saved_and_read_as_a_rule(tmp_path):
    scores, Y = some_problem()
    rule = proportion_rule(scores, Y, label_names=[*"abcd"], maximize="macro-f", random_state=0)
    rule.save(tmp_path / "rule.json")
    for load in (Proportions.load, load_rule):
        found = load(tmp_path / "rule.json")
        assert type(found) is Proportions
        np.testing.assert_array_equal(found.shares, rule.shares)
        assert found.label_names == rule.label_names
        assert found.value == rule.value
        assert found.evidence.corrected_value == rule.evidence.corrected_value
        np.testing.assert_array_equal(found.decide(scores), rule.decide(scores))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shares": [0.5, 1.5, 0, 0]}, "shares must be from 0 to 1"),
        ({"shares": [0.5]}, "support has 4 labels but shares has 1"),
        ({"version": 2}, "has version 2, but only 1 can be read"),
        ({"format": "labelwise shares"}, "is not a file of labelwise"),
    ],
)
def test_changed_files_are_refused(tmp_path, change, message):
    rule = proportion_rule(*some_problem(), random_state=0)
    path = tmp_path / "rule.json"
    path.write_text(json.dumps(rule.to_dict() | change))
    with pytest.raises(DataError, match=message):
        load_rule(path)


def test_other_rules_are_no_proportions(tmp_path):
    best_thresholds(*some_problem()).save(tmp_path / "rule.json")
    with pytest.raises(DataError, match="is not a file of labelwise proportions"):
        Proportions.load(tmp_path / "rule.json")


def test_columns_of_frames_are_matched_by_name():
    scores, Y = some_problem()
    names = ["sea", "sky", "sun", "fog"]
    rule = proportion_rule(scores, Y, label_names=names)
    frame = pd.DataFrame(scores, columns=names)[["fog", "sea", "sun", "sky"]]
    decided = rule.decide(frame)
    assert list(decided.columns) == list(frame.columns)
    np.testing.assert_array_equal(decided[names], proportion_cut(scores, Y))
    with pytest.raises(ValueError, match="scores has 3 labels, but"):
        rule.decide(scores[:, :3])


def test_sparse_scores_give_sparse_decisions():
    scores, Y = some_problem()
    stored = sparse.csr_array(np.where(scores > 0.5, scores, 0))
    rule = proportion_rule(stored, Y, random_state=0)
    expected = proportion_cut(stored, Y)
    np.testing.assert_array_equal(rule.decide(stored).toarray(), expected.toarray())
    assert rule.value == pytest.approx(micro(f_measure, count(Y, expected)))


def test_a_single_sample_has_no_corrected_value():
    assert np.isnan(proportion_rule([[0.3, 0.4]], [[1, 0]]).evidence.corrected_value)


def test_shrinkage_is_not_advised_for_a_rule_that_has_none():
    random = np.random.default_rng(2)
    Y = (random.random((20, 6)) < 0.15).astype(int)
    rule = proportion_rule(Y + random.normal(size=Y.shape) / 3, Y, random_state=0)
    last = rule.report().splitlines()[-1]
    assert last == "Some labels have too few positives: more samples may help."


def test_it_says_what_it_is():
    names = ["sea", "sky"]
    rule = proportion_rule([[0.9, 0.2], [0.6, 0.4]], [[1, 1], [0, 1]], label_names=names)
    assert repr(rule) == "\n".join(
        [
            "Proportions of 2 labels: micro F 1.0000 on 2 samples",
            "each label is decided for its share of the samples that are decided together",
            "micro precision 1.0000, recall 1.0000, F 1.0000 with 3 decisions",
            "",
            "label  share  support  decided",
            "sea      0.5        1        1",
            "sky        1        2        2",
        ]
    )
    assert rule.report().startswith(repr(rule))
    assert "Do not rely on 1.0000" in rule.report()
