"""No bands are better than those found, up to the gap that they state."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise.decisions import best_thresholds, corrected_value, review_bands
from labelwise.measures import Counts, f_measure
from tests.decisions.problems import problems, random_problems
from tests.oracles.bands import AllBands

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
RATES = st.sampled_from([0.0, 0.3, 0.5, 2 / 3, 0.75, 0.8, 0.9, 1.0])
SCORES = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
Y = [[1, 0], [0, 1], [1, 0], [0, 0]]


def check_counts(bands, scores, Y):
    """The counts of bands are those of its decisions, and the ends are in order."""
    assert (bands.lower <= bands.upper).all()
    states = bands.decide(scores)
    states = states.toarray() if sparse.issparse(states) else states
    np.testing.assert_array_equal(bands.evidence.accepted, (states == 1).sum(axis=0))
    np.testing.assert_array_equal(
        bands.evidence.accepted_positives, ((states == 1) & Y).sum(axis=0)
    )
    np.testing.assert_array_equal(bands.evidence.reviewed, (states == -1).sum(axis=0))
    np.testing.assert_array_equal(
        bands.evidence.reviewed_positives, ((states == -1) & Y).sum(axis=0)
    )
    np.testing.assert_array_equal(bands.evidence.support, Y.sum(axis=0))


def check_rates(bands, min_precision, min_recall):
    """Rates that are not defined, without accepted cells or positives, meet every bound."""
    assert np.isnan(bands.evidence.precision) or bands.evidence.precision >= min_precision
    assert np.isnan(bands.evidence.recall) or bands.evidence.recall >= min_recall


def count_all(truth, decided):
    """The counts of all cells."""
    cells = (truth & (decided == 1), ~truth & (decided == 1), truth & (decided == 0))
    return Counts(*(int(kind.sum()) for kind in cells), tn=0)


@given(problem=problems(), min_precision=RATES, min_recall=RATES)
def test_no_smaller_queue_has_the_precision_and_recall(problem, min_precision, min_recall):
    bands = review_bands(*problem, min_precision=min_precision, min_recall=min_recall)
    check_counts(bands, *problem)
    check_rates(bands, min_precision, min_recall)
    n_samples = len(problem[0])
    least = AllBands(*problem).smallest_queue(min_precision, min_recall)
    n_reviewed = bands.evidence.reviewed.sum()
    assert n_reviewed - bands.evidence.gap * n_samples / 1000 - 1e-9 <= least <= n_reviewed
    assert (
        bands.value
        == bands.evidence.review_per_1000
        == pytest.approx(1000 * n_reviewed / n_samples)
    )


@given(problem=problems(), rate=RATES, most=st.integers(0, 21))
def test_no_queue_of_the_size_has_a_higher_recall_or_precision(problem, rate, most):
    oracle = AllBands(*problem)
    kept = review_bands(*problem, min_precision=rate, max_review=most)
    sure = review_bands(*problem, min_recall=rate, max_review=most)
    for bands, highest in (
        (kept, oracle.highest_recall(rate, most)),
        (sure, oracle.highest_precision(rate, most)),
    ):
        check_counts(bands, *problem)
        assert bands.evidence.reviewed.sum() <= most
        assert bands.value - 1e-9 <= highest <= bands.value + bands.evidence.gap + 1e-9
    check_rates(kept, rate, kept.value)
    check_rates(sure, sure.value, rate)


@given(problem=problems(), most=st.integers(0, 21))
def test_no_queue_of_the_size_has_a_higher_rate_of_both(problem, most):
    bands = review_bands(*problem, max_review=most)
    check_counts(bands, *problem)
    assert bands.evidence.reviewed.sum() <= most
    check_rates(bands, bands.value, bands.value)
    highest = AllBands(*problem).highest_rate(most)
    assert bands.value - 1e-9 <= highest <= bands.value + bands.evidence.gap + 1e-9
    assert bands.evidence.gap <= 1e-4 or not bands.evidence.exact


@given(problem=problems(), data=st.data())
def test_no_bands_cost_less(problem, data):
    n_labels = problem[1].shape[1]
    by_label = st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n_labels, max_size=n_labels)
    cost = data.draw(st.tuples(by_label, by_label, by_label))
    bands = review_bands(*problem, cost=cost)
    check_counts(bands, *problem)
    assert bands.evidence.exact
    assert bands.value == pytest.approx(AllBands(*problem).least_cost(*cost), abs=1e-9)
    wrong = bands.evidence.accepted - bands.evidence.accepted_positives
    lost = (
        bands.evidence.support
        - bands.evidence.accepted_positives
        - bands.evidence.reviewed_positives
    )
    total = (
        np.dot(cost[0], wrong) + np.dot(cost[1], lost) + np.dot(cost[2], bands.evidence.reviewed)
    )
    assert bands.value == pytest.approx(total, abs=1e-9)


def test_the_smallest_queue_is_nearly_always_found_and_proven():
    n_proven, n_found = 0, 0
    for scores, truth in random_problems(150, 5, most_samples=9, with_positives=False):
        bands = review_bands(scores, truth, min_precision=0.8, min_recall=0.9)
        n_proven += bands.evidence.exact
        n_found += bands.evidence.reviewed.sum() == AllBands(scores, truth).smallest_queue(0.8, 0.9)
    assert n_proven >= 145
    assert n_found >= 148


@given(problem=problems(), absent=st.integers(0, 2**21 - 1), min_precision=RATES)
def test_absent_scores_are_rejected_and_never_reviewed(problem, absent, min_precision):
    scores, truth = problem
    is_absent = (absent >> np.arange(scores.size).reshape(scores.shape)) % 2 == 1
    rows, columns = np.nonzero(~is_absent)
    stored = sparse.csr_array((scores[rows, columns], (rows, columns)), scores.shape)
    oracle = AllBands(np.where(is_absent, -np.inf, scores), truth)
    recall = oracle.recall.max()
    bands = review_bands(stored, truth, min_precision=min_precision, min_recall=recall)
    check_counts(bands, stored, truth)
    check_rates(bands, min_precision, recall)
    least, n_reviewed = oracle.smallest_queue(min_precision, recall), bands.evidence.reviewed.sum()
    assert n_reviewed - bands.evidence.gap * len(scores) / 1000 - 1e-9 <= least <= n_reviewed
    if recall < 1:
        with pytest.raises(ValueError, match="cannot be met: the highest recall"):
            review_bands(stored, truth, min_precision=min_precision, min_recall=1)


@pytest.mark.parametrize(
    "options",
    [
        {"min_precision": 0.8, "min_recall": 0.9},
        {"min_precision": 0.8, "max_review": 0.5},
        {"min_recall": 0.8, "max_review": 0.5},
        {"max_review": 0.5},
        {"cost": (1, 2, 0.3)},
    ],
    ids=str,
)
def test_sparse_scores_with_every_cell_stored_give_the_bands_of_dense_ones(options):
    random = np.random.default_rng(0)
    truth = random.random((60, 4)) < 0.3
    scores = random.normal(size=(60, 4)) + truth
    dense = review_bands(scores, truth, **options)
    for stored in (sparse.csr_array(scores), sparse.csr_matrix(scores)):
        of_stored = review_bands(stored, sparse.csr_array(truth), **options)
        for name in ("upper", "lower", "accepted", "reviewed", "value", "gap"):
            one, other = (
                {**vars(rule), **vars(rule.evidence)}[name] for rule in (of_stored, dense)
            )
            np.testing.assert_array_equal(one, other)


def test_without_a_queue_the_thresholds_have_the_highest_f_that_meets_both_rates():
    random = np.random.default_rng(1)
    truth = random.random((80, 3)) < 0.4
    scores = random.normal(size=(80, 3)) + 3 * truth
    rates = {"min_precision": 0.8, "min_recall": 0.8}
    bands = review_bands(scores, truth, **rates)
    assert bands.evidence.reviewed.sum() == 0
    np.testing.assert_array_equal(bands.upper, bands.lower)
    np.testing.assert_array_equal(bands.upper, best_thresholds(scores, truth, **rates).values)


def test_one_rate_alone_leaves_the_other_side_to_a_person():
    only_accepted = review_bands(SCORES, Y, min_precision=1)
    assert (only_accepted.lower == -np.inf).all()
    assert only_accepted.evidence.recall == 1
    only_rejected = review_bands(SCORES, Y, min_recall=1)
    assert (only_rejected.upper == np.inf).all()
    assert only_rejected.evidence.accepted.sum() == 0
    np.testing.assert_array_equal(only_rejected.lower, [0.25, 0.35])


def test_a_whole_number_is_a_total_and_a_decimal_number_a_mean_of_a_row():
    total = review_bands(SCORES, Y, min_precision=1, max_review=2)
    mean = review_bands(SCORES, Y, min_precision=1, max_review=0.5)
    assert total.evidence.reviewed.sum() == mean.evidence.reviewed.sum() == 2
    np.testing.assert_array_equal(total.lower, mean.lower)


def test_a_queue_that_is_too_small_for_both_rates_is_refused_with_the_size_it_takes():
    allowed = review_bands(SCORES, Y, min_precision=1, min_recall=1, max_review=2)
    assert allowed.evidence.reviewed.sum() == 2
    with pytest.raises(ValueError, match=r"with max_review=1 \(1 cells\): at least 2 cells"):
        review_bands(SCORES, Y, min_precision=1, min_recall=1, max_review=1)


def test_a_queue_that_exists_but_is_not_found_is_not_said_to_be_impossible():
    # Both ends off the frontier are in the wrong order for a label.
    scores = np.array([[0.0, 0.25], [0.0, 0.25], [0.75, 0.0], [0.75, 0.75], [0.0, 0.0]])
    truth = np.array([[1, 1], [0, 1], [1, 0], [1, 0], [1, 1]]) == 1
    rates = {"min_precision": 0.8, "min_recall": 0.6}
    assert AllBands(scores, truth).smallest_queue(0.8, 0.6) == 2
    found = review_bands(scores, truth, **rates)
    assert (found.evidence.reviewed.sum(), found.evidence.exact) == (3, False)
    message = r"^No bands were found .* max_review=2 \(2 cells\): .* 3 cells, and it is not proven"
    with pytest.raises(ValueError, match=message):
        review_bands(scores, truth, max_review=2, **rates)


@given(problem=problems(), precision=RATES, recall=RATES, most=st.integers(0, 21))
def test_no_queue_that_exists_is_said_to_be_impossible(problem, precision, recall, most):
    least = AllBands(*problem).smallest_queue(precision, recall)
    rates = {"min_precision": precision, "min_recall": recall}
    refusal = ""
    try:
        review_bands(*problem, max_review=most, **rates)
    except ValueError as error:
        refusal = str(error)
    assert least > most if "cannot be met" in refusal else least <= most or refusal


def test_a_larger_queue_never_lowers_a_rate():
    random = np.random.default_rng(2)
    truth = random.random((50, 3)) < 0.3
    scores = random.normal(size=(50, 3)) + truth
    for options in ({}, {"min_precision": 0.7}, {"min_recall": 0.7}):
        found = [review_bands(scores, truth, max_review=n, **options) for n in range(0, 150, 10)]
        values = np.array([bands.value for bands in found])
        gaps = np.array([bands.evidence.gap for bands in found])
        assert (values[1:] + gaps[1:] >= values[:-1] - 1e-12).all()


def test_free_reviews_are_taken_and_expensive_ones_are_not():
    free = review_bands(SCORES, Y, cost=(1, 1, 0))
    assert free.value == 0
    dear = review_bands(SCORES, Y, cost=(1, 1, 10))
    assert dear.evidence.reviewed.sum() == 0
    assert dear.value == best_thresholds(SCORES, Y, cost=(1, 1)).value


def test_labels_without_positives_are_rejected_with_a_warning():
    with pytest.warns(UserWarning, match="Y has no positives of '1'"):
        bands = review_bands(SCORES, [[1, 0], [0, 0], [1, 0], [0, 0]], min_recall=1)
    assert bands.lower[1] == np.inf
    nothing = review_bands(SCORES, np.zeros((4, 2)), min_precision=0.5, min_recall=0.5)
    assert nothing.evidence.reviewed.sum() == nothing.evidence.accepted.sum() == 0
    assert np.isnan(nothing.evidence.precision)
    assert np.isnan(nothing.evidence.recall)


def test_columns_are_matched_by_name():
    scores = pd.DataFrame(SCORES, columns=["sea", "sky"])
    truth = pd.DataFrame(Y, columns=["sea", "sky"])[["sky", "sea"]]
    with pytest.warns(UserWarning, match="labels of Y are in another order"):
        bands = review_bands(scores, truth, min_precision=1, min_recall=1)
    assert bands.label_names == ("sea", "sky")
    np.testing.assert_array_equal(bands.upper, [0.75, 0.35])


def test_right_answers_to_the_queue_make_f_higher_than_thresholds_alone():
    random = np.random.default_rng(3)
    truth = random.random((80, 3)) < 0.3
    scores = random.normal(size=(80, 3)) + truth
    states = review_bands(scores, truth, max_review=0.5).decide(scores)
    answered = np.where(states == -1, truth, states)
    f = f_measure(count_all(truth, answered))
    assert f > best_thresholds(scores, truth).value


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "min_precision, min_recall, max_review or cost must be given, got none"),
        ({"min_precision": 1.2}, ValueError, "min_precision must be from 0 to 1, got 1.2"),
        ({"min_recall": "high"}, TypeError, "min_recall must be a number, got 'high'"),
        ({"max_review": -1}, ValueError, "max_review must be a whole number in total or a dec"),
        ({"max_review": True}, ValueError, "not negative, got True"),
        ({"cost": (1, 1)}, TypeError, "cost must be three costs, of a false positive, of a fal"),
        ({"cost": (1, 1, [1])}, ValueError, "cost must have 2 numbers by label, got shape"),
        ({"cost": (1, 1, -1)}, ValueError, "cost must be finite and not negative, got -1"),
        ({"cost": (1, 1, 1), "max_review": 3}, ValueError, "cost does not go together with max"),
    ],
    ids=str,
)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        review_bands(SCORES, Y, **options)


@given(problem=problems(), rates=st.tuples(RATES, RATES), data=st.data())
def test_missing_labels_count_nowhere(problem, rates, data):
    scores, truth = problem
    is_missing = data.draw(hnp.arrays(bool, truth.shape))
    if is_missing.all():
        return
    every = AllBands(np.where(is_missing, -np.inf, scores), truth & ~is_missing)
    known = np.where(is_missing, np.nan, truth)
    bands = review_bands(scores, known, min_precision=rates[0], min_recall=rates[1])
    check_rates(bands, *rates)
    assert bands.evidence.support.tolist() == (truth & ~is_missing).sum(axis=0).tolist()
    assert (
        bands.evidence.reviewed.sum() - bands.evidence.gap
        <= every.smallest_queue(*rates)
        <= bands.evidence.reviewed.sum()
    )
    if bands.evidence.gap == 0:
        assert bands.evidence.reviewed.sum() == every.smallest_queue(*rates)


@pytest.mark.parametrize(
    "options",
    [
        {"min_precision": 0.8, "min_recall": 0.9},
        {"min_precision": 0.8, "max_review": 0.5},
        {"max_review": 30},
        {"cost": (1, 5, 0.2)},
    ],
    ids=str,
)
def test_a_sample_of_weight_two_counts_as_two_samples(options):
    random = np.random.default_rng(0)
    truth = random.random((60, 2)) < 0.4
    scores = np.round(truth + 0.6 * random.normal(size=truth.shape), 1)
    weights = random.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    weighted = review_bands(scores, truth, sample_weight=weights, **options)
    repeated = review_bands(scores[rows], truth[rows], **options)
    for name in ("upper", "lower", "accepted", "reviewed", "reviewed_positives", "support"):
        one, other = ({**vars(rule), **vars(rule.evidence)}[name] for rule in (weighted, repeated))
        assert one.tolist() == other.tolist()
    assert (weighted.value, weighted.evidence.n_samples) == (
        repeated.value,
        repeated.evidence.n_samples,
    )
    assert weighted.evidence.review_per_1000 == repeated.evidence.review_per_1000


def test_guaranteed_bands_take_missing_labels_and_whole_weights():
    random = np.random.default_rng(1)
    truth = (random.random((3000, 3)) < 0.4).astype(float)
    scores = truth + 0.4 * random.normal(size=truth.shape)
    truth[random.random(truth.shape) < 0.2] = np.nan
    weights = random.integers(1, 3, 3000)
    rates = {"min_precision": 0.8, "min_recall": 0.8}
    bands = review_bands(
        scores, truth, sample_weight=weights, **rates, guarantee=0.9, random_state=0
    )
    assert bands.evidence.guarantee.precision > 0.8
    assert bands.evidence.guarantee.recall > 0.8
    states, known = bands.decide(scores), ~np.isnan(truth)
    assert bands.evidence.accepted.tolist() == (weights @ ((states == 1) & known)).tolist()
    found = corrected_value(
        review_bands(scores, truth, sample_weight=weights, **rates),
        scores,
        truth,
        sample_weight=weights,
        random_state=0,
    )
    assert found.precision > 0.78
    assert found.n_samples == weights[known.any(axis=1)].sum()
    with pytest.raises(ValueError, match="sample_weight of bands must be whole numbers"):
        review_bands(scores, truth, sample_weight=weights / 2, **rates)


def test_weights_of_bands_are_whole_numbers():
    with pytest.raises(ValueError, match=r"whole numbers, because cells are counted, got 0\.5\."):
        review_bands([[0.2], [0.8]], [[0], [1]], max_review=1, sample_weight=[1, 0.5])
