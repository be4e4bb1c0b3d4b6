"""The rank cut with the best k is that of trying every k."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.decisions import Thresholds, load_rule, rank_cut, rank_rule
from labelwise.measures import accuracy, count, f_measure, jaccard, macro, micro
from labelwise.splitting import assign
from tests.decisions.problems import problems

MEASURES = ("micro-f", "macro-f", "sample-f", "macro-jaccard", "micro-accuracy")
FUNCTIONS = {"f": f_measure, "jaccard": jaccard, "accuracy": accuracy}


def measured(Y, decided, measure, weights=None, beta=1.0):
    """The value of decisions; a sample of weight w counts as w samples."""
    if weights is not None:
        Y, decided = (np.repeat(np.asarray(part), weights, axis=0) for part in (Y, decided))
    average, name = measure.split("-")
    counts = count(Y, decided, by="sample" if average == "sample" else "label")

    def function(counts):
        return FUNCTIONS[name](counts, beta) if name == "f" else FUNCTIONS[name](counts)

    return micro(function, counts) if average == "micro" else macro(function, counts)


def value_of(scores, Y, k, measure, weights=None, beta=1.0):
    return measured(Y, rank_cut(scores, k), measure, weights, beta)


def best_k(scores, Y, measure, weights=None, beta=1.0):
    tried = range(1, scores.shape[1] + 1)
    values = [value_of(scores, Y, k, measure, weights, beta) for k in tried]
    return next(k for k in tried if values[k - 1] >= max(values) - 1e-12)


@given(problem=problems(most_samples=12, most_labels=5), measure=st.sampled_from(MEASURES))
def test_no_number_of_labels_has_a_higher_value(problem, measure):
    scores, Y = problem
    rule = rank_rule(scores, Y, maximize=measure, random_state=0)
    assert rule.max_rank == best_k(scores, Y, measure)
    assert rule.value == pytest.approx(value_of(scores, Y, rule.max_rank, measure))
    np.testing.assert_array_equal(rule.decide(scores), rank_cut(scores, rule.max_rank))
    np.testing.assert_array_equal(rule.evidence.support, Y.sum(axis=0))
    np.testing.assert_array_equal(rule.evidence.decided, rule.decide(scores).sum(axis=0))
    np.testing.assert_array_equal(
        rule.evidence.true_positives, (rule.decide(scores) & Y.astype(bool)).sum(axis=0)
    )


def some_problem(seed=0, n_samples=60, n_labels=6):
    random = np.random.default_rng(seed)
    Y = (random.random((n_samples, n_labels)) < random.random(n_labels)).astype(int)
    return Y + random.normal(size=Y.shape), Y


@pytest.mark.parametrize(
    ("measure", "beta"),
    [*((one, 1.0) for one in MEASURES), *((one, 3.0) for one in MEASURES if one.endswith("-f"))],
)
def test_the_corrected_value_decides_each_fold_by_the_k_of_the_others(measure, beta):
    for seed in range(4):
        scores, Y = some_problem(seed)
        weights = np.random.default_rng(seed).integers(1, 4, len(Y)) if seed % 2 else None
        fold = assign(Y, 5, method="random", random_state=seed)
        decided = np.zeros_like(Y)
        for k in range(5):
            others = fold != k
            of_others = None if weights is None else weights[others]
            n = best_k(scores[others], Y[others], measure, of_others, beta)
            decided[~others] = rank_cut(scores[~others], n)
        rule = rank_rule(
            scores, Y, maximize=measure, beta=beta, sample_weight=weights, random_state=seed
        )
        assert rule.max_rank == best_k(scores, Y, measure, weights, beta)
        assert rule.value == pytest.approx(
            value_of(scores, Y, rule.max_rank, measure, weights, beta)
        )
        expected = measured(Y, decided, measure, weights, beta)
        assert rule.evidence.corrected_value == pytest.approx(expected)


def test_absent_scores_are_never_decided():
    scores, Y = some_problem(3)
    scores = np.where(scores > 0.5, scores, 0.0)
    rule = rank_rule(sparse.csr_array(scores), Y, random_state=0)
    dense = np.where(scores > 0, scores, -9.0)
    values = []
    for k in range(1, 7):
        decided = rank_cut(dense, k) & (scores > 0)
        values.append(measured(Y, decided, "micro-f"))
    assert rule.max_rank == 1 + int(np.argmax(values))
    assert rule.value == pytest.approx(max(values))


def test_the_rule_is_saved_as_thresholds(tmp_path):
    scores, Y = some_problem()
    rule = rank_rule(scores, Y, label_names=[*"abcdef"], random_state=0)
    rule.save(tmp_path / "rule.json")
    for load in (Thresholds.load, load_rule):
        found = load(tmp_path / "rule.json")
        np.testing.assert_array_equal(found.decide(scores), rank_cut(scores, rule.max_rank))
    assert "only the" in repr(found)


def test_a_single_sample_has_no_corrected_value():
    rule = rank_rule([[0.3, 0.4]], [[1, 1]])
    assert rule.max_rank == 2
    assert np.isnan(rule.evidence.corrected_value)


def test_a_label_that_is_never_among_the_highest_is_not_called_worthless():
    scores, Y = (
        [[0.9, 0.5, 0.1], [0.8, 0.6, 0.2], [0.4, 0.7, 0.3]],
        [[1, 0, 1], [1, 0, 0], [0, 1, 0]],
    )
    rule = rank_rule(scores, Y, label_names=["sea", "sky", "sun"], random_state=0)
    # Of new samples, the label can be decided.
    assert rule.decide([[0.1, 0.2, 0.3]]).tolist() == [[0, 0, 1]]
    expected = "never decided: 1 label without a high enough score in the tuning samples (sun)"
    assert expected in rule.report().splitlines()


def test_missing_labels_are_refused():
    with pytest.raises(ValueError, match="Y must"):
        rank_rule([[0.3, 0.4]], [[1, np.nan]])
