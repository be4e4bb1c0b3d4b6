"""A test by betting has the capital of its definition, and keeps its level."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from labelwise._tuning.guarantees._betting import bet_table, rejections
from labelwise._tuning.guarantees._guarantees_kernels import bet_on_rows
from tests.oracles import guarantees as oracle


@given(
    st.lists(st.sampled_from([-0.8, -0.3, 0.0, 0.2, 0.4]), min_size=1, max_size=40),
    st.sampled_from([0.3, 0.05, 1e-6]),
    st.sampled_from([0.01, 0.2]),
)
def test_the_capital_is_that_of_the_definition(numbers, alpha, mean_square):
    capital = oracle.capitals(numbers, -0.8, mean_square, alpha)
    state = np.array([[0.0], [0.0], [200 * mean_square], [200.0]])
    values, lowest = np.array(numbers)[:, None], np.array([-0.8])
    bet_on_rows(values, state, lowest, -np.log(alpha), len(numbers), bet_table())
    # Bets are interpolated between steps of 1/128 of the logarithm of the capital.
    assert state[0, 0] == pytest.approx(np.log(capital[-1]), abs=2e-3)
    assert state[1, 0] == pytest.approx(np.log(max([1.0, *capital])), abs=2e-3)


@given(st.integers(1, 5), st.integers(1, 7))
def test_blocks_do_not_change_the_result(n_columns, size):
    random = np.random.default_rng(n_columns)
    values = random.choice([-0.8, 0.1, 0.2], p=[0.1, 0.4, 0.5], size=(60, n_columns))
    lowest, squares = np.full(n_columns, -0.8), np.full(n_columns, 0.1)
    whole = rejections([values], lowest, squares, 60, 0.1)
    parts = [values[first : first + size] for first in range(0, 60, size)]
    np.testing.assert_array_equal(rejections(parts, lowest, squares, 60, 0.1), whole)


@pytest.mark.parametrize("n_rows", [20, 400])
@pytest.mark.parametrize("lowest", [-0.8, -8.0])
def test_a_mean_of_zero_is_rejected_with_probability_alpha_at_most(n_rows, lowest):
    random = np.random.default_rng(n_rows)
    n_draws, alpha = 4000, 0.1
    # 0.2 for a hit and -0.8 for an error: a precision of exactly 0.8.
    values = np.where(random.random((n_rows, n_draws)) < 0.8, 0.2, -0.8)
    found = rejections([values], np.full(n_draws, lowest), np.full(n_draws, 0.16), n_rows, alpha)
    # 4 standard deviations of a binomial share.
    assert found.mean() <= alpha + 4 * np.sqrt(alpha * (1 - alpha) / n_draws)


def test_the_power_is_near_that_of_the_normal_test():
    random = np.random.default_rng(5)
    n_rows, n_draws = 1000, 500
    # 3 standard errors above 0: a normal test at 0.05 rejects in 91 % of draws.
    rate = 0.8 + 3 * np.sqrt(0.16 / n_rows)
    values = np.where(random.random((n_rows, n_draws)) < rate, 0.2, -0.8)
    found = rejections([values], np.full(n_draws, -0.8), np.full(n_draws, 0.16), n_rows, 0.05)
    assert found.mean() > 0.83


@pytest.mark.parametrize(
    ("n_rows", "share", "rate"), [(1500, 0.5, 0.94), (1500, 0.2, 0.95), (1500, 0.1, 0.97)]
)
def test_rows_with_one_decision_at_most_pass_nearly_as_often_as_by_a_binomial_test(
    n_rows, share, rate
):
    random = np.random.default_rng(0)
    n_draws, limit, alpha = 1000, 0.9, 0.05
    decided = random.random((n_rows, n_draws)) < share
    hits = decided & (random.random((n_rows, n_draws)) < rate)
    values = hits - limit * decided
    squares = np.full(n_draws, share * (rate * (1 - limit) ** 2 + (1 - rate) * limit**2))
    found = rejections([values], np.full(n_draws, -limit), squares, n_rows, alpha)
    exact = binom.sf(hits.sum(axis=0) - 1, decided.sum(axis=0), limit) <= alpha
    assert found.mean() > 0.92 * exact.mean()


def test_numbers_that_are_all_zero_are_not_rejected():
    found = rejections([np.zeros((50, 1))], np.array([-1.0]), np.zeros(1), 50, 0.05)
    assert not found.any()
