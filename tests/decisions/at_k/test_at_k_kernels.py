"""Passes over samples, prices and bounds of labels against their definitions.

Tests `_at_k_kernels` and the starts of `_ascent`.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labelwise.decisions.at_k import _ascent, _best_at_k
from labelwise.decisions.at_k._ascent import (
    check_goal,
    linear_terms,
    ratios_of,
    values_of,
)
from labelwise.decisions.at_k._at_k_kernels import (
    Climb,
    add_up,
    best_less_prices,
    cells_of_labels,
    improve_rows,
    keep_above_price,
    prices_of_rows,
    top_of_rows,
)
from tests.decisions.at_k.test_best_at_k import BOUNDED, make_proba, probabilities, value_of
from tests.kernels import from_python
from tests.oracles import at_k as oracle

seeds = st.integers(0, 2**32 - 1)


def random_proba(seed, most_samples=5, most_labels=4):
    """Probabilities without ties, some of them 0."""
    random = np.random.default_rng(seed)
    shape = random.integers(1, most_samples + 1), random.integers(1, most_labels + 1)
    return random.random(shape) * (random.random(shape) < 0.8)


def cells_and_decisions(expected, picked):
    """The picked cells as a matrix of 0 and 1."""
    rows, places = np.nonzero(picked >= 0)
    decided = np.zeros((expected.n_samples, expected.n_labels))
    decided[rows, expected.cells.labels[picked[rows, places]]] = 1
    return decided


@pytest.mark.parametrize("maximize", [*BOUNDED, "coverage"])
@settings(max_examples=15)
@given(seed=seeds, k=st.integers(1, 3), is_empty=st.booleans())
def test_a_pass_gives_each_sample_its_best_labels_in_turn(maximize, seed, k, is_empty):
    proba, (_, measure) = random_proba(seed), check_goal(maximize, 1.0)
    expected, _ = _best_at_k._expected(proba, is_coverage=measure is None)
    most, n_labels = expected.most_of(k), expected.n_labels
    slope = np.zeros(n_labels) if is_empty else np.random.default_rng(seed).random(n_labels)
    picked = top_of_rows(expected.cells, linear_terms(slope), most)
    state = Climb(picked, np.zeros(n_labels), np.zeros(n_labels), np.zeros((n_labels, 4)))
    ratios = ratios_of(measure, expected)
    add_up(expected.cells, ratios, state)
    before = cells_and_decisions(expected, picked)
    n_changed = improve_rows(expected.cells, ratios, state)
    after = cells_and_decisions(expected, picked)
    wanted = oracle.improved_rows(
        proba, before, min(k, n_labels), lambda one: value_of(proba, one, maximize)
    )
    np.testing.assert_array_equal(after, wanted)
    assert n_changed == (before != after).any(axis=1).sum()
    np.testing.assert_allclose(state.decided, after.sum(axis=0))
    np.testing.assert_allclose(
        values_of(ratios, state).mean(), value_of(proba, after, maximize), atol=1e-12
    )


@settings(max_examples=30)
@given(proba=probabilities(4, 5), k=st.integers(1, 4), seed=seeds)
def test_a_price_is_between_the_last_gain_that_counts_and_the_next(proba, k, seed):
    expected, _ = _best_at_k._expected(proba, is_coverage=False)
    slope, base = np.random.default_rng(seed).normal(size=(2, expected.n_labels))
    prices, total = prices_of_rows(expected.cells, linear_terms(slope, base), k)
    gains = np.where(proba > 0, base + slope * proba, 0.0)
    wanted, above = oracle.prices(gains, k)
    np.testing.assert_allclose(prices, wanted, atol=1e-12)
    assert total == pytest.approx(above, abs=1e-9)


@settings(max_examples=30)
@given(proba=probabilities(5, 4), seed=seeds)
def test_cells_of_a_label_are_those_that_can_be_worth_their_price(proba, seed):
    random = np.random.default_rng(seed)
    expected, _ = _best_at_k._expected(proba, is_coverage=False)
    prices, slopes = random.random(len(proba)), 3 * random.random(proba.shape[1])
    starts, own, cost = cells_of_labels(expected.cells, prices, slopes)
    for j, column in enumerate(proba.T):
        worth = slopes[j] * column > prices
        np.testing.assert_array_equal(own[starts[j] : starts[j + 1]], column[worth])
        np.testing.assert_array_equal(cost[starts[j] : starts[j + 1]], prices[worth])


@given(seed=seeds)
def test_cells_above_their_price_are_kept_with_the_sum_and_the_largest_of_their_excesses(seed):
    random = np.random.default_rng(seed)
    own, cost = random.random((2, 6))
    excess = 0.8 * own - cost
    expected = own[excess > 0].tolist()
    n_above, total, most = from_python(keep_above_price)(own, cost, 0.8)
    assert own[:n_above].tolist() == expected
    assert total == pytest.approx(excess[excess > 0].sum())
    assert most == pytest.approx(max(0.0, excess.max()))


@given(proba=probabilities(5, 4))
def test_probabilities_by_label_fall_and_are_rounded_up_to_32_bits(proba):
    expected, _ = _best_at_k._expected(proba, is_coverage=False)
    labels, falling = _ascent._falling_by_label(expected)
    cells = sorted((j, -proba[i, j]) for i, j in zip(*np.nonzero(proba), strict=True))
    assert labels.tolist() == [j for j, _ in cells]
    exact = np.array([-p for _, p in cells])
    assert (falling >= exact).all()
    assert (falling <= exact + 2.0**-32).all()


@settings(max_examples=30)
@given(seed=seeds, scale=st.sampled_from([1.0, 2.0]), is_free=st.booleans())
def test_the_bound_of_a_label_is_nearly_its_best_set(seed, scale, is_free):
    random = np.random.default_rng(seed)
    proba = random.random(random.integers(1, 9))
    costs = random.random(proba.size) * (0 if is_free else 0.5)
    constant = np.array([random.choice([0.0, proba.sum()])])
    starts = np.array([0, proba.size])
    found = np.zeros(1)
    best_less_prices((starts, proba.copy(), costs.copy()), scale, constant, found)
    highest = oracle.best_set_less_prices(proba, costs, scale, constant[0])
    assert highest <= found[0] + 1e-12
    assert found[0] <= highest + 0.01 * scale


@pytest.mark.parametrize("maximize", [*BOUNDED, "coverage"])
@pytest.mark.parametrize("seed", range(3))
def test_further_starts_gain_nothing_or_less_than_a_thousandth(maximize, seed):
    proba, (_, measure) = make_proba((60, 40), 8, seed), check_goal(maximize, 1.0)
    expected, _ = _best_at_k._expected(proba, is_coverage=measure is None)
    ratios = ratios_of(measure, expected)
    _, value, bound = _ascent.ascend(expected, ratios, 2)
    climbed = (_ascent._climb(expected, ratios, one) for one in _ascent._starts(expected, 2))
    reached = [values_of(ratios, one).mean() for one in climbed]
    assert value >= max(reached) - 1e-12 or bound - value <= 1e-3 * value
