"""Standard errors of values, by leaving out groups of samples."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from labelwise._tuning import Problem, Request
from labelwise.learners.selection._trials import leave_out_values, standard_error
from tests.oracles.leave_out import jackknife, leave_out_loop, value_of
from tests.oracles.maximized import maximized


def cells(seed, n_samples, n_labels):
    rng = np.random.default_rng(seed)
    scores = rng.random((n_samples, n_labels))  # no two rows are copies
    return scores, rng.random(scores.shape) < 0.4, rng.random(scores.shape) < 0.5


@pytest.mark.parametrize("maximize", ["micro-f", "macro-f", "sample-f", "micro-accuracy"])
@given(st.integers(0, 10_000), st.integers(2, 70), st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_values_without_groups_are_those_of_a_loop(maximize, seed, n_samples, n_labels):
    scores, Y, decided = cells(seed, n_samples, n_labels)
    problem = Problem(scores, sparse.csc_array(Y), None)
    request = Request(maximize=maximize)
    found = leave_out_values(problem, sparse.csc_array(decided), request)
    average, measure = maximized({"maximize": maximize})
    np.testing.assert_allclose(found, leave_out_loop(Y, decided, measure, average), atol=1e-12)
    assert standard_error(found) == pytest.approx(jackknife(list(found)))


@pytest.mark.parametrize("maximize", ["micro-f", "macro-f", "sample-f", "micro-accuracy"])
def test_weights_count_as_repetitions_in_values_without_groups(maximize):
    scores, Y, decided = cells(1, 12, 3)
    weights = np.arange(12) % 3 + 1
    request = Request(maximize=maximize)
    weighted = Problem(scores, sparse.csc_array(Y), None, weights, groups=np.arange(12))
    found = leave_out_values(weighted, sparse.csc_array(decided), request)
    scores, Y, decided, groups = (
        np.repeat(part, weights, axis=0) for part in (scores, Y, decided, np.arange(12))
    )
    repeated = Problem(scores, sparse.csc_array(Y), None, groups=groups)
    expected = leave_out_values(repeated, sparse.csc_array(decided), request)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_rows_of_a_group_are_left_out_together():
    scores, Y, decided = cells(0, 12, 3)
    groups = np.repeat([0, 1, 2], 4)
    problem = Problem(scores, sparse.csc_array(Y), None, groups=groups)
    request = Request(maximize="micro-f")
    found = leave_out_values(problem, sparse.csc_array(decided), request)
    expected = [
        value_of(Y[groups != k], decided[groups != k], request.measure, "micro") for k in range(3)
    ]
    np.testing.assert_allclose(found, expected)


def test_missing_labels_are_no_negatives():
    scores, Y, decided = cells(0, 30, 2)
    missing = np.zeros(Y.shape, dtype=bool)
    missing[:10, 1] = True
    Y, decided = Y & ~missing, decided & ~missing
    request = Request(maximize="macro-accuracy")
    gaps = sparse.csc_array(missing)
    problem = Problem(sparse.csr_array(scores), sparse.csc_array(Y), None, missing=gaps)
    found = leave_out_values(problem, sparse.csc_array(decided), request)
    right = (decided == Y) & ~missing
    for k, value in enumerate(found):
        kept = np.arange(30) % 30 != k
        shares = right[kept].sum(axis=0) / (~missing[kept]).sum(axis=0)
        assert value == pytest.approx(shares.mean())


def test_the_error_of_a_mean_is_the_usual_one():
    values = np.random.default_rng(0).random(40)
    without = (values.sum() - values) / 39
    assert standard_error(without) == pytest.approx(values.std(ddof=1) / np.sqrt(40))


def test_one_group_has_no_standard_error():
    assert np.isnan(standard_error(np.array([0.5])))
