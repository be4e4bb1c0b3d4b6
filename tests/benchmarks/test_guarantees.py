"""The simulations of guarantees know the rates of their populations."""

import numpy as np
import pytest

from benchmarks.guarantees import METHODS, Truth, draws, populations


@pytest.mark.parametrize("population", populations(), ids=lambda one: one.name)
def test_rates_of_labels_are_those_of_many_rows(population):
    scores, Y = population.draw(40_000, np.random.default_rng(0))
    thresholds = np.linspace(0.1, 0.6, population.shares.size)
    decided = scores >= thresholds
    expected = population.label_rates(thresholds)
    found = [(decided & Y).mean(axis=0), decided.mean(axis=0)]
    # Standard errors are at most 0.0025.
    np.testing.assert_allclose(found, expected, atol=0.011)


def test_infinite_thresholds_decide_nothing_or_everything():
    population = populations()[0]
    hits, decided = population.label_rates(np.full(10, np.inf))
    assert (hits == 0).all()
    assert (decided == 0).all()
    hits, decided = population.label_rates(np.full(10, -np.inf))
    np.testing.assert_allclose(hits, population.shares)
    np.testing.assert_allclose(decided, 1)


@pytest.mark.filterwarnings("ignore:Y has no positives")
@pytest.mark.parametrize("method", METHODS)
def test_a_draw_is_measured_with_and_without_a_guarantee(method):
    population = populations()[0]
    truth = Truth(population, *population.draw(2000, np.random.default_rng(0)))
    for plain in (False, True):
        (found,) = draws(truth, 400, 1, {"min_recall": 0.5}, method, plain)
        assert 0 <= found.broken <= 1
        assert 0 <= found.refused <= 1
