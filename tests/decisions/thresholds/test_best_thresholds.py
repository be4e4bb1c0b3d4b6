"""The thresholds that are called best are the best of all."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse
from sklearn import metrics

from labelwise.decisions import LinearFractional, best_thresholds
from labelwise.measures import (
    accuracy,
    balanced_accuracy,
    count,
    f_measure,
    g_mean,
    jaccard,
    macro,
    matthews,
    micro,
    precision,
    recall,
)
from tests.decisions.problems import problems, random_problems
from tests.oracles import thresholds as oracle
from tests.spoken import spoken

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
BETAS = pytest.mark.parametrize("beta", [0.5, 1.0, 2.0, math.pi / 3])
TVERSKY = LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0), when_empty=1.0)
# Undefined where nothing is decided, where one wrong decision is better than two.
LAZY = LinearFractional((0, 0, 0, 1), (1, 1, 0, 0))
PROVEN = [f_measure, jaccard, precision, recall, accuracy, balanced_accuracy, TVERSKY]


def odd(counts):
    """A measure of nobody's: it likes decisions, and has no value where there are few."""
    tp, fp, fn, tn = counts
    return np.where(tp + fp < 2, np.nan, (tp - 0.4 * fn) ** 2 + np.sin(fp) - tn / 7)


def values_by_vector(scores, Y, measure):
    values = oracle.values(scores, Y, measure)[:, 0].tolist()
    return dict(zip(map(tuple, oracle.vectors(scores).tolist()), values, strict=True))


@BETAS
def test_no_threshold_vector_has_a_higher_micro_f(beta):
    measure = partial(f_measure, beta=beta)
    for scores, Y in random_problems(700, seed=1):
        tuned = best_thresholds(scores, Y, beta=beta)
        decided = tuned.decide(scores).astype(bool)
        value, fewest = oracle.highest(scores, Y, measure)
        assert tuned.value == pytest.approx(value, rel=1e-12)
        assert oracle.micro(measure, Y, decided) == pytest.approx(value, rel=1e-12)
        assert decided.sum() == fewest
        np.testing.assert_array_equal(tuned.evidence.decided, decided.sum(axis=0))
        assert tuned.evidence.exact


@pytest.mark.parametrize("measure", PROVEN, ids=spoken)
def test_the_frontier_holds_the_best_of_linear_fractional_measures(measure):
    for scores, Y in random_problems(150, seed=2):
        if not np.isnan(oracle.values(scores, Y, measure)[:, 0]).all():
            tuned = best_thresholds(scores, Y, maximize=measure)
            value, fewest = oracle.highest(scores, Y, measure)
            assert tuned.value == pytest.approx(value, rel=1e-12)
            assert tuned.evidence.decided.sum() == fewest
            assert tuned.evidence.exact


@pytest.mark.parametrize("measure", [g_mean, matthews, LAZY], ids=spoken)
def test_other_measures_that_gain_from_hits_are_the_highest_without_a_certificate(measure):
    for scores, Y in random_problems(150, seed=3):
        tuned = best_thresholds(scores, Y, maximize=measure)
        reached = oracle.micro(measure, Y, tuned.decide(scores).astype(bool))
        np.testing.assert_allclose(tuned.value, reached)
        assert tuned.evidence.certificate is None or measure is LAZY
        if not np.isnan(oracle.values(scores, Y, measure)[:, 0]).all():
            value, fewest = oracle.highest(scores, Y, measure)
            assert tuned.value == pytest.approx(value, rel=1e-12)
            assert tuned.evidence.decided.sum() == fewest
            assert tuned.evidence.exact


def test_a_measure_of_no_known_form_is_not_called_exact():
    for scores, Y in random_problems(40, seed=3):
        tuned = best_thresholds(scores, Y, maximize=odd)
        assert (tuned.evidence.gap, tuned.evidence.certificate) == (None, None)
        assert "highest" not in repr(tuned)


def test_a_measure_that_likes_false_positives_is_not_called_exact():
    rewards_misses = LinearFractional((0, 1, 0, 0), (1, 1, 1, 1))
    assert not best_thresholds([[0.1], [0.2]], [[0], [1]], maximize=rewards_misses).evidence.exact


@BETAS
@given(problem=problems(most_samples=12, most_labels=4))
def test_the_certificate_proves_the_value(problem, beta):
    scores, Y = problem
    tuned = best_thresholds(scores, Y, beta=beta)
    assert tuned.evidence.certificate == pytest.approx(tuned.value / (1 + beta**2))
    for column, truth, threshold in zip(scores.T, Y.T, tuned.values, strict=True):
        gain = {
            t: (truth & (column >= t)).sum() - tuned.evidence.certificate * (column >= t).sum()
            for t in [*oracle.cuts(column), threshold]
        }
        assert gain[threshold] == pytest.approx(max(gain.values()))


@pytest.mark.parametrize("measure", [*PROVEN, g_mean, matthews, odd], ids=spoken)
def test_no_threshold_of_a_label_has_a_higher_value_of_any_measure(measure):
    for scores, Y in random_problems(100, seed=4, most_labels=2, with_positives=False):
        tuned = best_thresholds(scores, Y, maximize=measure, average="macro")
        for j, column in enumerate(scores.T):
            alone = column[:, None], Y[:, [j]]
            if np.isnan(oracle.values(*alone, measure)[:, 0]).all():
                assert tuned.values[j] == np.inf
                continue
            value, fewest = oracle.highest(*alone, measure)
            decided = (column >= tuned.values[j])[:, None]
            assert oracle.micro(measure, Y[:, [j]], decided) == pytest.approx(value, rel=1e-12)
            assert decided.sum() == fewest


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("measure", [f_measure, jaccard, accuracy, precision, matthews, odd])
def test_no_common_threshold_has_a_higher_value_of_any_measure(measure, average):
    for scores, Y in random_problems(60, seed=5):
        found = oracle.values(scores, Y, measure, average, shared=True)
        if np.isnan(found[:, 0]).all():
            continue
        tuned = best_thresholds(scores, Y, maximize=measure, average=average, shared=True)
        assert np.unique(tuned.values).size == 1
        value, fewest = oracle.highest(scores, Y, measure, average, shared=True)
        assert tuned.value == pytest.approx(value, rel=1e-12)
        assert tuned.evidence.decided.sum() == fewest


@BETAS
def test_thresholds_that_no_single_move_improves_are_the_best_of_all(beta):
    """pillai2012, Property 1."""
    measure = partial(f_measure, beta=beta)
    for scores, Y in random_problems(60, seed=6, most_samples=4):
        highest = oracle.highest(scores, Y, measure)[0]
        value = values_by_vector(scores, Y, measure)
        for vector, now in value.items():
            moved = [
                value[*vector[:k], t, *vector[k + 1 :]]
                for k, column in enumerate(scores.T)
                for t in oracle.cuts(column)
            ]
            assert max(moved) > now + 1e-12 or now == pytest.approx(highest, rel=1e-12)


@BETAS
def test_a_threshold_once_best_is_never_lowered_with_profit(beta):
    """pillai2012, Property 2."""
    measure = partial(f_measure, beta=beta)
    for scores, Y in random_problems(60, seed=7, most_samples=4, most_labels=2):
        value = values_by_vector(scores, Y, measure)
        first = oracle.cuts(scores[:, 0])
        for rest in {vector[1:] for vector in value}:
            best = max(first, key=lambda t: value[t, *rest])
            for other in {vector[1:] for vector in value}:
                if value[best, *other] > value[best, *rest] + 1e-12:
                    lower = [t for t in first if t < best]
                    assert all(value[t, *other] < value[best, *other] for t in lower)


@pytest.mark.parametrize("average", ["micro", "macro", "sample"])
@given(problem=problems(most_samples=12, most_labels=4))
def test_decisions_do_not_change_with_the_scale_of_each_label(problem, average):
    scores, Y = problem
    other = np.empty_like(scores)
    for j, column in enumerate(scores.T):
        ranks = np.unique(column, return_inverse=True)[1]
        other[:, j] = (j - 1) * 100 + np.cumsum(1 + (3 * np.arange(ranks.max() + 1) + j) % 7)[ranks]
    tuned, retuned = (best_thresholds(s, Y, maximize=f"{average}-f") for s in (scores, other))
    assert tuned.value == pytest.approx(retuned.value)
    np.testing.assert_array_equal(tuned.decide(scores), retuned.decide(other))


@given(problem=problems())
def test_all_forms_of_input_give_the_same_thresholds(problem):
    scores, Y = problem
    expected = best_thresholds(scores, Y).values
    names = [f"label {j}" for j in range(Y.shape[1])]
    sets = [{names[j] for j in np.flatnonzero(row)} for row in Y]
    for form in (
        (np.asfortranarray(scores), sparse.coo_array(Y)),
        (scores.tolist(), Y.astype(int).tolist()),
        (scores[::-1][::-1], np.asfortranarray(Y)),
    ):
        np.testing.assert_array_equal(best_thresholds(*form).values, expected)
    tuned = best_thresholds(scores, sets, label_names=names)
    np.testing.assert_array_equal(tuned.values, expected)
    assert tuned.label_names == tuple(names)


@given(problem=problems())
def test_absent_scores_are_never_decided(problem):
    scores, Y = problem
    present = np.indices(scores.shape).sum(axis=0) % 3 != 0
    rows, columns = np.nonzero(present)
    # Built by hand, so that a score of 0 is stored.
    stored = sparse.csr_array((scores[present], (rows, columns)), shape=scores.shape)
    low = np.where(present, scores, -10.0)
    for average in ("micro", "macro"):
        tuned = best_thresholds(stored, Y, maximize=f"{average}-f")
        found = [
            oracle.AVERAGES[average](f_measure, Y, low >= np.maximum(vector, -5.0))
            for vector in oracle.vectors(low)
        ]
        decided = tuned.decide(stored)
        assert decided.toarray()[~present].sum() == 0
        assert tuned.value == pytest.approx(max(found), rel=1e-12)
        averaged = micro if average == "micro" else macro
        assert averaged(f_measure, count(Y, decided)) == pytest.approx(tuned.value)


@pytest.mark.parametrize("shape", [(70_000, 1), (1000, 70), (5, 3)])
def test_what_came_stays_as_it_came(shape):
    random = np.random.default_rng(0)
    scores = random.standard_normal(shape)
    Y = random.random(shape) < 0.3
    before = scores.copy(), Y.copy()
    for options in ({}, {"maximize": "macro-f"}, {"average": "macro", "maximize": g_mean}):
        best_thresholds(scores, Y, **options)
    np.testing.assert_array_equal(scores, before[0])
    np.testing.assert_array_equal(Y, before[1])


def test_thresholds_lie_halfway_between_distinct_scores():
    tuned = best_thresholds([[0.9], [0.5], [0.1], [0.0]], [[1], [1], [0], [0]])
    assert tuned.values == pytest.approx([0.3])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("average", ["micro", "macro", "sample"])
def test_the_upper_score_decides_where_no_float_lies_between(dtype, average):
    low = np.array(1.0, dtype=dtype)
    high = np.nextafter(low, dtype(2))
    for shared in (False,) if average == "sample" else (False, True):
        tuned = best_thresholds(
            np.array([[high], [low]]), [[1], [0]], maximize=f"{average}-f", shared=shared
        )
        assert tuned.values == [high]


@pytest.mark.parametrize("extreme", [np.finfo(float).max, 5e-324, 1.5e-323])
def test_extreme_scores_are_told_apart(extreme):
    scores = np.array([[extreme], [-extreme], [0.0]])
    np.testing.assert_array_equal(
        best_thresholds(scores, [[1], [0], [0]]).decide(scores), [[1], [0], [0]]
    )
    np.testing.assert_array_equal(
        best_thresholds(scores, [[1], [0], [1]]).decide(scores), [[1], [0], [1]]
    )


def test_everybody_is_decided_by_minus_infinity_and_nobody_by_infinity():
    tuned = best_thresholds([[0.5, 0.2], [0.1, 0.7]], [[1, 0], [1, 1]])
    assert tuned.values[0] == -np.inf
    assert tuned.values[1] == pytest.approx(0.45)
    with pytest.warns(UserWarning, match="no positives of '0'"):
        tuned = best_thresholds([[0.5, 0.2], [0.1, 0.7]], [[0, 0], [0, 1]])
    assert tuned.values[0] == np.inf


@pytest.mark.parametrize("average", ["micro", "macro", "sample"])
def test_without_positives_nothing_is_decided_and_one_warning_says_so(average):
    scores = np.array([[0.3, 0.2], [0.1, 0.9]])
    for options in ({}, {"shared": True}, {"shrink": 0.5}, {"shrink": "auto"}, {"fbr": "auto"}):
        if average == "sample" and options:
            continue
        with pytest.warns(UserWarning, match="no positives") as caught:
            tuned = best_thresholds(scores, np.zeros((2, 2)), maximize=f"{average}-f", **options)
        assert len(caught) == 1
        assert tuned.value == 1
        assert not tuned.decide(scores).any()


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_no_thresholds_have_a_lower_hamming_loss_than_those_of_the_highest_accuracy(average):
    for scores, Y in random_problems(40, seed=8, most_samples=5):
        if not Y.any(axis=0).all():  # labels without positives are warned of
            continue
        tuned = best_thresholds(scores, Y, maximize=accuracy, average=average)
        least = [
            min(np.mean(truth != (column >= t)) for t in oracle.cuts(column))
            for column, truth in zip(scores.T, Y.T, strict=True)
        ]
        found = np.mean(tuned.decide(scores) != Y)
        np.testing.assert_allclose([found, 1 - tuned.value], np.mean(least), atol=1e-12)


def test_a_loss_of_labels_and_decisions_is_no_measure_to_maximise():
    with pytest.raises(TypeError, match=r"measure must take Counts.*hamming_loss raised Type"):
        best_thresholds([[0.1], [0.2]], [[0], [1]], maximize=metrics.hamming_loss)


@pytest.mark.parametrize("measure", [f_measure, jaccard, recall, accuracy, precision])
@pytest.mark.filterwarnings("error")
def test_sample_averages_are_local_optima_no_worse_than_their_starts(measure):
    for scores, Y in random_problems(40, seed=8, most_samples=5):
        if not Y.any(axis=0).all() or not Y.any(axis=1).all():
            continue
        tuned = best_thresholds(scores, Y, maximize=measure, average="sample")
        reached = oracle.sample(measure, Y, tuned.decide(scores).astype(bool))
        np.testing.assert_allclose(tuned.value, reached)
        assert not tuned.evidence.exact
        if np.isnan(reached):
            continue
        for average in ("micro", "macro"):
            start = best_thresholds(scores, Y, maximize=measure, average=average)
            value = oracle.sample(measure, Y, start.decide(scores).astype(bool))
            assert np.isnan(value) or reached >= value - 1e-9
        for k, column in enumerate(scores.T):
            for t in oracle.cuts(column):
                moved = np.r_[tuned.values[:k], t, tuned.values[k + 1 :]]
                value = oracle.sample(measure, Y, scores >= moved)
                assert np.isnan(value) or value <= reached + 1e-9


def test_of_equally_precise_decisions_the_fewest_are_chosen():
    scores, Y = np.array([[4.0], [3.0], [2.0], [1.0]]), np.array([[1], [1], [1], [0]])
    tuned = best_thresholds(scores, Y, maximize=precision)
    assert tuned.decide(scores).ravel().tolist() == [1, 0, 0, 0]
