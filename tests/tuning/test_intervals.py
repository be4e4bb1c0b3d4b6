"""Intervals are order statistics of values on new rows, spreads of tuned thresholds."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm

from labelwise._tuning._intervals import _widened
from labelwise.decisions import best_thresholds, confidence_interval, corrected_value
from labelwise.measures import Counts, f_measure, g_mean, macro, micro, precision
from tests.decisions.intervals import tuned_with_interval
from tests.kernels import COMPILED_ONLY
from tests.oracles import intervals as oracle
from tests.spoken import spoken

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")

OPTIONS = [
    {},
    {"maximize": "macro-f"},
    {"average": "macro", "maximize": g_mean},
    {"shared": True},
    {"shared": True, "maximize": "macro-f"},
    {"cost": (1, 2)},
    {"fbr": 0.6},
    {"shrink": 0.5},
    {"shrink": 0.5, "maximize": "macro-f"},
]


def make_problem(n_samples=40):
    random = np.random.default_rng(1)
    Y = random.random((n_samples, 3)) < [0.5, 0.4, 0.3]
    return random.standard_normal(Y.shape).round(1) + Y, Y


@pytest.mark.parametrize("options", OPTIONS, ids=spoken)
def test_intervals_are_order_statistics_of_the_draws(options):
    scores, Y = make_problem()
    tuned = tuned_with_interval(
        scores, Y, n_bootstrap=21, confidence=0.8, random_state=5, **options
    )
    random = np.random.RandomState(5)
    thresholds = oracle.drawn_thresholds(scores, Y, options, 21, random)
    values = oracle.drawn_values(scores, Y, options, thresholds, random)
    # Of 21 draws, the 3rd and the 19th bound the middle 80 %. With 40 rows, normal quantiles of the
    # value are sqrt(1 + 30 / 40) times as far out: the middle 91 %, from the 1st to the 21st.
    np.testing.assert_allclose(tuned.evidence.intervals, np.sort(thresholds, axis=0)[[2, 18]])
    np.testing.assert_allclose(tuned.evidence.interval, np.sort(values)[[0, 20]])
    assert tuned.value == best_thresholds(scores, Y, **options).value


def value_on_new_rows(thresholds, shares, distance, average):
    tp, fp = shares * norm.sf(thresholds - distance), (1 - shares) * norm.sf(thresholds)
    counts = Counts(tp, fp, shares - tp, 1 - shares - fp)
    return (micro if average == "micro" else macro)(f_measure, counts)


@COMPILED_ONLY
@pytest.mark.parametrize(
    ("n_samples", "shares", "average"),
    [
        (100, np.linspace(0.1, 0.4, 5), "macro"),
        (300, np.linspace(0.02, 0.05, 20), "micro"),
        (300, np.linspace(0.02, 0.05, 20), "macro"),
    ],
)
def test_intervals_contain_the_value_on_new_rows(n_samples, shares, average):
    # Normal scores, 1.5 higher for positives: the value on new rows is known.
    random = np.random.default_rng(0)
    held, optimism = [], []
    for seed in range(40):
        Y = random.random((n_samples, shares.size)) < shares
        Y[0] |= ~Y.any(axis=0)
        scores = random.standard_normal(Y.shape) + 1.5 * Y
        tuned = tuned_with_interval(
            scores, Y, maximize=f"{average}-f", n_bootstrap=60, random_state=seed
        )
        value = value_on_new_rows(tuned.values, shares, 1.5, average)
        held.append(tuned.evidence.interval[0] <= value <= tuned.evidence.interval[1])
        optimism.append(tuned.value - value)
    # Fewer than 34 of 40 are held in one of 300 runs, if 95 % are in the long run.
    assert np.sum(held) >= 34
    assert np.mean(optimism) > 0.03


def test_labels_without_positives_leave_a_macro_average_without_interval():
    scores, Y = make_problem()
    Y[:, 1] = False
    with pytest.warns(UserWarning, match="a macro average needs positives of every label"):
        tuned = tuned_with_interval(scores, Y, maximize="macro-f", n_bootstrap=5)
    assert tuned.evidence.interval is None
    assert tuned.evidence.intervals.shape == (2, 3)
    assert tuned_with_interval(scores, Y, n_bootstrap=5).evidence.interval is not None


def test_few_rows_and_few_groups_have_no_interval():
    scores, Y = make_problem(19)
    with pytest.warns(UserWarning, match="needs at least 20 rows, got 19"):
        tuned = tuned_with_interval(scores, Y, n_bootstrap=5)
    assert tuned.evidence.interval is None
    scores, Y = make_problem(40)
    with pytest.warns(UserWarning, match="needs at least 20 groups, got 4"):
        tuned = tuned_with_interval(scores, Y, n_bootstrap=5, groups=np.arange(40) // 10)
    assert tuned.evidence.interval is None


def test_folds_of_an_interval_are_at_most_the_rows_that_are_not_copies():
    scores, Y = (np.repeat(part[:3], 10, axis=0) for part in make_problem())
    tuned = tuned_with_interval(scores, Y, n_bootstrap=20, random_state=0)
    assert 0 <= tuned.evidence.interval[0] <= tuned.evidence.interval[1] <= 1


def test_a_measure_without_value_has_no_interval():
    def never(counts):
        return precision(counts) * np.nan

    scores, Y = make_problem()
    with pytest.warns(UserWarning, match="a draw has no value"):
        tuned = tuned_with_interval(scores, Y, maximize=never, n_bootstrap=5)
    assert tuned.evidence.interval is None


def test_spreads_may_be_infinite():
    with pytest.warns(UserWarning, match="No interval of the value is given"):
        tuned = tuned_with_interval(
            [[0.1, 0.3], [0.2, 0.1]], [[1, 0], [0, 1]], n_bootstrap=50, random_state=0
        )
    assert np.isinf(tuned.evidence.intervals).any()
    assert not np.isnan(tuned.evidence.intervals).any()


def test_rows_of_a_group_are_one_draw_of_the_interval():
    # Copies of every row, named as groups, say nothing more about new rows than the rows.
    scores, Y = make_problem(100)
    once, twice = (
        tuned_with_interval(
            np.repeat(scores, k, axis=0),
            np.repeat(Y, k, axis=0),
            groups=np.repeat(np.arange(100), k),
            n_bootstrap=300,
            random_state=0,
        ).evidence.interval
        for k in (1, 4)
    )
    assert np.diff(twice)[0] == pytest.approx(np.diff(once)[0], rel=0.3)


def test_intervals_of_sparse_scores_are_those_of_dense_ones():
    scores, Y = make_problem()
    dense, stored = (
        tuned_with_interval(
            form, Y, n_bootstrap=20, random_state=1, shrink="auto"
        ).evidence.interval
        for form in (scores + 9.0, sparse.csr_array(scores + 9.0))
    )
    np.testing.assert_allclose(dense, stored)


def test_the_interval_is_shown_as_that_of_new_samples():
    tuned = tuned_with_interval(*make_problem(), n_bootstrap=20, random_state=1)
    low, high = tuned.evidence.interval
    assert f"on new samples {low:.4f} to {high:.4f}" in repr(tuned)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_an_interval_has_no_values_that_the_measure_cannot_have(average):
    random = np.random.default_rng(0)
    Y = random.random((30, 12)) < 0.4
    scores = Y + 0.2 * random.normal(size=Y.shape)
    tuned = tuned_with_interval(scores, Y, maximize=f"{average}-f", n_bootstrap=50, random_state=0)
    low, high = tuned.evidence.interval
    assert 0 <= low < high <= 1


def test_confidence_is_raised_for_few_units_and_kept_for_many():
    raised = [_widened(0.9, n_units) for n_units in (30, 100, 1000, 10**9)]
    assert 0.99 > raised[0] > raised[1] > raised[2] > 0.9
    assert raised[3] == pytest.approx(0.9, abs=1e-6)


@pytest.mark.parametrize(
    ("tuning", "options", "message"),
    [
        ({"maximize": "sample-f"}, {}, "n_bootstrap does not go together with average"),
        ({"max_decisions": 20}, {}, "n_bootstrap does not go together with min_precision"),
        ({}, {"n_bootstrap": 1}, "n_bootstrap must be 0 or at least 2, got 1"),
        ({}, {"n_bootstrap": 2.5}, "n_bootstrap must be a whole number"),
        ({}, {"confidence": 2.0}, "confidence must be between 0 and 1, got 2.0"),
    ],
)
@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
def test_intervals_that_cannot_be_computed_are_refused(tuning, options, message):
    scores, Y = make_problem()
    tuned = best_thresholds(scores, Y, **tuning)
    with pytest.raises((TypeError, ValueError), match=message):
        confidence_interval(tuned, scores, Y, **options)


def test_estimates_need_the_samples_and_the_options_of_the_tuning(tmp_path):
    scores, Y = make_problem()
    tuned = best_thresholds(scores, Y, shrink="auto", random_state=0)
    limited = best_thresholds(scores, Y, max_decisions=1000, random_state=0)
    assert corrected_value(limited, scores, Y, random_state=0) == limited.evidence.corrected_value
    assert corrected_value(tuned, scores, Y, random_state=0) < tuned.value
    with pytest.raises(
        ValueError, match=r"scores must have the \d labels of the thresholds, got 1"
    ):
        corrected_value(tuned, scores[:, :1], Y[:, :1])
    tuned.save(tmp_path / "tuned.json")
    again = type(tuned).load(tmp_path / "tuned.json")
    seeded = {"n_bootstrap": 5, "random_state": 0}
    found = confidence_interval(again, scores, Y, **seeded)
    np.testing.assert_array_equal(
        found.thresholds, confidence_interval(tuned, scores, Y, **seeded).thresholds
    )
