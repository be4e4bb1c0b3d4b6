"""Measures of the k top-ranked labels equal their definitions."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.dummy import DummyClassifier

from labelwise.measures import (
    count,
    evaluate,
    f_measure,
    inverse_propensities,
    macro,
    precision,
    recall,
    scorer,
)
from tests.measures.outcomes import recall_at, scored_outcomes
from tests.oracles import measures as oracle

COUNTED = {"precision": precision, "recall": recall, "f": f_measure}


@given(outcome=scored_outcomes(), data=st.data())
def test_recall_at_k_is_the_share_of_positives_above_all_but_k_labels(outcome, data):
    k = data.draw(st.integers(1, outcome[0].shape[1]))
    expected = oracle.mean_over_rankings(lambda *row: oracle.recall_at(*row, k), *outcome, "sample")
    for scores in (outcome[1], outcome[1].tolist()):
        found = recall_at(outcome[0], scores, k, undefined="skip")
        assert found == pytest.approx(expected, nan_ok=True)


@st.composite
def partly_stored(draw):
    """A truth, scores that are NaN where they are absent, and the same scores as CSR."""
    Y, scores = draw(scored_outcomes())
    stored = draw(hnp.arrays(bool, Y.shape))
    rows, columns = np.nonzero(stored)
    matrix = sparse.csr_array((scores[stored], (rows, columns)), shape=scores.shape)
    return Y, np.where(stored, scores, np.nan), matrix


@given(outcome=partly_stored(), data=st.data(), undefined=st.sampled_from(["nan", "skip", "zero"]))
def test_macro_averages_at_k_are_those_of_the_k_top_labels(outcome, data, undefined):
    Y, dense, stored = outcome
    k = data.draw(st.integers(1, Y.shape[1]))
    weights = data.draw(st.none() | hnp.arrays(np.int64, len(Y), elements=st.integers(1, 3)))
    scores = dense if not np.isnan(dense).any() else stored
    names = [f"macro-{name}-at-{k}" for name in COUNTED] + [f"label-coverage-at-{k}"]
    found = evaluate(Y, scores=scores, also=names, undefined=undefined, sample_weight=weights)
    rows = np.repeat(np.arange(len(Y)), 1 if weights is None else weights)
    decided, truth = oracle.decided_at(dense, k)[rows], Y[rows]
    expected = evaluate(truth, decided=decided, undefined=undefined)
    for name in COUNTED:
        value = found[f"macro-{name}-at-{k}"]
        assert value == pytest.approx(expected[f"macro-{name}"], nan_ok=True)
    has_hit = [
        np.any(d & t) if t.any() else np.nan for d, t in zip(decided.T, truth.T, strict=True)
    ]
    has_hit = np.array(has_hit, dtype=float)
    if undefined == "zero":
        has_hit = np.nan_to_num(has_hit)
    mean = np.nanmean if undefined == "skip" and not np.isnan(has_hit).all() else np.mean
    assert found[f"label-coverage-at-{k}"] == pytest.approx(mean(has_hit), nan_ok=True)


@given(outcome=partly_stored(), data=st.data())
def test_propensity_scored_measures_are_shares_of_the_best_ranking(outcome, data):
    Y, dense, stored = outcome
    k = data.draw(st.integers(1, Y.shape[1]))
    inverse = data.draw(hnp.arrays(np.float64, Y.shape[1], elements=st.floats(1, 9)))
    weights = data.draw(st.none() | hnp.arrays(np.int64, len(Y), elements=st.integers(1, 3)))
    scores = dense if not np.isnan(dense).any() else stored
    found = evaluate(
        Y, scores=scores, cutoffs=[k], inverse_propensity=inverse, sample_weight=weights
    )
    counted = np.ones(len(Y)) if weights is None else weights
    for name, discounted in (("ps-precision", False), ("ps-ndcg", True)):
        expected = oracle.propensity_scored(Y, dense, inverse, k, counted, discounted)
        assert found[f"{name}-at-{k}"] == pytest.approx(expected, nan_ok=True)


@given(outcome=scored_outcomes(), data=st.data())
def test_a_measure_at_k_does_not_depend_on_the_other_cutoffs_or_on_blocks(outcome, data):
    Y, scores = outcome
    options = {"scores": scores, "inverse_propensity": np.arange(1.0, Y.shape[1] + 1)}
    cutoffs = range(1, Y.shape[1] + 1)
    together = evaluate(Y, cutoffs=cutoffs, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelwise._measuring._rankings._BLOCK", 1)
        for k in cutoffs:
            alone = evaluate(Y, cutoffs=[k], **options)
            for name in alone:
                assert alone[name] == pytest.approx(together[name], nan_ok=True), name


def test_inverse_propensities_follow_the_formula():
    Y = np.zeros((50, 3), dtype=int)
    Y[:20, 0] = Y[:3, 1] = 1
    for a, b in ((0.55, 1.5), (0.6, 2.6)):
        constant = (np.log(50) - 1) * (b + 1) ** a
        expected = [1 + constant * np.exp(-a * np.log(n + b)) for n in (20, 3, 0)]
        found = inverse_propensities(Y, a=a, b=b)
        np.testing.assert_allclose(found, expected)
        assert found[0] < found[1] < found[2]


def test_equal_propensities_give_precision_over_the_best_precision():
    random = np.random.default_rng(0)
    Y, scores = random.integers(0, 2, (30, 8)), random.random((30, 8))
    found = evaluate(Y, scores=scores, cutoffs=[3], inverse_propensity=np.full(8, 2.0))
    best = np.minimum(Y.sum(axis=1), 3).mean() / 3
    assert found["ps-precision-at-3"] == pytest.approx(found["precision-at-3"] / best)


def test_measures_of_the_top_labels_are_scorers_and_print():
    random = np.random.default_rng(0)
    X, Y = random.random((40, 3)), random.integers(0, 2, (40, 6))
    model = DummyClassifier(strategy="prior").fit(X, Y)
    weights = inverse_propensities(Y)
    one = scorer("ps-ndcg-at-2", inverse_propensity=weights)
    assert one.inverse_propensity == tuple(weights)
    several = scorer(["macro-f-at-2", "recall-at-2", "ps-ndcg-at-2"], inverse_propensity=weights)(
        model, X, Y
    )
    assert several["ps-ndcg-at-2"] == one(model, X, Y)
    scores = np.tile(Y.mean(axis=0), (40, 1))
    names = ["macro-f-at-2", "label-coverage-at-2"]
    found = evaluate(Y, scores=scores, also=names, inverse_propensity=weights, cutoffs=[2])
    assert found["macro-f-at-2"] == several["macro-f-at-2"]
    text = repr(found)
    assert "f-at-2" in text
    assert "label-coverage-at-2" in text
    assert "ps-precision-at-2" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"also": "macro-f-at-2"}, "also must be several names"),
        ({"also": ["macro-g-at-2"]}, "name must be one of"),
        ({"also": ["macro-f-at-9"]}, "k must be at most the 2 labels"),
        ({"also": ["micro-f"]}, "also has 'micro-f', which needs decided"),
        ({"also": ["ps-ndcg-at-1"]}, "ps-ndcg-at-1 needs inverse_propensity"),
        ({"inverse_propensity": [1.0]}, "must be a number for each of 2 labels"),
        ({"inverse_propensity": [1.0, -1.0]}, "inverse_propensity must be positive"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        evaluate([[1, 0], [0, 1]], scores=[[0.2, 0.1], [0.3, 0.4]], **options)


def test_three_samples_are_enough_for_propensities():
    expected = 1 + (np.log(3) - 1) * 2.5**0.55 * 3.5**-0.55
    assert inverse_propensities([[1], [0], [1]]) == pytest.approx([expected])


@pytest.mark.parametrize(
    ("Y", "options", "message"),
    [
        ([[1], [0], [1]], {"a": 0.0}, "a must be a positive number, got 0.0"),
        ([[1], [0], [1]], {"b": np.inf}, "b must be a positive number"),
        ([[1], [0]], {}, "Y_train must have at least 3 samples, got 2"),
    ],
)
def test_propensities_need_positive_parameters_and_samples(Y, options, message):
    with pytest.raises(ValueError, match=message):
        inverse_propensities(Y, **options)


def test_macro_f_at_k_is_that_of_another_package():
    metrics = pytest.importorskip("xcolumns.metrics")
    random = np.random.default_rng(1)
    Y, scores = random.integers(0, 2, (60, 9)), random.random((60, 9))
    decided = oracle.decided_at(scores, 3)
    found = evaluate(Y, scores=scores, also=["macro-f-at-3", "label-coverage-at-3"])
    assert found["macro-f-at-3"] == pytest.approx(metrics.macro_f1_score(Y, decided), abs=1e-4)
    assert found["macro-f-at-3"] == pytest.approx(float(macro("f", count(Y, decided))))
    assert found["label-coverage-at-3"] == pytest.approx(metrics.coverage(Y, decided), abs=1e-4)
