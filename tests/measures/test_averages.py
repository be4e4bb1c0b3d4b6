"""Averages are those of scikit-learn; undefined values follow one rule."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from sklearn import metrics

from labelwise._counts import averaged_name
from labelwise.measures import (
    Counts,
    count,
    evaluate,
    f_measure,
    jaccard,
    macro,
    micro,
    precision,
    recall,
)
from tests.measures.outcomes import COUNT_MEASURES, decided_outcomes

EMPTY = Counts(tp=0, fp=0, fn=0, tn=5)


@given(decided_outcomes(), st.sampled_from(COUNT_MEASURES))
def test_micro_is_the_same_by_label_and_by_sample(outcome, measure):
    by_label, by_sample = (micro(measure, count(*outcome, by)) for by in ("label", "sample"))
    np.testing.assert_array_equal(by_label, by_sample)


@given(decided_outcomes(), decided_outcomes(), st.sampled_from(COUNT_MEASURES))
def test_the_micro_average_of_stacked_counts_is_that_of_each_of_them(one, other, measure):
    width = min(one[0].shape[1], other[0].shape[1])
    each = [Counts(*(part[:width] for part in count(*outcome))) for outcome in (one, other)]
    stacked = Counts(*map(np.stack, zip(*each, strict=True)))
    found = micro(measure, stacked)
    np.testing.assert_array_equal(found, [micro(measure, counts) for counts in each])


@given(decided_outcomes())
def test_averages_of_f_agree_with_scikit_learn(outcome):
    def peer(average):
        return metrics.f1_score(*outcome, average=average, zero_division=1)

    # One column would be taken for a vector of two classes.
    assume(outcome[0].shape[1] > 1)
    assert micro(f_measure, count(*outcome)) == pytest.approx(peer("micro"))
    assert macro(f_measure, count(*outcome)) == pytest.approx(peer("macro"))
    assert macro(f_measure, count(*outcome, "sample")) == pytest.approx(peer("samples"))


@given(decided_outcomes())
def test_losses_of_whole_rows_agree_with_scikit_learn(outcome):
    assume(outcome[0].shape[1] > 1)
    found = evaluate(outcome[0], decided=outcome[1])
    assert found["hamming-loss"] == pytest.approx(metrics.hamming_loss(*outcome))
    assert found["subset-accuracy"] == pytest.approx(metrics.accuracy_score(*outcome))


def test_an_undefined_label_makes_the_mean_undefined_or_is_skipped_or_counted():
    counts = Counts(tp=np.array([1, 0]), fp=np.array([0, 1]), fn=np.array([1, 0]), tn=np.zeros(2))
    assert math.isnan(macro(recall, counts))
    assert macro(recall, counts, "skip") == 0.5
    assert macro(recall, counts, 1.0) == 0.75
    assert math.isnan(macro(recall, EMPTY._replace(tp=np.zeros(2)), "skip"))


@given(decided_outcomes(), st.floats(0.1, 10))
def test_f_of_means_is_never_below_the_mean_of_f(outcome, beta):
    found = evaluate(outcome[0], decided=outcome[1], beta=beta)
    assume(not math.isnan(found["f-of-means"]))
    assert found["f-of-means"] >= found["macro-f"] - 1e-12


def test_f_of_means_is_the_f_of_the_two_means():
    # Mean precision 1/2, mean recall 1/4.
    Y, decided = [[1, 0], [1, 0], [0, 1]], [[1, 1], [0, 0], [0, 0]]
    for beta, value in ((1.0, 1 / 3), (2.0, 5 * 0.125 / (4 * 0.5 + 0.25))):
        assert evaluate(Y, decided=decided, beta=beta)["f-of-means"] == pytest.approx(value)
    assert evaluate([[1, 0], [0, 1]], decided=[[0, 1], [1, 0]])["f-of-means"] == 0


def test_f_grows_with_beta_where_recall_exceeds_precision():
    counts = Counts(tp=3, fp=3, fn=1, tn=0)
    values = [micro(f_measure, counts, beta=beta) for beta in (0.01, 1, 100)]
    assert values == sorted(values)
    assert values[0] == pytest.approx(precision(counts), abs=1e-3)
    assert values[2] == pytest.approx(recall(counts), abs=1e-3)


def test_a_beta_that_was_set_before_stays():
    counts = Counts(tp=3, fp=3, fn=1, tn=0)
    assert micro(partial(f_measure, beta=2.0), counts) == f_measure(counts, 2.0)


@pytest.mark.parametrize("average", [micro, macro])
def test_beta_for_a_measure_without_one_is_refused(average):
    with pytest.raises(ValueError, match="beta must be 1 for jaccard, which has none, got 2"):
        average(jaccard, count([[1]], [[1]]), beta=2)


def with_branch(counts):
    return counts.tp / (counts.tp + counts.fp) if counts.tp > 0 else 0.0


def test_a_mean_over_labels_takes_a_measure_of_arrays_alone():
    counts = count([[1, 0], [1, 1]], [[1, 1], [0, 1]])
    assert micro(with_branch, counts) == micro(precision, counts)
    rule = "measure must take Counts of arrays and return an array of numbers of their shape, but "
    with pytest.raises(TypeError, match=rule + "with_branch raised ValueError: The truth value"):
        macro(with_branch, counts)
    with pytest.raises(TypeError, match=rule + r"<lambda> returned array\(2\) for counts of"):
        macro(lambda counts: counts.tp.sum(), counts)


@pytest.mark.parametrize("average", [micro, macro])
def test_a_measure_may_be_given_by_its_name(average):
    counts = count([[1, 0], [1, 1]], [[1, 1], [0, 1]])
    assert average("f", counts, beta=2) == average(f_measure, counts, beta=2)
    with pytest.raises(ValueError, match=r"measure must be one of precision, .*, got 'speed'"):
        average("speed", counts)


@pytest.mark.parametrize("average", [micro, macro])
@pytest.mark.parametrize("beta", [1, 2])
def test_a_measure_must_be_a_function_or_a_name(average, beta):
    with pytest.raises(TypeError, match="measure must be a function of counts, got 3"):
        average(3, count([[1]], [[1]]), beta=beta)


@pytest.mark.parametrize("beta", [0, -1, math.inf, math.nan, "1", None])
def test_beta_must_be_a_positive_number(beta):
    with pytest.raises(ValueError, match="beta must be a positive number"):
        micro(f_measure, EMPTY, beta=beta)


@pytest.mark.parametrize("undefined", ["zero", None, math.nan, math.inf])
def test_an_unknown_policy_for_the_undefined_is_refused(undefined):
    with pytest.raises(ValueError, match='undefined must be "nan", "skip" or a finite number'):
        macro(recall, EMPTY, undefined)


def test_a_measure_and_its_average_have_a_name_if_the_measure_is_known():
    assert averaged_name("micro-jaccard", None) == "micro-jaccard"
    assert averaged_name(f_measure, "macro") == "macro-f"
    assert averaged_name(lambda counts: counts.tp, "macro") is None
