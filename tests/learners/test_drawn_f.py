"""Expected F of drawn label sets, and the number of draws that it needs."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from labelwise.learners._sampled_f import decide_by_draws, f_of_draws
from tests.oracles.chains import all_sets, mean_f

DRAWS = hnp.arrays(
    bool, st.tuples(st.integers(2, 9), st.integers(1, 4), st.integers(1, 4)), elements=st.booleans()
)


@given(drawn=DRAWS, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_no_label_set_has_a_higher_mean_f_over_the_draws(drawn, beta):
    n_draws, n_samples, n_labels = drawn.shape
    found = decide_by_draws(lambda *_: drawn, n_samples, beta, n_draws, None)
    for i in range(n_samples):
        value, error = mean_f(drawn[:, i], found.decided[i], beta)
        assert found.value[i] == pytest.approx(value)
        np.testing.assert_allclose(found.proba[i], drawn[:, i].mean(axis=0))
        assert found.error[i] == pytest.approx(error, abs=1e-12)
        best = max(mean_f(drawn[:, i], one, beta)[0] for one in all_sets(n_labels))
        assert value == pytest.approx(best)


def test_two_empty_sets_have_an_f_of_one():
    assert f_of_draws(np.zeros((1, 1, 2), dtype=bool), np.zeros((1, 2)), 1.0).tolist() == [[1.0]]


def some_sampler(chances, asked):
    def draw(rows, n_draws, call):
        asked.append((rows.tolist(), n_draws))
        numbers = np.random.RandomState(call).random_sample((n_draws, 1, chances.shape[1]))
        return numbers < chances[rows]

    return draw


def test_draws_are_doubled_for_samples_with_a_larger_error():
    # F of the first sample is 1 in every draw; those of the second one vary.
    chances, asked = np.array([[1.0, 0.0], [0.5, 0.5]]), []
    found = decide_by_draws(some_sampler(chances, asked), 2, 1.0, 1000, 0.02)
    assert asked[0] == ([0, 1], 64)
    assert [rows for rows, _ in asked[1:]] == [[1]] * (len(asked) - 1)
    assert found.n_draws.tolist() == [64, sum(n for _, n in asked)]
    assert found.error[0] == 0
    assert found.error[1] <= 0.02
    assert found.n_draws[1] < 1000


def test_draws_end_at_the_largest_number():
    asked = []
    found = decide_by_draws(some_sampler(np.full((2, 3), 0.5), asked), 2, 1.0, 100, 1e-9)
    assert [n for _, n in asked] == [64, 36]
    assert found.n_draws.tolist() == [100, 100]


def test_no_more_draws_than_the_largest_number_are_made_at_first():
    asked = []
    decide_by_draws(some_sampler(np.full((2, 3), 0.5), asked), 2, 1.0, 10, 1e-9)
    assert [n for _, n in asked] == [10]
