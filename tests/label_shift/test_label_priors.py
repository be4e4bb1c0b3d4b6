"""New frequencies of labels are the most likely ones, and a test says which have moved."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.stats import binom

from labelwise._label_shift import _label_priors
from labelwise._label_shift._label_priors_kernels import (
    most_likely_prior,
    slope_and_squares,
)
from labelwise.decisions import adapt_thresholds, best_thresholds
from tests.kernels import COMPILED_ONLY, from_python
from tests.label_shift.draws import TUNED_AT, draw, tuned_by_hand
from tests.oracles import label_shift as oracle

PROBABILITIES = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1, width=32)


def estimate_shift(proba, support, n_tuned, alpha):
    tested = np.ones(len(support), dtype=bool)
    return _label_priors.estimate_shift(proba, support, n_tuned, alpha, tested)


COLUMNS = hnp.arrays(np.float64, st.integers(1, 12), elements=PROBABILITIES)
FREQUENCIES = st.integers(1, 19).map(lambda twentieths: twentieths / 20)


@given(COLUMNS, FREQUENCIES, st.integers(0, 3))
def test_no_frequency_is_more_likely(column, old, n_absent):
    new = most_likely_prior(column, n_absent, old)[0]
    cells = np.append(column, np.zeros(n_absent))
    reached = oracle.log_likelihood(cells, old, new)
    for other in np.linspace(0, 1, 201):
        assert reached >= oracle.log_likelihood(cells, old, other) - 1e-9


@given(st.lists(st.integers(0, 20), min_size=1, max_size=7), st.integers(1, 19), st.integers(0, 2))
# The slope at 0 is 0: rounding gave the frequencies 9.7e-16 and 9.3e-17.
@example([16, 8], 14, 0)
@example([15], 12, 1)
# The slope at 1 is 0: rounding gave 1 - 8e-16 and a division by zero.
@example([15, 15, 15, 16, 20], 16, 0)
@example([12, 20], 15, 0)
def test_a_likelihood_that_is_highest_at_0_or_1_gives_exactly_0_or_1(twentieths, old, n_absent):
    cells = [Fraction(p, 20) for p in (*twentieths, *[0] * n_absent)]
    end = oracle.end_of_likelihood(cells, Fraction(old, 20))
    new = most_likely_prior(np.array(twentieths) / 20, n_absent, old / 20)[0]
    assert new == end if end is not None else 0 < new < 1


def test_one_probability_next_to_0_or_1_does_not_divide_by_zero():
    for tiny in (5e-324, 1e-300, 1e-20, 2.0**-53):
        assert 0 < most_likely_prior(np.array([tiny, 1.0, 1.0]), 0, 0.4)[0] <= 1
        assert 0 <= most_likely_prior(np.array([1 - tiny, 0.0, 0.0]), 0, 0.4)[0] < 1


def test_a_label_that_has_vanished_has_the_macro_f_of_no_positives():
    found = adapt_thresholds(tuned_by_hand([600], 1000, average="macro"), [[0.75], [0.0]] * 200)
    assert found.priors[0] == 0
    assert found.moved[0]
    assert (found.thresholds.value, found.thresholds.values[0]) == (1, np.inf)


@given(COLUMNS, FREQUENCIES)
def test_each_step_of_the_paper_is_at_least_as_likely_as_the_one_before(column, old):
    steps = [oracle.log_likelihood(column, old, new) for new in oracle.em(column, old, 20)]
    assert (np.diff(steps) >= -1e-9).all()
    reached = oracle.log_likelihood(column, old, most_likely_prior(column, 0, old)[0])
    assert reached >= steps[-1] - 1e-9


@pytest.mark.parametrize("frequency", [0.02, 0.2, 0.7])
def test_the_frequency_is_the_limit_of_the_algorithm_of_the_paper(frequency):
    column = draw(np.random.default_rng(0), 500, [frequency])[0][:, 0]
    new, _, _, n_steps = most_likely_prior(column, 0, TUNED_AT)
    assert new == pytest.approx(oracle.em(column, TUNED_AT, 2000)[-1], abs=1e-8)
    assert np.mean(oracle.adapted(column, TUNED_AT, new)) == pytest.approx(new, abs=1e-10)
    assert n_steps < 12


def test_probabilities_with_the_old_mean_keep_the_old_frequency():
    for column in ([0.3, 0.3, 0.3], [0.1, 0.5, 0.3], [0.0, 0.0, 0.9]):
        assert most_likely_prior(np.array(column), 0, 0.3)[0] == 0.3


def test_uninformative_probabilities_give_frequency_0_or_1_in_one_pass():
    assert most_likely_prior(np.full(5, 0.1), 0, 0.3)[::3] == (0.0, 1)
    assert most_likely_prior(np.full(5, 0.5), 0, 0.3)[::3] == (1.0, 1)


def test_certain_probabilities_have_their_mean_as_frequency():
    column = np.array([1.0, 0.0, 0.0, 1.0])
    assert most_likely_prior(column, 0, 0.1)[0] == pytest.approx(0.5)
    assert most_likely_prior(column[:1], 0, 0.1)[0] == 1
    assert most_likely_prior(column[1:2], 4, 0.1)[0] == 0


def test_the_estimates_come_near_the_true_frequencies():
    frequencies = np.array([0.02, 0.2, 0.5, 0.9])
    proba, _ = draw(np.random.default_rng(1), 20_000, frequencies)
    shift = estimate_shift(proba, np.full(4, 4000), 20_000, 0.05)
    np.testing.assert_allclose(shift.new, frequencies, atol=0.015)
    assert shift.moved.tolist() == [True, False, True, True]


def test_an_absent_probability_is_0_and_float32_is_float64():
    random = np.random.default_rng(2)
    proba = draw(random, 200, np.full(20, 0.3))[0].astype(np.float32)
    proba[random.random(proba.shape) < 0.4] = 0
    support = random.integers(0, 101, 20)
    forms = [proba, proba.astype(np.float64), np.asfortranarray(proba), sparse.csc_array(proba)]
    first, *others = [estimate_shift(form, support, 100, 0.05) for form in forms]
    for other in others:
        np.testing.assert_allclose(other.new, first.new, rtol=1e-8)
        np.testing.assert_allclose(other.p_values, first.p_values, rtol=1e-8)


def share_that_moved(n_draws, n_tuned, n_new, new, separation=2.0, seed=3):
    """The share of draws of five labels in which at least one is said to have moved."""
    random = np.random.default_rng(seed)
    n_moved = 0
    for _ in range(n_draws):
        support = random.binomial(n_tuned, np.full(5, TUNED_AT))
        proba, _ = draw(random, n_new, np.full(5, new), separation)
        n_moved += estimate_shift(proba, support, n_tuned, 0.05).moved.any()
    return n_moved / n_draws


@COMPILED_ONLY
@pytest.mark.parametrize(
    ("n_tuned", "n_new", "separation"),
    [(300, 300, 2.0), (100, 2000, 2.0), (1000, 20, 2.0), (300, 300, 0.5), (60, 8, 4.0)],
)
def test_the_test_keeps_its_level_if_nothing_moved(n_tuned, n_new, separation):
    n_draws = 600
    most = binom.ppf(0.999, n_draws, 0.05) / n_draws
    assert share_that_moved(n_draws, n_tuned, n_new, TUNED_AT, separation) <= most


def test_the_test_keeps_its_level_for_rare_labels():
    random = np.random.default_rng(4)
    n_moved, n_draws = 0, 600
    for _ in range(n_draws):
        Y = random.random((500, 5)) < 0.01
        x = random.normal(size=Y.shape) + 2 * Y
        proba = 1 / (1 + 99 * np.exp(2 - 2 * x))
        support = random.binomial(1000, np.full(5, 0.01))
        n_moved += estimate_shift(proba, support, 1000, 0.05).moved.any()
    assert n_moved <= binom.ppf(0.999, n_draws, 0.05)


def test_the_test_finds_a_shift():
    assert share_that_moved(100, 500, 500, 0.35) > 0.98


def test_the_likelihood_ratio_test_of_the_paper_would_reject_too_often():
    random = np.random.default_rng(5)
    n_rejected = 0
    for _ in range(200):
        old = random.binomial(300, TUNED_AT) / 300
        column = draw(random, 300, [TUNED_AT])[0][:, 0]
        new = most_likely_prior(column, 0, old)[0]
        n_rejected += 2 * oracle.log_likelihood(column, old, new) > 3.84
    assert n_rejected > 30  # of 200, where 10 are allowed


def test_labels_of_one_class_are_not_tested():
    proba = np.random.default_rng(6).random((50, 3))
    found = adapt_thresholds(tuned_by_hand([0, 5, 20], 20), proba)
    assert np.isnan(found.p_values).tolist() == [True, False, True]
    assert found.priors[[0, 2]].tolist() == [0, 1]
    assert not found.moved[[0, 2]].any()


def test_p_values_are_adjusted_for_the_number_of_labels():
    random = np.random.default_rng(7)
    scores, Y = draw(random, 400, [TUNED_AT])
    tuned = best_thresholds(scores, Y)
    proba, _ = draw(random, 400, [0.32])
    alone = adapt_thresholds(tuned, proba).p_values[0]
    quiet = np.full((400, 9), tuned.evidence.support[0] / 400)
    many = adapt_thresholds(
        tuned_by_hand(np.repeat(tuned.evidence.support, 10), 400), np.hstack([proba, quiet])
    )
    assert alone < 0.05
    assert many.p_values[0] == pytest.approx(10 * alone)


@pytest.mark.parametrize("n_absent", [0, 7])
def test_the_slopes_of_the_likelihood_are_its_derivatives(n_absent):
    column, old, step = np.random.default_rng(0).random(9), 0.3, 1e-5

    def likelihood(new):
        present = column * new / old + (1 - column) * (1 - new) / (1 - old)
        return np.log(present).sum() + n_absent * np.log(1 - new)

    for new in (0.1, 0.35, 0.8):
        slope, squares = from_python(slope_and_squares)(column, n_absent, old, new)
        low, here, high = (likelihood(new + shift) for shift in (-step, 0, step))
        assert slope == pytest.approx((high - low) / (2 * step), rel=1e-4, abs=1e-4)
        assert squares == pytest.approx(-(high - 2 * here + low) / step**2, rel=1e-3)
