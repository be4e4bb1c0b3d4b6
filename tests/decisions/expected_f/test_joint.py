"""Joint probabilities from draws are shares; consistent ones are the nearest possible."""

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy import sparse

from labelwise.data import make_multilabel
from labelwise.decisions import joint_from_samples, make_consistent, maximize_expected_f
from labelwise.decisions.expected_f import _expected_f_kernels as kernels
from tests.oracles import consistent, expected_f as oracle

NUMBERS = st.sampled_from([0.0, 1.0, 0.25, -1.0, 3.0]) | st.floats(-2, 2)


@st.composite
def estimates(draw, max_labels=6, max_sizes=6):
    """Tables [label, s - 1] with ties, zeros and numbers that are not probabilities; p_empty."""
    n_labels, n_sizes = draw(st.integers(1, max_labels)), draw(st.integers(1, max_sizes))
    n_cells = n_labels * n_sizes
    cells = draw(st.lists(NUMBERS, min_size=n_cells, max_size=n_cells))
    return np.array(cells).reshape(n_labels, n_sizes), draw(NUMBERS)


def project(joint, p_empty):
    nearest, empty = make_consistent(joint[None], [p_empty])
    return nearest[0], empty[0]


NOTHING = np.zeros((3, 3)), 0.0
BELOW = np.full((3, 2), -1.0), -1.0


@example(NOTHING)
@example(BELOW)
@given(estimates())
def test_every_constraint_of_a_distribution_is_met(estimate):
    assert consistent.disagreement(*project(*estimate)) < 1e-13


@example(NOTHING)
@example(BELOW)
@given(estimates())
def test_no_distribution_is_nearer(estimate):
    assert abs(consistent.optimality_gap(*estimate, *project(*estimate))) < 1e-12


@pytest.mark.parametrize("scale", [1e-6, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(1, 1), (2, 40), (40, 1), (40, 40), (101, 20)])
def test_no_distribution_is_nearer_to_many_estimates(shape, scale):
    random = np.random.default_rng(0)
    joint = scale * random.standard_normal((20, *shape)) / shape[0] + random.random(
        (20, 1, shape[1])
    )
    p_empty = random.standard_normal(20)
    for one in zip(joint, p_empty, *make_consistent(joint, p_empty), strict=True):
        assert consistent.disagreement(*one[2:]) < 1e-12
        assert abs(consistent.optimality_gap(*one)) < 1e-11 * max(1, scale)


@settings(max_examples=25)
@given(estimates(max_labels=3, max_sizes=3))
def test_a_general_solver_finds_the_same(estimate):
    nearest, empty = project(*estimate)
    by_solver, empty_by_solver = consistent.nearest_by_solver(*estimate)
    # The solver's own accuracy.
    np.testing.assert_allclose(by_solver, nearest, atol=2e-6)
    assert empty_by_solver == pytest.approx(empty, abs=2e-6)


@given(estimates())
def test_projecting_twice_is_projecting_once(estimate):
    once = project(*estimate)
    twice = project(*once)
    np.testing.assert_allclose(twice[0], once[0], atol=1e-14)
    assert twice[1] == pytest.approx(once[1], abs=1e-14)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_what_a_distribution_has_is_left_as_it_is(seed, n_labels):
    random = np.random.default_rng(seed)
    joint, p_empty = oracle.joint_of(random.dirichlet(np.full(2**n_labels, 0.2)))
    nearest, empty = project(joint, p_empty)
    np.testing.assert_allclose(nearest, joint, atol=1e-15)
    assert empty == pytest.approx(p_empty, abs=1e-15)


@given(estimates(), st.integers(0, 2**32 - 1))
def test_no_two_estimates_are_brought_farther_apart(estimate, seed):
    other = estimate[0] + np.random.default_rng(seed).standard_normal(estimate[0].shape), 0.5
    before = distance(*estimate, *other)
    assert distance(*project(*estimate), *project(*other)) <= before + 1e-12


def distance(joint, p_empty, other, other_empty):
    squares = ((joint - other) ** 2).sum(axis=(-2, -1)) + (p_empty - other_empty) ** 2
    return np.sqrt(squares)


def test_sizes_that_cannot_be_have_no_probability():
    joint, p_empty = project(np.array([[0.2, 0.9, 0.9], [0.1, 0.9, 0.9]]), 0.0)
    assert joint[:, 2].tolist() == [0.0, 0.0]  # three of two labels
    assert consistent.disagreement(joint, p_empty) < 1e-15


def test_equal_estimates_of_one_size_share_its_probability():
    joint, p_empty = project(np.full((4, 2), 0.9) * [0, 1], 0.0)
    np.testing.assert_allclose(joint, np.full((4, 2), 0.5) * [0, 1], atol=1e-15)
    assert p_empty == 0


def test_every_noisy_estimate_comes_nearer_to_the_truth_and_its_value_to_one():
    _, truth = make_multilabel(400, n_labels=8, random_state=0)
    random = np.random.default_rng(0)
    noisy = np.clip(truth.joint + 0.1 * random.standard_normal(truth.joint.shape), 0, 1)
    agreeing = make_consistent(noisy, truth.p_empty)
    before = distance(noisy, truth.p_empty, truth.joint, truth.p_empty)
    assert (distance(*agreeing, truth.joint, truth.p_empty) < before).all()
    assert maximize_expected_f(noisy, truth.p_empty)[1].max() > 1
    assert maximize_expected_f(*agreeing)[1].max() <= 1 + 1e-14


def test_single_precision_stays_single():
    joint, p_empty = make_consistent(np.full((2, 3, 3), 0.9, np.float32), [0.5, 0.5])
    assert (joint.dtype, p_empty.dtype) == (np.float32, np.float64)
    assert consistent.disagreement(joint[0].astype(float), p_empty[0]) < 1e-6


def test_the_number_of_threads_and_the_order_in_memory_change_nothing(monkeypatch):
    joint, p_empty = np.random.default_rng(0).random((50, 7, 5)), np.zeros(50)
    before = joint.copy()
    nearest, _ = make_consistent(joint, p_empty)
    monkeypatch.setattr("joblib.cpu_count", lambda: 3)
    monkeypatch.setattr("labelwise._parallel._TOGETHER", 200)
    again, _ = make_consistent(np.asfortranarray(joint), p_empty)
    np.testing.assert_array_equal(again, nearest)
    np.testing.assert_array_equal(joint, before)


def test_few_steps_find_the_multiplier(monkeypatch):
    joint = np.random.default_rng(0).random((40, 30)) / 10
    ranked = np.ascontiguousarray(-np.sort(-joint.T, axis=1))
    sums = np.column_stack([np.zeros(30), ranked.cumsum(axis=1)])
    tried = set()
    original = kernels.project_column
    monkeypatch.setattr(
        kernels, "project_column", lambda *a: tried.add(a[3] * a[2]) or original(*a)
    )
    find_shift = getattr(kernels.find_shift, "py_func", kernels.find_shift)
    find_shift(ranked, sums, 0.1)
    assert len({round(shift, 12) for shift in tried}) < 20


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_shares_of_draws_are_counted_by_label_and_size(n_draws, n_samples, n_labels, seed):
    draws = np.random.default_rng(seed).random((n_draws, n_samples, n_labels)) < 0.4
    joint, p_empty = joint_from_samples(draws)
    n_sizes = max(1, draws.sum(axis=2).max())
    assert joint.shape == (n_samples, n_labels, n_sizes)
    for i, j, s in np.ndindex(joint.shape):
        having = [draw[i, j] and draw[i].sum() == s + 1 for draw in draws]
        assert joint[i, j, s] == pytest.approx(np.mean(having))
    assert p_empty.tolist() == [
        np.mean([not draw[i].any() for draw in draws]) for i in range(n_samples)
    ]


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_shares_of_draws_agree_with_each_other(n_draws, n_labels, seed):
    draws = np.random.default_rng(seed).random((n_draws, 1, n_labels)) < 0.4
    joint, p_empty = joint_from_samples(draws)
    assert consistent.disagreement(joint[0], p_empty[0]) < 1e-15


def test_many_draws_come_near_the_posterior_they_were_drawn_from():
    _, truth = make_multilabel(20, n_labels=5, random_state=0)
    joint, p_empty = joint_from_samples(truth.sample(20_000, random_state=0))
    n_sizes = joint.shape[2]
    # Six standard deviations of a share.
    np.testing.assert_allclose(joint, truth.joint[:, :, :n_sizes], atol=6 * 0.5 / np.sqrt(20_000))
    np.testing.assert_allclose(p_empty, truth.p_empty, atol=6 * 0.5 / np.sqrt(20_000))


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        ([[1, 0]], ValueError, "samples must be 3-D, .* got shape \\(1, 2\\)"),
        (np.zeros((0, 1, 2)), ValueError, "got shape \\(0, 1, 2\\)"),
        ([[["a"]]], TypeError, "samples must contain numbers, got <U1"),
        ([[[0, 1]], [[1, 2]]], ValueError, "got 2 at draw 1, sample 0, label 1"),
        ([[[0, np.nan]]], ValueError, "got nan at draw 0, sample 0, label 1"),
    ],
)
def test_bad_samples_are_refused_by_name(samples, error, message):
    with pytest.raises(error, match=message):
        joint_from_samples(samples)


@pytest.mark.parametrize(
    ("joint", "p_empty", "error", "message"),
    [
        (sparse.csr_array((2, 2)), [0], TypeError, "joint must be a dense array"),
        (np.zeros((2, 2)), [0], ValueError, "joint must be 3-D, .* got shape \\(2, 2\\)"),
        (np.zeros((2, 0, 2)), [0], ValueError, "got shape \\(2, 0, 2\\)"),
        (np.zeros((2, 1, 2)), [0], ValueError, "p_empty has 1 entries for 2 samples"),
        (np.full((1, 1, 2), np.nan), [0], ValueError, "got nan at sample 0, label 0, size 1"),
        (np.zeros((1, 1, 2)), [np.inf], ValueError, "p_empty must be finite, got inf at sample 0"),
    ],
)
def test_bad_estimates_are_refused_by_name(joint, p_empty, error, message):
    with pytest.raises(error, match=message):
        make_consistent(joint, p_empty)


def test_no_samples_have_no_distributions():
    joint, p_empty = make_consistent(np.zeros((0, 3, 2)), np.zeros(0))
    assert joint.shape == (0, 3, 2)
    assert p_empty.shape == (0,)
