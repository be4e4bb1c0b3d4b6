"""Measures of counts agree with scikit-learn, whatever the type and size of the counts."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from sklearn import metrics

from labelwise.decisions import LinearFractional
from labelwise.measures import (
    Counts,
    accuracy,
    balanced_accuracy,
    count,
    f_measure,
    g_mean,
    jaccard,
    matthews,
    micro,
    precision,
    recall,
)
from tests.measures.outcomes import COUNT_MEASURES, decided_outcomes
from tests.oracles import measures as oracle

TVERSKY = LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0))
EMPTY = Counts(tp=0, fp=0, fn=0, tn=5)


def columns(Y, decided, by):
    return zip(Y.T, decided.T, strict=True) if by == "label" else zip(Y, decided, strict=True)


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


@pytest.mark.parametrize("measure", COUNT_MEASURES)
def test_measures_of_huge_counts_do_not_overflow(measure):
    small = Counts(4, 2, 1, 9)
    huge = Counts(*(np.int64(cells) * 2**58 for cells in small))
    assert measure(huge) == pytest.approx(measure(small))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint64, np.float16, np.float32])
@pytest.mark.parametrize(
    "measure", [*COUNT_MEASURES, LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0))]
)
def test_the_type_of_counts_does_not_change_a_measure(measure, dtype):
    # Sums of these leave the small types, and products leave all of them.
    largest = {np.int32: 2**30, np.uint64: 2**60}.get(dtype, 120)
    counts = [[largest, 3], [largest // 2, 0], [largest // 3, 1], [largest, 7]]
    narrow = Counts(*(np.array(cells, dtype=dtype) for cells in counts))
    wide = Counts(*(np.array(cells, dtype=np.float64) for cells in counts))
    np.testing.assert_array_equal(measure(narrow), measure(wide))
    assert (np.abs(measure(narrow)) <= 1).all()
    np.testing.assert_allclose(micro(measure, narrow), micro(measure, wide))
