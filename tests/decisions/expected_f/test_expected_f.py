"""The general F-measure maximizer finds the best of all label sets.

Tests `_expected_f`, `_expected_f_kernels` and the checks in `_probabilities`.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from labelwise.data import make_multilabel
from labelwise.decisions import (
    joint_from_samples,
    maximize_expected_f,
    maximize_expected_f_independent,
)
from labelwise.decisions.expected_f import _expected_f_kernels as kernels
from labelwise.measures import count, f_measure
from tests.oracles import expected_f as oracle

BETAS = st.sampled_from([0.5, 1.0, 2.0, np.pi / 3])
# The sums of up to 1024 products keep 13 digits.
CLOSE = {"rel": 1e-13, "abs": 1e-13}


@st.composite
def distributions(draw, max_labels=5):
    """P(y) of every label vector: few values, so that many sets tie, and many zeros."""
    n_labels = draw(st.integers(1, max_labels))
    weights = st.lists(st.integers(0, 3), min_size=2**n_labels, max_size=2**n_labels)
    table = np.array(draw(weights.filter(any)), dtype=float)
    return table / table.sum()


def decide(distribution, beta=1.0):
    joint, p_empty = oracle.joint_of(distribution)
    decided, value = maximize_expected_f(joint[None], [p_empty], beta=beta)
    return decided[0], value[0]


@given(distributions(), BETAS)
def test_no_label_set_beats_the_decided_one(distribution, beta):
    decided, value = decide(distribution, beta)
    of_all = oracle.expected_f_of_all(distribution, beta)
    assert value == pytest.approx(of_all.max(), **CLOSE)
    vectors = oracle.label_vectors(decided.size)
    place = int(np.flatnonzero((vectors == decided).all(axis=1))[0])
    assert of_all[place] == pytest.approx(value, **CLOSE)


@given(distributions(), BETAS)
def test_no_smaller_set_has_the_same_value(distribution, beta):
    decided, value = decide(distribution, beta)
    of_all = oracle.expected_f_of_all(distribution, beta)
    # Shares of whole weights up to 3 that differ at all differ by much more.
    best = oracle.label_vectors(decided.size)[of_all >= value - 1e-13]
    assert decided.sum() == best.sum(axis=1).min()


@settings(max_examples=5)
@given(st.integers(8, 10), st.integers(0, 2**32 - 1), st.floats(0.05, 3))
def test_no_label_set_beats_the_decided_one_among_a_thousand(n_labels, seed, beta):
    distribution = np.random.default_rng(seed).dirichlet(np.full(2**n_labels, 0.01))
    _, value = decide(distribution, beta)
    best = max(distribution @ f_of_all_truths(h, beta) for h in oracle.label_vectors(n_labels))
    assert value == pytest.approx(best, rel=1e-12)


def f_of_all_truths(h, beta):
    """F of a decision for every label vector."""
    truths = oracle.label_vectors(h.size)
    hits = (truths & h).sum(axis=1)
    weighted_size = beta**2 * truths.sum(axis=1) + h.sum()
    return np.where(weighted_size == 0, 1, (1 + beta**2) * hits / np.maximum(weighted_size, 1e-9))


def test_theorem_2_parts_the_general_rule_from_the_independent_one():
    distribution = np.array([0.5, 0.2, 0.0, 0.3])  # of 00, 01, 10, 11
    decided, value = decide(distribution)
    assert decided.tolist() == [0, 0]
    assert value == 0.5
    from_marginals, _ = maximize_expected_f_independent([[0.3, 0.5]])
    assert from_marginals.tolist() == [[1, 1]]


@given(st.lists(st.booleans(), min_size=1, max_size=9), BETAS)
def test_a_certain_set_is_decided_with_value_one(y, beta):
    joint, p_empty = joint_from_samples([[y]])
    decided, value = maximize_expected_f(joint, p_empty, beta=beta)
    assert decided.tolist() == [[int(on) for on in y]]
    assert value == pytest.approx(1)


def test_a_label_as_probable_as_none_is_not_decided():
    decided, value = maximize_expected_f([[[0.5]]], [0.5])
    assert (decided.tolist(), value.tolist()) == ([[0]], [0.5])


def test_rounding_does_not_break_a_tie_for_more_labels():
    # With two labels in all, 2 a / 3 = 2 (a + a / 3) / 4 for one label and for both.
    for a in np.arange(1, 98) / 97:
        decided, _ = maximize_expected_f([[[0, a], [0, a / 3]]], [0.0])
        assert decided.tolist() == [[1, 0]]


def test_the_first_of_equal_labels_are_decided():
    # For precision alone, a second label of equal probability gains nothing.
    joint = np.array([0.1, 0.3, 0.3, 0.3]).reshape(1, 4, 1)
    decided, _ = maximize_expected_f(joint, [0.0], beta=1e-200)
    assert decided.tolist() == [[0, 1, 0, 0]]


@given(distributions(max_labels=4), BETAS)
def test_value_is_the_mean_f_of_the_decision_over_the_distribution(distribution, beta):
    decided, value = decide(distribution, beta)
    truths = oracle.label_vectors(decided.size)
    counts = count(truths, np.tile(decided, (len(truths), 1)), by="sample")
    assert value == pytest.approx(distribution @ f_measure(counts, beta=beta), **CLOSE)


def test_a_bound_on_all_larger_sets_ends_the_search_early(monkeypatch):
    joint, p_empty = many_joints(n_samples=1, n_labels=60)
    tried = []
    original = kernels.sum_of_largest
    monkeypatch.setattr(
        kernels, "sum_of_largest", lambda v, k, h: tried.append(k) or original(v, k, h)
    )
    best_number = getattr(kernels.best_number, "py_func", kernels.best_number)
    k, value = best_number(
        np.ascontiguousarray(joint[0].T), np.arange(1.0, 61), p_empty[0], np.array([0.5, 0.5])
    )
    assert tried == list(range(1, len(tried) + 1))
    assert k < len(tried) < 30
    values = best_of_each_number(joint[0], beta=1.0)
    assert value == pytest.approx(values.max())
    assert int(values.argmax()) + 1 == k


def best_of_each_number(joint, beta):
    """The highest value of k labels for k = 1, ..., m, by sorting."""
    n_labels, n_sizes = joint.shape
    k, s = np.arange(1, n_labels + 1), np.arange(1, n_sizes + 1)
    gains = joint @ ((1 + beta**2) / (beta**2 * s[:, None] + k))
    return np.diag(np.sort(gains, axis=0)[::-1].cumsum(axis=0))


def many_joints(n_samples, n_labels, seed=0):
    _, posterior = make_multilabel(n_samples, n_labels=n_labels, random_state=seed)
    return posterior.joint, posterior.p_empty


@pytest.mark.parametrize("beta", [0.3, 1.0, np.e])
def test_values_are_those_of_sorting_for_every_number_of_labels(beta):
    joint, p_empty = many_joints(n_samples=50, n_labels=30)
    _, value = maximize_expected_f(joint, p_empty, beta=beta)
    best = [best_of_each_number(table, beta).max() for table in joint]
    np.testing.assert_allclose(value, np.maximum(best, p_empty), rtol=1e-13)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 8), BETAS)
def test_estimates_that_contradict_each_other_are_maximised_as_they_are(
    seed, n_labels, n_sizes, beta
):
    random = np.random.default_rng(seed)
    joint, p_empty = random.random((3, n_labels, n_sizes)), random.random(3)
    joint[random.random(joint.shape) < 0.5] = 0
    _, value = maximize_expected_f(joint, p_empty, beta=beta)
    best = [best_of_each_number(table, beta).max() for table in joint]
    np.testing.assert_allclose(value, np.maximum(best, p_empty), rtol=1e-13)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 5), BETAS)
def test_sparse_input_gives_the_same_as_dense(seed, n_labels, n_sizes, beta):
    random = np.random.default_rng(seed)
    joint, p_empty = random.random((4, n_labels, n_sizes)), random.random(4)
    joint[random.random(joint.shape) < 0.7] = 0
    dense, dense_value = maximize_expected_f(joint, p_empty, beta=beta)
    stacked = sparse.vstack([sparse.csr_array(table) for table in joint], format="csr")
    decided, value = maximize_expected_f(stacked, p_empty, beta=beta)
    assert (decided.format, decided.dtype) == ("csr", bool)
    np.testing.assert_array_equal(decided.toarray(), dense)
    # Sizes without mass are left out of the sums, which may round otherwise.
    np.testing.assert_allclose(value, dense_value, rtol=1e-14)


def test_sparse_duplicates_are_added_and_the_matrix_stays_as_it_was():
    doubled = sparse.coo_array(([0.25, 0.5], ([0, 0], [0, 0])), shape=(1, 1))
    rows = sparse.csr_array(([0.25, 0.5], [0, 0], [0, 2]), shape=(1, 1))
    for joint in (doubled, rows):
        decided, value = maximize_expected_f(joint, [0.1])
        assert (decided.toarray().tolist(), value.tolist()) == ([[True]], [0.75])
    assert rows.nnz == 2


def test_single_precision_is_added_up_in_double():
    joint, p_empty = many_joints(n_samples=50, n_labels=12)
    single = joint.astype(np.float32)
    decided, value = maximize_expected_f(single, p_empty)
    as_double, double_value = maximize_expected_f(single.astype(np.float64), p_empty)
    np.testing.assert_array_equal(decided, as_double)
    np.testing.assert_array_equal(value, double_value)
    assert value.dtype == np.float64


@pytest.mark.parametrize("n_cores", [1, 2, 5])
def test_the_number_of_threads_and_the_order_in_memory_change_nothing(monkeypatch, n_cores):
    joint, p_empty = many_joints(n_samples=60, n_labels=20)
    decided, value = maximize_expected_f(joint, p_empty)
    monkeypatch.setattr("joblib.cpu_count", lambda: n_cores)
    monkeypatch.setattr("labelwise._parallel._TOGETHER", 2000)
    again, same_value = maximize_expected_f(np.asfortranarray(joint), p_empty)
    np.testing.assert_array_equal(again, decided)
    np.testing.assert_array_equal(same_value, value)


@pytest.mark.parametrize("beta", [1e-200, 1e-9, 1e9, 1e200])
def test_extreme_betas_are_precision_and_recall(beta):
    joint, p_empty = many_joints(n_samples=20, n_labels=5)
    decided, value = maximize_expected_f(joint, p_empty * 0, beta=beta)
    assert np.isfinite(value).all()
    if beta < 1:
        marginals = joint.sum(axis=2)
        np.testing.assert_allclose(value, marginals.max(axis=1), rtol=1e-6)
        np.testing.assert_array_equal(decided.sum(axis=1), 1)
    else:
        np.testing.assert_allclose(value, 1 - p_empty, rtol=1e-6)


def test_no_samples_and_no_labels_are_allowed():
    decided, value = maximize_expected_f(np.empty((0, 3, 2)), [])
    assert (decided.shape, value.shape) == ((0, 3), (0,))
    decided, value = maximize_expected_f(np.empty((2, 0, 0)), [0.5, 1])
    assert (decided.shape, value.tolist()) == ((2, 0), [0.5, 1.0])


@pytest.mark.parametrize("bad", [1.5, -0.25, np.nan, np.inf])
@pytest.mark.parametrize("make", [np.asarray, lambda joint: sparse.csr_array(joint.reshape(-1, 2))])
def test_the_first_entry_that_is_no_probability_is_named(bad, make):
    joint = np.full((3, 4, 2), 0.5)
    joint[1, 3, 1] = joint[2] = bad
    where = "sample 1, label 3, size 2"
    message = f"joint must contain probabilities from 0 to 1, got {bad:g} at {where}; "
    with pytest.raises(ValueError, match=f"^{message}calibrate .* CalibratedLabels"):
        maximize_expected_f(make(joint), [0.5, 0.5, 0.5])


def test_an_offender_in_a_late_block_is_named_by_its_own_number(monkeypatch):
    monkeypatch.setattr("labelwise._parallel._TOGETHER", 10)
    joint = np.full((30, 2, 2), 0.25)
    joint[17, 1, 0] = joint[25] = 2
    with pytest.raises(ValueError, match="got 2 at sample 17, label 1, size 1;"):
        maximize_expected_f(joint, np.zeros(30))


@pytest.mark.parametrize(
    ("joint", "p_empty", "beta", "error", "told"),
    [
        (np.zeros((2, 3)), [0, 0], 1, ValueError, "joint must be 3-D, .* got shape"),
        ([[["a"]]], [0], 1, TypeError, "joint must contain numbers, got <U1"),
        (np.zeros((2, 3, 1)), [0], 1, ValueError, "p_empty has 1 entries for 2 samples"),
        (np.zeros((1, 3, 1)), [[0]], 1, ValueError, "p_empty must be a number for each sample"),
        (np.zeros((1, 3, 1)), [1.5], 1, ValueError, "p_empty must .* got 1.5 at sample 0;"),
        (np.zeros((1, 3, 1)), [1], 0, ValueError, "beta must be a positive number, got 0"),
        (
            sparse.csr_array((5, 2)),
            [1, 1],
            1,
            ValueError,
            "p_empty gives n_samples=2, got shape \\(5, 2\\)",
        ),
        (sparse.csr_array((5, 2)), [], 1, ValueError, "p_empty gives n_samples=0"),
        (sparse.csr_array((2, 2)), [1, 2], 1, ValueError, "p_empty must .* got 2 at sample 1;"),
        (sparse.csr_array((2, 2), dtype=complex), [1], 1, TypeError, "numbers, got complex128"),
    ],
)
def test_bad_input_is_refused_by_name(joint, p_empty, beta, error, told):
    with pytest.raises(error, match=told):
        maximize_expected_f(joint, p_empty, beta=beta)
