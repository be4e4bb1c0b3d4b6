"""No thresholds have a higher value of the expected counts than the adapted ones."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st
from hypothesis.extra import numpy as hnp

from labelwise._label_shift import (
    ExpectedCounts,
    at_priors,
    macro_thresholds,
    micro_thresholds,
    shared_threshold,
)
from labelwise.measures import (
    Counts,
    accuracy,
    balanced_accuracy,
    f_measure,
    g_mean,
    jaccard,
    macro,
    matthews,
    micro,
    precision,
    recall,
)
from tests.oracles import label_shift as oracle

MEASURES = {
    "f": f_measure,
    "f2": partial(f_measure, beta=2.0),
    "jaccard": jaccard,
    "accuracy": accuracy,
    "balanced-accuracy": balanced_accuracy,
    "g-mean": g_mean,
    "matthews": matthews,
    "precision": precision,
    "recall": recall,
}


@st.composite
def problems(draw):
    """Probabilities of a few samples with ties, and old and new frequencies."""
    shape = (draw(st.integers(1, 6)), draw(st.integers(1, 3)))
    cells = st.sampled_from([0.25, 0.5, 0.75]) | st.floats(1 / 128, 127 / 128, width=32)
    proba = draw(hnp.arrays(np.float64, shape, elements=cells))
    shares = hnp.arrays(np.float64, shape[1], elements=st.integers(1, 19).map(lambda k: k / 20))
    return proba, draw(shares), draw(shares)


def value_of(counts, measure, average):
    average = micro if average == "micro" else partial(macro, undefined="skip")
    return average(measure, counts)


def all_labels(proba, old, new):
    return ExpectedCounts(proba, old, new, np.ones(old.size, dtype=bool))


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("name", MEASURES)
@given(problem=problems())
@example(  # adapted probabilities of two labels that are equal but for rounding
    problem=(np.array([[0.75, 0.75]]), np.array([0.1, 0.05]), np.array([0.1, 0.05]))
)
def test_no_thresholds_have_a_higher_expected_value(name, average, problem):
    (proba, old, new), measure = problem, MEASURES[name]
    adapted = oracle.adapted(proba, old, new)
    # Probabilities that differ by rounding only have no threshold between them in all labels.
    distinct = np.unique(adapted)
    assume((np.diff(distinct) > 1e-9).all())
    if average == "micro" and name in ("g-mean", "matthews"):
        # Equal probabilities are decided together, which is best for quotients.
        assume(distinct.size == adapted.size)
    expected = all_labels(proba, old, new)
    if average == "micro":
        thresholds = micro_thresholds(expected, measure)
    else:
        thresholds = macro_thresholds(expected, measure, np.zeros(old.size))
    value = value_of(expected.counts(thresholds), measure, average)
    best = oracle.best_expected(proba, adapted, measure, average, shared=False)
    assert np.isnan(best) or value >= best - 1e-9


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("name", ["f", "accuracy", "matthews", "recall"])
@given(problems())
def test_no_common_threshold_has_a_higher_expected_value(name, average, problem):
    (proba, old, new), measure = problem, MEASURES[name]
    expected = all_labels(proba, old, new)
    thresholds = np.full(old.size, shared_threshold(expected, measure, average))
    value = value_of(expected.counts(thresholds), measure, average)
    adapted = oracle.adapted(proba, old, new)
    best = oracle.best_expected(proba, adapted, measure, average, shared=True)
    assert np.isnan(best) or value >= best - 1e-9


@given(problems())
def test_expected_counts_are_sums_of_probabilities(problem):
    proba, old, new = problem
    thresholds = np.linspace(0.2, 0.6, old.size)
    found = all_labels(proba, old, new).counts(thresholds)
    wanted = oracle.expected_counts(proba, oracle.adapted(proba, old, new), thresholds)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@given(problems())
def test_exchanged_frequencies_give_the_inverse_function(problem):
    proba, old, new = problem
    np.testing.assert_allclose(at_priors(at_priors(proba, old, new), new, old), proba, rtol=1e-9)


def test_the_level_of_micro_f_is_half_the_best_f():
    proba = np.random.default_rng(0).beta(0.3, 1, (500, 4))
    same = np.full(4, 0.2)
    expected = all_labels(proba, same, same)
    thresholds = micro_thresholds(expected, f_measure)
    value = micro(f_measure, expected.counts(thresholds))
    np.testing.assert_allclose(thresholds, value / 2, atol=1e-3)


def test_a_label_of_frequency_0_is_never_decided():
    old, new = np.array([0.3, 0.3]), np.array([0.0, 0.5])
    expected = all_labels(np.array([[0.2, 0.2], [0.9, 0.9]]), old, new)
    assert np.isinf(micro_thresholds(expected, f_measure)).tolist() == [True, False]


def test_counts_are_expected_over_draws_of_the_labels():
    random = np.random.default_rng(1)
    proba = random.random((30, 2))
    same = np.full(2, 0.5)
    counts = all_labels(proba, same, same).counts(same)
    drawn = random.random((4000, 30, 2)) < proba
    decided = proba >= 0.5
    mean = Counts(*((drawn == y) & (decided == d) for y, d in ((1, 1), (0, 1), (1, 0), (0, 0))))
    for part, wanted in zip(counts, mean, strict=True):
        np.testing.assert_allclose(part, wanted.sum(axis=1).mean(axis=0), atol=0.2)
