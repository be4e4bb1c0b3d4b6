"""A value is certified as the highest only if no thresholds have a higher one."""

import math
from functools import partial

import numpy as np
import pytest

from labelwise._tuning.objectives._linear_fractional import certificate_of, least_certificate
from labelwise.decisions import LinearFractional, best_thresholds
from labelwise.measures import accuracy, balanced_accuracy, f_measure, jaccard, precision
from tests.decisions.problems import random_problems
from tests.oracles import thresholds as oracle
from tests.spoken import spoken

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
# Denominators that vanish on some decisions: odds, and two that are 0 where all is right.
VANISHING = [
    ((1, 0, 0, 0), (0, 1, 0, 0)),
    ((1, 0, 0, 1), (0, 1, 1, 0)),
    ((1, 0, 0, 0), (0, 1, 1, 0)),
]

TVERSKY = LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0))
MEASURES = [
    *(partial(f_measure, beta=beta) for beta in (0.5, 1.0, 2.0, math.pi / 3)),
    jaccard,
    precision,
    accuracy,
    balanced_accuracy,
    TVERSKY,
]


def random_quotients(seed):
    """Quotients with few whole weights, with many zeros, and of both signs."""
    random = np.random.default_rng(seed)
    while True:
        weights = (
            random.integers(-1, 3, size=(2, 4)),
            random.integers(0, 3, size=(2, 4)),
            random.standard_normal((2, 4)) * (random.random((2, 4)) < 0.6),
            np.abs(random.standard_normal((2, 4))) * ((1,), (1,)),
            VANISHING[random.integers(len(VANISHING))],
        )[random.integers(5)]
        yield LinearFractional(*weights, when_empty=random.choice([np.nan, 0.0, 1.0]))


def test_no_certificate_of_a_thousand_problems_is_false():
    n_exact = n_certified = 0
    quotients = random_quotients(seed=51)
    for scores, Y in random_problems(1000, seed=52, most_samples=5, with_positives=False):
        measure = next(quotients)
        tuned = best_thresholds(scores, Y, maximize=measure)
        values = measure(oracle.counts_of_totals(Y, *oracle.totals(scores, Y)))
        is_called_highest = "the highest of all" in repr(tuned)
        assert is_called_highest == tuned.evidence.exact == (tuned.evidence.gap == 0)
        assert tuned.evidence.exact or tuned.evidence.certificate is None
        if tuned.evidence.gap is not None:
            highest = np.nanmax(values)
            assert highest <= tuned.value + tuned.evidence.gap + 1e-9 * max(1.0, abs(highest))
        n_exact += tuned.evidence.exact
        n_certified += tuned.evidence.certificate is not None
    assert n_exact > n_certified > 200


@pytest.mark.parametrize("weights", VANISHING, ids=str)
def test_a_denominator_that_vanishes_proves_nothing(weights):
    # The first three decisions are all right: the denominator is 0 on the frontier.
    scores, Y = [[0.9], [0.8], [0.7], [0.6], [0.5]], [[1], [1], [1], [0], [0]]
    tuned = best_thresholds(scores, Y, maximize=LinearFractional(*weights))
    assert tuned.evidence.gap is None
    assert tuned.evidence.certificate is None


def test_a_value_for_an_empty_denominator_may_be_the_highest():
    # Where all is decided there are no negatives left, and the value is 1.
    measure = LinearFractional((-1, -1, 0, 0), (0, 0, 1, 1), when_empty=1.0)
    tuned = best_thresholds([[0.9, 0.1], [0.2, 0.8]], [[1, 0], [1, 0]], maximize=measure)
    assert tuned.value == 0
    assert not tuned.evidence.exact


@pytest.mark.parametrize("measure", MEASURES, ids=spoken)
def test_the_certificate_of_a_higher_value_is_no_lower(measure):
    for low, high in ((0.2, 0.3), (0.5, 0.9)):
        least = least_certificate(measure, low, 30, 100)
        if least is not None:
            assert least <= certificate_of(measure, high, 30, 100)


def test_a_certificate_that_falls_as_the_value_rises_bounds_nothing():
    falling = LinearFractional((0, 0, 0, 1), (0, 0, 1, 0))
    low, high = (certificate_of(falling, value, 30, 100) for value in (0.3, 0.6))
    assert high < low
    assert least_certificate(falling, 0.3, 30, 100) is None
