"""Weights of samples: whole numbers count as repeated samples, and other weights as sums.

Tests `curves/_exact_weights.py`, and weights in every objective.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise._curves import exact_weights
from labelwise.decisions import (
    Thresholds,
    adapt_thresholds,
    best_thresholds,
    corrected_value,
    micro_frontier,
)
from labelwise.measures import accuracy, f_measure, g_mean, jaccard, matthews, recall
from tests.decisions.intervals import tuned_with_interval
from tests.decisions.problems import problems
from tests.oracles import weighted_thresholds as oracle
from tests.oracles.maximized import maximized

pytestmark = [
    pytest.mark.filterwarnings("ignore:Y has no positives"),
    pytest.mark.filterwarnings("ignore:Constraints that new samples may break"),
]

# Options of `best_thresholds` that choose different code.
OPTIONS = (
    {},
    {"beta": 2.0},
    {"maximize": jaccard, "average": "macro"},
    {"maximize": accuracy, "average": "macro"},
    {"maximize": matthews},
    {"maximize": g_mean},
    {"shared": True},
    {"shared": True, "maximize": "macro-f"},
    {"shared": True, "maximize": accuracy},
    {"cost": (1.0, 2.5)},
    {"min_precision": 0.6},
    {"min_recall": 0.7, "maximize": accuracy},
    {"max_decisions": 0.8},
    {"max_decisions": 3},
    {"min_precision": 0.5, "maximize": "macro-f"},
    {"shrink": 0.3},
    {"shrink": 1.0},
    {"shrink": 0.3, "maximize": "macro-f"},
    {"fbr": 0.6},
    {"fbr": (0.6, 0), "maximize": "macro-f"},
    {"maximize": "sample-f"},
    {"average": "sample", "maximize": recall},
)


@st.composite
def weighted_problems(draw, weight):
    """(scores, Y, weights) with at least one weight above 0."""
    scores, Y = draw(problems())
    weights = draw(st.lists(weight, min_size=len(Y), max_size=len(Y)).filter(any))
    return scores, Y, np.array(weights)


def tuned(*args, **options):
    """The thresholds, or the message if no thresholds meet the constraints."""
    try:
        return best_thresholds(*args, **options)
    except ValueError as error:
        return str(error)


def assert_same(one, other, *, exactly=True):
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.evidence.support, other.evidence.support)
    np.testing.assert_array_equal(one.evidence.decided, other.evidence.decided)
    if not exactly:
        np.testing.assert_allclose(one.value, other.value, rtol=1e-12)
        return
    np.testing.assert_equal(
        (
            one.value,
            one.evidence.gap,
            one.evidence.certificate,
            one.evidence.shrink,
            one.evidence.fbr,
        ),
        (
            other.value,
            other.evidence.gap,
            other.evidence.certificate,
            other.evidence.shrink,
            other.evidence.fbr,
        ),
    )


@given(problem=weighted_problems(st.integers(0, 3)), options=st.sampled_from(OPTIONS))
def test_whole_weights_count_as_repeated_samples(problem, options):
    scores, Y, weights = problem
    rows = np.repeat(np.arange(len(Y)), weights)
    expected = tuned(scores[rows], Y[rows], **options)
    # A sum over samples depends on the order of its terms, by a rounding error.
    exactly = maximized(options)[0] != "sample"
    assert_same(tuned(scores, Y, sample_weight=weights, **options), expected, exactly=exactly)
    stored = sparse.csr_array(scores + 5.0)
    assert_same(
        tuned(stored, Y, sample_weight=weights.astype(float), **options),
        tuned(stored[rows], Y[rows], **options),
        exactly=exactly,
    )


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_common_thresholds_of_many_positives_are_quantiles_by_weight(average):
    random = np.random.default_rng(6)
    Y = random.random((400, 3)) < 0.5
    scores = random.normal(size=(400, 3)) + Y
    weights = random.integers(1, 6, 400)
    rows = np.repeat(np.arange(400), weights)
    options = {"shrink": 0.5, "maximize": f"{average}-f"}
    expected = best_thresholds(scores[rows], Y[rows], **options)
    assert_same(best_thresholds(scores, Y, sample_weight=weights, **options), expected)


FRACTIONS = st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 0.7, 1.0, 2.6])


@given(
    problem=weighted_problems(FRACTIONS),
    measure=st.sampled_from([f_measure, partial(f_measure, beta=2.0), jaccard, accuracy, recall]),
    average=st.sampled_from(["micro", "macro"]),
    shared=st.booleans(),
)
def test_no_thresholds_beat_the_tuned_ones_under_any_weights(problem, measure, average, shared):
    scores, Y, weights = problem
    options = {"maximize": measure, "average": average, "shared": shared}
    found = best_thresholds(scores, Y, sample_weight=weights, **options)
    counted = weights > 0
    some = scores[counted], Y[counted], weights[counted]
    best = oracle.highest(*some, measure, average, shared)
    np.testing.assert_allclose(found.value, best, rtol=1e-10, atol=1e-12)
    decided = some[0] >= found.values
    reached = oracle.value(measure, average, some[1], decided, some[2])
    np.testing.assert_allclose(found.value, reached, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.evidence.decided, some[2] @ decided, rtol=1e-12)
    np.testing.assert_allclose(found.evidence.support, some[2] @ some[1], rtol=1e-12)


@given(problem=weighted_problems(FRACTIONS))
def test_no_thresholds_cost_less_under_any_weights(problem):
    scores, Y, weights = problem
    found = best_thresholds(scores, Y, sample_weight=weights, cost=(1.0, 2.5))
    np.testing.assert_allclose(
        found.value, oracle.least_cost(scores, Y, weights, 1.0, 2.5), rtol=1e-10, atol=1e-12
    )


@given(problem=weighted_problems(st.integers(0, 3)), options=st.sampled_from(OPTIONS))
def test_fractional_weights_meet_constraints_and_reach_their_value(problem, options):
    scores, Y, weights = problem
    found = tuned(scores, Y, sample_weight=weights * 0.3, **options)
    if isinstance(found, str):
        assert "cannot be met" in found or "not proven" in found
        return
    counted = weights > 0
    decided = scores[counted] >= found.values
    some = Y[counted], decided, weights[counted] * 0.3
    if "cost" not in options:
        measure, average = maximized(options)[::-1]
        measure = partial(measure, beta=options["beta"]) if "beta" in options else measure
        reached = oracle.value(measure, average, *some)
        np.testing.assert_allclose(found.value, reached, rtol=1e-10, atol=1e-12)
    counts = oracle.counts(*some)
    if "min_precision" in options and maximized(options)[0] != "macro":
        least = options["min_precision"] * found.evidence.decided.sum()
        assert counts.tp.sum() >= least * (1 - 1e-9)
        assert found.evidence.decided.any()
    if "max_decisions" in options:
        most = options["max_decisions"]
        most = most * some[2].sum() if isinstance(most, float) else most
        assert counts.tp.sum() + counts.fp.sum() <= most * (1 + 1e-9)


def test_weights_off_the_frontier_are_searched_only_if_they_are_whole():
    random = np.random.default_rng(3)
    Y = random.random((60, 4)) < 0.4
    scores = np.round(random.random((60, 4)) + Y, 1)
    weights = random.integers(1, 4, 60)
    whole = best_thresholds(scores, Y, sample_weight=weights, min_precision=0.7)
    parts = best_thresholds(scores, Y, sample_weight=weights / 3, min_precision=0.7)
    assert whole.evidence.gap == 0
    assert parts.evidence.gap is None
    assert parts.value <= whole.value + 1e-12
    assert best_thresholds(scores, Y, sample_weight=weights / 3).evidence.gap == 0


@pytest.mark.parametrize(
    "options", [{}, {"shrink": 0.2}, {"maximize": "macro-f"}, {"shared": True}]
)
def test_bootstrap_spreads_of_whole_weights_are_those_of_repeated_groups(options):
    random = np.random.default_rng(1)
    Y = random.random((40, 3)) < 0.4
    scores = random.random((40, 3)) + 0.5 * Y
    weights = random.integers(1, 4, 40)
    rows = np.repeat(np.arange(40), weights)
    options = {**options, "n_bootstrap": 20, "random_state": 0}
    one = tuned_with_interval(scores, Y, sample_weight=weights, groups=np.arange(40), **options)
    other = tuned_with_interval(scores[rows], Y[rows], groups=rows, **options)
    np.testing.assert_array_equal(one.evidence.intervals, other.evidence.intervals)
    assert one.evidence.interval[0] < one.value
    assert one.evidence.interval[0] < one.evidence.interval[1]


@pytest.mark.parametrize("average", ["micro", "macro", "sample"])
def test_the_corrected_value_of_whole_weights_is_that_of_repeated_samples(average):
    random = np.random.default_rng(2)
    Y = random.random((60, 3)) < 0.4
    scores = np.round(random.random((60, 3)) + 0.5 * Y, 2)
    weights, folds = random.integers(1, 4, 60), np.arange(60) % 5  # five groups are the five folds
    rows = np.repeat(np.arange(60), weights)
    found = best_thresholds(scores, Y, maximize=f"{average}-f", sample_weight=weights)
    value = corrected_value(found, scores, Y, sample_weight=weights, groups=folds)
    expected = corrected_value(found, scores[rows], Y[rows], groups=folds[rows])
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    assert value != corrected_value(found, scores, Y, groups=folds)


def test_constraints_are_checked_by_weight():
    random = np.random.default_rng(5)
    Y = random.random((80, 3)) < 0.4
    scores = np.round(random.random((80, 3)) + 0.5 * Y, 2)
    weights = random.integers(1, 4, 80)
    rows = np.repeat(np.arange(80), weights)
    for limits in ({"min_precision": 0.7}, {"max_decisions": 0.5}):
        one = best_thresholds(scores, Y, sample_weight=weights, **limits)
        other = best_thresholds(scores[rows], Y[rows], **limits)
        (found,), (expected,) = one.evidence.constraints, other.evidence.constraints
        assert (found.limit, found.value) == (expected.limit, expected.value)


def test_thresholds_of_weighted_samples_without_priors_are_not_adapted():
    found = best_thresholds([[0.1], [0.5], [0.9]], [[0], [1], [1]], sample_weight=[1, 2, 1])
    assert "samples counted by weight" in repr(found)
    found = replace(found, evidence=replace(found.evidence, priors=None))  # as in older files
    with pytest.raises(ValueError, match="release tuned them with weights of samples and did not"):
        adapt_thresholds(found, [[0.2], [0.7]])


@pytest.mark.parametrize("options", [{"shrink": "auto"}, {"fbr": "auto", "maximize": "macro-f"}])
def test_amounts_are_chosen_under_weights(options):
    random = np.random.default_rng(4)
    Y = random.random((200, 6)) < np.linspace(0.02, 0.4, 6)
    scores = random.normal(size=(200, 6)) + Y
    weights = random.random(200)
    found = best_thresholds(scores, Y, sample_weight=weights, **options, random_state=0)
    doubled = best_thresholds(scores, Y, sample_weight=2 * weights, **options, random_state=0)
    np.testing.assert_array_equal(found.values, doubled.values)
    assert (found.evidence.shrink, found.evidence.fbr) == (
        doubled.evidence.shrink,
        doubled.evidence.fbr,
    )


@given(problem=weighted_problems(st.integers(0, 3)))
def test_the_frontier_of_whole_weights_is_that_of_repeated_samples(problem):
    scores, Y, weights = problem
    rows = np.repeat(np.arange(len(Y)), weights)
    one = micro_frontier(scores, Y, sample_weight=weights)
    other = micro_frontier(scores[rows], Y[rows])
    np.testing.assert_array_equal(one.decided, other.decided)
    np.testing.assert_array_equal(one.hits, other.hits)
    np.testing.assert_array_equal(one.precision, other.precision)
    for vertex in range(len(one)):
        np.testing.assert_array_equal(one.thresholds(vertex), other.thresholds(vertex))
    parts = micro_frontier(scores, Y, sample_weight=weights * 0.3)
    np.testing.assert_allclose(parts.decided, one.decided * 0.3, rtol=1e-12)
    np.testing.assert_allclose(parts.recall, one.recall, rtol=1e-12)


@given(st.lists(FRACTIONS | st.floats(1e-6, 1e6), min_size=1, max_size=50).filter(any))
def test_sums_of_exact_weights_do_not_depend_on_the_order(numbers):
    weights = exact_weights(np.array(numbers, dtype=float), n_labels=7)
    np.testing.assert_allclose(weights, numbers, rtol=1e-7, atol=7e-16 * sum(numbers))
    sums = {float(np.cumsum(np.tile(part, 7))[-1]) for part in (weights, weights[::-1])}
    assert len(sums) == 1
    assert sums == {sum(map(float, np.sort(np.tile(weights, 7))))}


def test_whole_weights_are_integers_unless_products_of_sums_would_overflow():
    assert exact_weights(np.array([1.0, 3.0]), 5).dtype == np.int64
    assert exact_weights(np.array([1.0, 2.0**31]), 1).dtype == np.float64
    assert exact_weights(np.array([1.0, 2.0**20]), 2**11).dtype == np.float64


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0], "sample_weight must be finite, not negative, and not zero everywhere"),
        ([0.0, 0.0], "sample_weight must be finite, not negative, and not zero everywhere"),
        ([1.0, np.nan], "sample_weight must be finite, not negative, and not zero everywhere"),
        ([1.0], "sample_weight must have a number for each of 2 rows, got shape"),
        ([1e-200, 1e-201], "sample_weight must have a sum between 1e-100 and 1e"),
        ([1e300, 0.5], "sample_weight must have a sum between 1e-100 and 1e"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    for function in (best_thresholds, micro_frontier):
        with pytest.raises(ValueError, match=message):
            function([[0.1], [0.5]], [[0], [1]], sample_weight=weights)


def test_thresholds_of_fractional_weights_are_saved_and_printed(tmp_path):
    found = best_thresholds([[0.1], [0.5], [0.9]], [[0], [1], [1]], sample_weight=[0.5, 0.25, 2])
    assert found.evidence.support.tolist() == [2.25]
    assert "2.25" in repr(found)
    found.save(tmp_path / "thresholds.json")
    loaded = Thresholds.load(tmp_path / "thresholds.json")
    np.testing.assert_array_equal(loaded.evidence.support, found.evidence.support)
    assert loaded.evidence.decided.dtype == np.float64


def test_weights_of_many_samples_add_up_beyond_a_byte():
    random = np.random.default_rng(0)
    Y = random.random((600, 2)) < 0.5
    scores, weights = Y + random.normal(size=Y.shape), random.integers(1, 3, 600)
    repeated = (np.repeat(part, weights, axis=0) for part in (scores, Y))
    expected = best_thresholds(*repeated)
    found = best_thresholds(scores, Y, sample_weight=weights)
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.value == expected.value <= 1
