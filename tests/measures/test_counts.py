"""Counts, their measures and averages are what their definitions and scikit-learn say."""

import math
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics

from labelwise.decisions import LinearFractional
from labelwise.measures import (
    Counts,
    accuracy,
    balanced_accuracy,
    count,
    f_measure,
    f_of_means,
    g_mean,
    hamming_loss,
    jaccard,
    macro,
    matthews,
    micro,
    precision,
    recall,
    subset_accuracy,
    with_beta,
)
from tests.measures.outcomes import decided_outcomes
from tests.oracles import measures as oracle

ALL = [precision, recall, f_measure, jaccard, accuracy, balanced_accuracy, g_mean, matthews]
BY = pytest.mark.parametrize("by", ["label", "sample"])
EMPTY = Counts(tp=0, fp=0, fn=0, tn=5)


def columns(Y, decided, by):
    return zip(Y.T, decided.T, strict=True) if by == "label" else zip(Y, decided, strict=True)


@BY
@given(outcome=decided_outcomes())
def test_counts_are_those_of_the_definition(outcome, by):
    expected = [oracle.counts(*column) for column in columns(*outcome, by)]
    np.testing.assert_array_equal(np.transpose(count(*outcome, by)), expected)


@given(decided_outcomes())
def test_counts_are_the_same_in_every_form_of_input(outcome):
    Y, decided = outcome
    names = [f"label {j}" for j in range(Y.shape[1])]
    expected = count(Y, decided)
    sets = [[{names[j] for j in np.flatnonzero(row)} for row in matrix] for matrix in outcome]
    forms = [
        (Y.astype(bool), decided.tolist()),
        (sparse.csr_matrix(Y), sparse.coo_array(decided)),
        (pd.DataFrame(Y, columns=names), pl.DataFrame(decided, schema=names)[:, ::-1]),
        (sparse.csc_array(Y), np.asfortranarray(decided)),
    ]
    for form in forms:
        np.testing.assert_array_equal(count(*form), expected)
    np.testing.assert_array_equal(count(*sets, label_names=names), expected)


def test_sets_have_the_union_of_their_labels_as_columns():
    tp, fp, fn, tn = count([{"b"}, {"c"}], [{"b", "a"}, {"b"}])
    np.testing.assert_array_equal(tp, [0, 1, 0])
    np.testing.assert_array_equal(fp, [1, 1, 0])
    np.testing.assert_array_equal(fn, [0, 0, 1])
    np.testing.assert_array_equal(tn, [1, 0, 1])


def test_a_matrix_too_large_to_be_dense_is_counted():
    shape = (200_000, 300_000)
    Y = sparse.coo_array(([1, 1], ([5, 199_999], [7, 299_999])), shape=shape)
    decided = sparse.csr_array(([1], ([5], [7])), shape=shape)
    pooled = Counts(*(cells.sum() for cells in count(Y, decided)))
    assert pooled == (1, 0, 1, shape[0] * shape[1] - 2)


@given(decided_outcomes())
def test_measures_agree_with_scikit_learn_on_every_label(outcome):
    # With a second column scikit-learn does not take a single label for a vector of classes.
    padded = [np.pad(matrix, ((0, 0), (0, 1))) for matrix in outcome]
    no_value, full = ({"average": None, "zero_division": value} for value in (np.nan, 1))
    expected = {
        precision: metrics.precision_score(*padded, **no_value),
        recall: metrics.recall_score(*padded, **no_value),
        f_measure: metrics.f1_score(*padded, **full),
        partial(f_measure, beta=0.5): metrics.fbeta_score(*padded, beta=0.5, **full),
        jaccard: metrics.jaccard_score(*padded, **full),
        accuracy: (padded[0] == padded[1]).mean(axis=0),
    }
    for measure, values in expected.items():
        np.testing.assert_allclose(measure(count(*padded)), values, rtol=1e-12)


@given(decided_outcomes())
def test_measures_of_both_classes_agree_with_scikit_learn_where_defined(outcome):
    for truth, decided in columns(*outcome, "label"):
        cells = Counts(*oracle.counts(truth, decided))
        rates = metrics.recall_score(
            truth, decided, labels=[0, 1], average=None, zero_division=np.nan
        )
        assert balanced_accuracy(cells) == pytest.approx(rates.mean(), nan_ok=True)
        assert g_mean(cells) == pytest.approx(math.sqrt(rates.prod()), nan_ok=True)
        is_constant = len(set(truth)) == 1 or len(set(decided)) == 1
        expected = np.nan if is_constant else metrics.matthews_corrcoef(truth, decided)
        assert matthews(cells) == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_an_empty_truth_met_by_an_empty_decision_is_a_full_success():
    assert f_measure(EMPTY) == jaccard(EMPTY) == 1


@pytest.mark.parametrize("measure", [precision, recall, balanced_accuracy, g_mean, matthews])
def test_a_quotient_without_denominator_is_undefined(measure):
    assert math.isnan(measure(EMPTY))


@pytest.mark.parametrize("measure", ALL)
def test_measures_of_huge_counts_do_not_overflow(measure):
    small = Counts(4, 2, 1, 9)
    huge = Counts(*(np.int64(cells) * 2**58 for cells in small))
    assert measure(huge) == pytest.approx(measure(small))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint64, np.float16, np.float32])
@pytest.mark.parametrize("measure", [*ALL, LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0))])
def test_the_type_of_counts_does_not_change_a_measure(measure, dtype):
    # Sums of these leave the small types, and products leave all of them.
    largest = {np.int32: 2**30, np.uint64: 2**60}.get(dtype, 120)
    counts = [[largest, 3], [largest // 2, 0], [largest // 3, 1], [largest, 7]]
    narrow = Counts(*(np.array(cells, dtype=dtype) for cells in counts))
    wide = Counts(*(np.array(cells, dtype=np.float64) for cells in counts))
    np.testing.assert_array_equal(measure(narrow), measure(wide))
    assert (np.abs(measure(narrow)) <= 1).all()
    np.testing.assert_allclose(micro(measure, narrow), micro(measure, wide))


@given(decided_outcomes(), st.sampled_from(ALL))
def test_micro_is_the_same_by_label_and_by_sample(outcome, measure):
    by_label, by_sample = (micro(measure, count(*outcome, by)) for by in ("label", "sample"))
    np.testing.assert_array_equal(by_label, by_sample)


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
    assert hamming_loss(*outcome) == pytest.approx(metrics.hamming_loss(*outcome))
    assert subset_accuracy(*outcome) == pytest.approx(metrics.accuracy_score(*outcome))


def test_an_undefined_label_makes_the_mean_undefined_or_is_skipped_or_counted():
    counts = Counts(tp=np.array([1, 0]), fp=np.array([0, 1]), fn=np.array([1, 0]), tn=np.zeros(2))
    assert math.isnan(macro(recall, counts))
    assert macro(recall, counts, "skip") == 0.5
    assert macro(recall, counts, 1.0) == 0.75
    assert math.isnan(macro(recall, EMPTY._replace(tp=np.zeros(2)), "skip"))


@given(decided_outcomes(), st.floats(0.1, 10))
def test_f_of_means_is_never_below_the_mean_of_f(outcome, beta):
    counts = count(*outcome)
    assume(not math.isnan(f_of_means(counts, beta)))
    assert f_of_means(counts, beta) >= macro(f_measure, counts, beta=beta) - 1e-12


def test_f_of_means_is_the_f_of_the_two_means():
    counts = Counts(tp=np.array([1, 0]), fp=np.array([0, 1]), fn=np.array([1, 1]), tn=np.zeros(2))
    # Mean precision 1/2, mean recall 1/4.
    assert f_of_means(counts) == pytest.approx(1 / 3)
    assert f_of_means(counts, beta=2.0) == pytest.approx(5 * 0.125 / (4 * 0.5 + 0.25))
    assert f_of_means(counts._replace(tp=np.zeros(2), fp=np.ones(2))) == 0


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
        with_beta(f_measure, beta)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1]], [[1]], "row"), 'by must be "label" or "sample", got \'row\''),
        (([[1, 2]], [[1, 1]]), "Y must hold only 0 and 1, got 2 at row 0, label 1"),
        (([[1, 0]], [[1, -1]]), "decided must hold only 0 and 1, got -1 at row 0, label 1"),
        (([[1], [0]], [[1]]), "decided has 1 rows but Y has 2"),
        (([[1, 0]], [[1]]), "decided has 1 labels but Y has 2"),
        (([[1, 0]], [{"a"}]), "decided is a list of sets, but the labels of Y have no names"),
        ((pd.DataFrame({"a": [1]}), [{"b"}]), "decided has an unknown label 'b' in row 0"),
        ((np.empty((0, 2)), np.empty((0, 2))), "Y must have a row and a label, got 0 rows"),
        (([[], []], [[], []]), "Y must have a row and a label, got 2 rows and 0 labels"),
    ],
)
def test_bad_outcomes_are_refused_with_the_argument_and_the_rule(arguments, message):
    with pytest.raises(ValueError, match=message):
        count(*arguments)


def test_decisions_are_not_optional():
    with pytest.raises(TypeError, match="decided must be"):
        count([[1]], None)


@pytest.mark.parametrize("undefined", ["zero", None, math.nan, math.inf])
def test_an_unknown_policy_for_the_undefined_is_refused(undefined):
    with pytest.raises(ValueError, match='undefined must be "nan", "skip" or a finite number'):
        macro(recall, EMPTY, undefined)
