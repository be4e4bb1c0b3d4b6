"""Decisions for the highest expected F of the label sets that were seen in training."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.special import expit

from labelwise.decisions import maximize_expected_f_independent
from labelwise.learners.selection import _rules as module
from labelwise.learners.selection._rules import (
    check_label_sets,
    decide_of_label_sets,
    label_sets_of,
)
from tests.oracles.expected_f import expected_f_of_all, label_vectors
from tests.oracles.label_sets import label_set_distribution


@st.composite
def samples(draw):
    """Log-odds of samples, and labels and weights of others; ties, empty rows, missing labels."""
    n_labels = draw(st.integers(1, 4))
    cells = st.sampled_from([0.0, 0.0, 1.0, np.nan])
    Y = draw(arrays(float, (draw(st.integers(1, 6)), n_labels), elements=cells))
    Y[0] = np.nan_to_num(Y[0])  # a sample without a missing label
    weights = draw(arrays(int, len(Y), elements=st.integers(0, 3)))
    weights[0] += 1
    odds = st.sampled_from([-30.0, -2.0, 0.0, 0.5, 2.0, 30.0])
    log_odds = draw(arrays(float, (draw(st.integers(1, 3)), n_labels), elements=odds))
    return log_odds, Y, weights


@given(samples(), st.sampled_from([0.5, 1.0, 2.0]))
def test_no_decision_has_a_higher_expected_f_than_the_one_found(case, beta):
    log_odds, Y, weights = case
    decided = decide_of_label_sets(log_odds, label_sets_of(Y, weights), beta)
    vectors = label_vectors(Y.shape[1])
    for row, found in zip(log_odds, decided, strict=True):
        values = expected_f_of_all(label_set_distribution(row, Y, weights), beta)
        (place,) = np.flatnonzero((vectors == found).all(axis=1))
        assert values[place] == pytest.approx(values.max(), rel=1e-9)


@given(samples(), st.integers(1, 20))
def test_the_number_of_samples_together_does_not_change_decisions(case, together):
    log_odds, Y, weights = case
    seen = label_sets_of(Y, weights)
    whole = decide_of_label_sets(log_odds, seen, 1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_TOGETHER", together)
        np.testing.assert_array_equal(decide_of_label_sets(log_odds, seen, 1.0), whole)


def test_an_unsure_sample_has_a_label_if_every_training_sample_has_one():
    log_odds = np.array([[-0.5, -1.5, -1.5]])
    decided = decide_of_label_sets(log_odds, label_sets_of(np.eye(3), np.ones(3)), 1.0)
    np.testing.assert_array_equal(decided, [[1, 0, 0]])
    assert not maximize_expected_f_independent(expit(log_odds))[0].any()


def test_there_are_no_label_sets_if_each_sample_has_a_missing_label_or_no_weight():
    Y, weights = np.array([[np.nan, 1.0], [0.0, np.nan], [1.0, 1.0]]), np.array([1.0, 1.0, 0.0])
    assert label_sets_of(Y, weights).log_weights.size == 0


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"n_labels": 3}, "csr_array with 3 columns"),
        ({"members": sparse.csc_array(np.eye(2, dtype=bool))}, "csr_array with 2 columns"),
        ({"log_weights": np.zeros(3)}, "a finite number for each label set"),
        ({"log_weights": np.array([0.0, np.nan])}, "a finite number for each label set"),
        ({"log_weights": [0.0, 0.0]}, "a finite number for each label set"),
    ],
)
def test_loaded_label_sets_that_do_not_match_are_refused(change, refusal):
    sound = {
        "members": sparse.csr_array(np.eye(2, dtype=bool)),
        "log_weights": np.zeros(2),
        "n_labels": 2,
    }
    check_label_sets(**sound)
    with pytest.raises(ValueError, match=re.escape(refusal)):
        check_label_sets(**{**sound, **change})
