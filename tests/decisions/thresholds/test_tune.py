"""The corrected value counts decisions by thresholds that were not tuned on the row."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold, RepeatedKFold

from labelwise._estimators import held_out_scores
from labelwise.decisions import TunedThresholds, best_thresholds
from labelwise.measures import count, f_measure, jaccard, macro, micro, precision
from labelwise.splitting import assign
from tests.decisions.columns import Columns, numbered
from tests.decisions.problems import problems
from tests.oracles.maximized import maximized
from tests.spoken import spoken


def value_of(options, Y, decided):
    """The value that the options ask for."""
    if "cost" in options:
        counts = count(Y, decided)
        return (options["cost"][0] * counts.fp + options["cost"][1] * counts.fn).sum()
    average, measure = maximized(options)
    if average == "sample":
        return macro(measure, count(Y, decided, by="sample"))
    return (macro if average == "macro" else micro)(measure, count(Y, decided))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"maximize": "macro-f"},
        {"maximize": "sample-f"},
        {"maximize": jaccard},
        {"cost": (1.0, np.array([1.0, 3.0]))},
    ],
    ids=spoken,
)
@pytest.mark.parametrize("cv", [KFold(4), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_corrected_value_is_of_decisions_by_thresholds_that_have_not_seen_the_row(cv, options):
    X, Y = numbered()
    model = TunedThresholds(Columns(), cv=cv, shrink=0, **options).fit(X, Y)
    truth, decided = [], []
    for _, test in cv.split(X):
        # Of the scores of all folds, those of other rows; with repeats each comes several times.
        others = np.concatenate([np.setdiff1d(part, test) for _, part in cv.split(X)])
        tuned = best_thresholds(X[others, :2], Y[others], **options)
        truth.append(Y[test])
        decided.append(tuned.decide(X[test, :2]))
    expected = value_of(options, np.concatenate(truth), np.concatenate(decided))
    assert model.corrected_value_ == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(problem=problems(most_samples=8), average=st.sampled_from(["micro", "macro"]))
def test_values_are_those_of_all_scores_and_of_unseen_rows_whatever_the_ties(problem, average):
    X, Y = problem[0], problem[1].astype(np.int64)
    assume(len(Y) >= 3 and (np.ptp(Y, axis=0) == 1).all())
    cv = KFold(3)
    scores = held_out_scores(Columns(), X, Y, cv).scores  # a fold may know one class only
    model = TunedThresholds(Columns(), cv=cv, maximize=f"{average}-f", shrink=0).fit(X, Y)
    tuned = best_thresholds(scores, Y, maximize=f"{average}-f")
    np.testing.assert_array_equal(model.thresholds_.values, tuned.values)
    assert model.value_ == tuned.value
    np.testing.assert_array_equal(model.predict(X), tuned.decide(X))
    decided = np.empty_like(Y)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has no positives")
        for others, test in cv.split(Y):
            found = best_thresholds(scores[others], Y[others], maximize=f"{average}-f")
            decided[test] = found.decide(scores[test])
    expected = value_of({"maximize": f"{average}-f"}, Y, decided)
    assert model.corrected_value_ == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
def test_a_limit_on_all_decisions_is_shared_out_among_folds():
    X, Y = numbered()
    total = TunedThresholds(Columns(), max_decisions=10).fit(X, Y)
    mean = TunedThresholds(Columns(), max_decisions=10 / 40).fit(X, Y)
    assert total.thresholds_.evidence.decided.sum() <= 10
    assert total.corrected_value_ == mean.corrected_value_
    assert total.value_ == mean.value_


def test_corrected_value_of_noise_is_lower_than_the_tuned_one():
    random = np.random.default_rng(0)
    X, Y = random.random((60, 20)), random.integers(0, 2, (60, 20))
    model = TunedThresholds(Columns(), average="macro", maximize=jaccard, shrink=0).fit(X, Y)
    assert model.corrected_value_ < model.value_ - 0.02


def test_correction_fits_no_model():
    X, Y = numbered()
    seen = []
    TunedThresholds(Columns(seen), cv=4, shrink=0).fit(X, Y)
    assert len(seen) == 4 + 1
    np.testing.assert_array_equal(seen[-1][0], np.arange(40))


def test_correction_that_no_other_fold_can_serve_is_nan():
    X, Y = numbered()
    rows = np.arange(40)
    everybody_twice = [(rows, rows), (rows, rows)]
    with pytest.warns(UserWarning, match="their scores are not held out"):
        model = TunedThresholds(Columns(), cv=everybody_twice, shrink=0).fit(X, Y)
    assert np.isnan(model.corrected_value_)
    assert model.value_ > 0
    one_row = TunedThresholds(FrozenEstimator(clone(Columns()).fit(X, Y)), shrink=0)
    assert np.isnan(one_row.fit(X[:1], [[1, 1]]).corrected_value_)


def test_correction_that_constraints_forbid_is_nan():
    # Only the two best rows of all are right; without one of them no cut is precise.
    X = np.column_stack([[4.0, 3, 2, 1], np.arange(4)])
    Y = np.array([[1], [0], [0], [1]])
    folds = [([1, 2, 3], [0]), ([0, 2, 3], [1]), ([0, 1, 3], [2]), ([0, 1, 2], [3])]
    model = TunedThresholds(Columns(), cv=folds, min_precision=0.9).fit(X, Y)
    assert model.value_ == pytest.approx(2 / 3)
    assert np.isnan(model.corrected_value_)


def test_labels_whose_positives_are_all_in_one_fold_are_corrected_without_a_word():
    X, Y = numbered()
    Y[:, 1] = 0
    Y[3, 1] = 1
    model = TunedThresholds(Columns(), cv=KFold(4), shrink=0).fit(X, Y)
    assert 0 < model.corrected_value_ <= model.value_


def test_a_group_is_not_measured_by_thresholds_that_saw_it():
    X, Y = numbered(20)
    base = clone(Columns()).fit(X, Y)
    model = TunedThresholds(FrozenEstimator(base), shrink=0)
    groups = np.repeat([0, 1], 10)
    expected = [best_thresholds(X[part, :2], Y[part]) for part in (slice(10, 20), slice(0, 10))]
    decided = np.concatenate([expected[0].decide(X[:10, :2]), expected[1].decide(X[10:, :2])])
    model.fit(X, Y, groups=groups)
    assert model.corrected_value_ == pytest.approx(micro(f_measure, count(Y, decided)))
    assert np.isnan(model.fit(X, Y, groups=[0] * 20).corrected_value_)


def test_scores_of_one_split_are_corrected_on_random_folds():
    X, Y = numbered()
    base = clone(Columns()).fit(X, Y)
    model = TunedThresholds(FrozenEstimator(base), shrink=0).fit(X, Y)
    fold = assign(Y, 5, method="random", random_state=0)
    decided = np.empty_like(Y)
    for k in range(5):
        tuned = best_thresholds(X[fold != k, :2], Y[fold != k])
        decided[fold == k] = tuned.decide(X[fold == k, :2])
    assert model.corrected_value_ == pytest.approx(micro(f_measure, count(Y, decided)))


def test_samples_without_a_value_are_left_out_of_the_corrected_mean():
    X, Y = numbered()
    model = TunedThresholds(Columns(), maximize=precision, average="macro", shrink=0).fit(X, Y)
    assert 0 <= model.corrected_value_ <= 1
