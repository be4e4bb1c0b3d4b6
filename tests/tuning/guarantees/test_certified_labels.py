"""Certified labels pass exact binomial tests, in an order that other rows give."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from labelwise._tuning.guarantees._certified_labels import _level, binomial_tail
from labelwise.decisions import Certify, best_thresholds
from tests.oracles import guarantees as oracle


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_the_tail_is_that_of_the_definition_and_of_scipy(rate):
    trials = np.repeat(np.arange(1, 30), 30)
    hits = np.minimum(np.tile(np.arange(30), 29), trials)
    found = binomial_tail(hits, trials, rate)
    expected = [oracle.tail(int(h), int(t), rate) for h, t in zip(hits, trials, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    tested = [
        binomtest(int(h), int(t), rate, alternative="greater").pvalue
        for h, t in zip(hits[::7], trials[::7], strict=True)
    ]
    np.testing.assert_allclose(found[::7], tested, rtol=1e-9)


def separated(n_samples=200, seed=0):
    """Scores of a label that are always right, and of one that are always chance."""
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, 2)) < 0.3
    scores = random.normal(size=Y.shape)
    scores[:, 0] += 10 * Y[:, 0]
    return scores, Y


def test_a_label_that_cannot_be_certified_is_not_decided_and_listed():
    scores, Y = separated()
    tuned = best_thresholds(
        scores,
        Y,
        maximize="macro-f",
        min_precision=0.8,
        guarantee=0.95,
        label_names=["good", "bad"],
    )
    assert np.isfinite(tuned.values[0])
    assert tuned.values[1] == np.inf
    assert tuned.evidence.guarantee.needed[0] == 0
    assert tuned.evidence.guarantee.needed[1] > 0
    assert "1 labels could not be certified" not in repr(tuned)
    assert "1 label could not be certified and is never decided" in repr(tuned)
    assert f"bad ({tuned.evidence.guarantee.needed[1]})" in repr(tuned)
    undecided = replace(tuned.evidence, decided=np.zeros(2, dtype=np.int64))
    assert undecided.never_decided(("good", "bad")) == {
        "without a certificate": ["bad"],
        "not worth a decision for this measure": ["good"],
    }


def test_a_label_without_decisions_needs_14_to_be_certified_at_08_with_095():
    assert oracle.needed(0, 0, 0.8, 0.05) == 14
    scores, Y = separated()
    # Nobody of the calibration rows reaches the scores of the label: no decision to test.
    calibration = np.full_like(scores, -50.0), Y
    tuned = best_thresholds(
        scores,
        Y,
        maximize="macro-f",
        min_precision=0.8,
        guarantee=Certify(0.95, calibration=calibration),
    )
    np.testing.assert_array_equal(tuned.evidence.guarantee.needed, [14, 14])
    assert (tuned.values == np.inf).all()


def test_needed_is_the_fewest_decisions_that_would_pass():
    scores, Y = separated()
    # One threshold in the tuning rows, so that the first test is at 0.
    scores[:, 1] = np.where(np.arange(len(Y)) % 2, 1.0, -1.0)
    Y[:, 1] = np.arange(len(Y)) % 2
    tested = np.array([[20.0, 1.0]] * 10)
    truth = np.array([[1, 1]] * 7 + [[1, 0]] * 3)
    tuned = best_thresholds(
        scores,
        Y,
        maximize="macro-f",
        min_precision=0.8,
        guarantee=Certify(0.9, calibration=(tested, truth)),
    )
    expected = [oracle.needed(10, 10, 0.8, 0.1), oracle.needed(7, 10, 0.8, 0.1)]
    np.testing.assert_array_equal(tuned.evidence.guarantee.needed, expected)


def test_hundreds_of_decisions_may_be_needed():
    scores, Y = separated()
    tested, truth = np.array([[20.0, 20.0]] * 10), np.array([[1, 0]] * 10)
    tuned = best_thresholds(
        scores,
        Y,
        maximize="macro-f",
        min_precision=0.99,
        guarantee=Certify(0.9, calibration=(tested, truth)),
    )
    expected = [oracle.needed(10, 10, 0.99, 0.1), oracle.needed(0, 10, 0.99, 0.1)]
    assert min(expected) > 200
    np.testing.assert_array_equal(tuned.evidence.guarantee.needed, expected)


def test_all_labels_together_share_alpha_by_holms_method():
    options = Certify(0.94, across="all")
    assert _level(np.array([0.5, 0.6, 0.7]), options) == pytest.approx(0.02)
    assert _level(np.array([0.01, 0.6, 0.7]), options) == pytest.approx(0.03)
    assert _level(np.array([0.6, 0.01, 0.02]), options) == pytest.approx(0.06)
    assert _level(np.array([0.01, 0.02, 0.03]), options) == pytest.approx(0.06)
    assert _level(np.array([0.5]), Certify(0.94)) == pytest.approx(0.06)


@pytest.mark.parametrize("limits", [{"min_precision": 0.7}, {"min_recall": 0.6}])
def test_each_label_keeps_its_rate_on_new_rows_as_often_as_promised(limits):
    random = np.random.default_rng(3)
    n_draws, n_labels, wrong, certified = 60, 8, 0, 0
    for _ in range(n_draws):
        truth = random.random((20_200, n_labels)) < 0.3
        scores = 1.5 * truth + random.normal(size=truth.shape)
        tuned = best_thresholds(
            scores[:200], truth[:200], maximize="macro-f", guarantee=0.8, **limits
        )
        decided = scores[200:] >= tuned.values
        hits = (decided & truth[200:]).sum(axis=0)
        total = decided if "min_precision" in limits else truth[200:]
        rates = hits / np.maximum(total.sum(axis=0), 1)
        is_certified = np.isfinite(tuned.values)
        certified += is_certified.sum()
        wrong += (is_certified & (rates < next(iter(limits.values())))).sum()
    assert certified > n_draws * n_labels / 4
    assert wrong <= 0.2 * n_draws * n_labels


def test_a_label_that_is_always_right_is_certified_for_all_samples():
    # The only cut decides every sample: its threshold is -inf.
    scores, Y = np.zeros((200, 2)), np.ones((200, 2), dtype=bool)
    Y[::3, 1] = False
    tuned = best_thresholds(scores, Y, maximize="macro-f", min_precision=0.8, guarantee=0.9)
    np.testing.assert_array_equal(tuned.values, [-np.inf, np.inf])


def test_a_label_at_exactly_its_share_of_alpha_leaves_it_to_the_others():
    options = Certify(0.5, across="all")
    assert _level(np.array([0.25, 0.7]), options) == 0.5
    assert _level(np.array([np.nextafter(0.25, 1), 0.7]), options) == 0.25
