"""Learners and missing labels: a label is learned from the samples that have it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score

from labelwise.decisions import CalibratedLabels, TunedThresholds, best_thresholds
from labelwise.learners import (
    BagPlugin,
    BinaryRelevance,
    CalibratedLabelRanking,
    ExactFPlugin,
    IndependentFPlugin,
    OkapiNeighbors,
    ReverseMultilabel,
    SubmodularMultilabel,
)
from labelwise.measures import scorer


def gappy_data(seed=0, n_samples=150, n_labels=4, share=0.25):
    """(X, Y) of which some labels are NaN, and all labels of the first two samples."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_samples, 5))
    margins = X @ random.normal(size=(5, n_labels)) + random.normal(size=(n_samples, n_labels))
    Y = (margins > 0.3).astype(float)
    Y[random.random(Y.shape) < share] = np.nan
    Y[:2] = np.nan
    return X, Y


X, Y = gappy_data()


@pytest.mark.parametrize(
    "model", [BinaryRelevance(penalty=0.1), BinaryRelevance(), BinaryRelevance(cv=KFold(3))]
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_regressions_are_those_of_the_samples_that_have_the_label(model, form):
    weights = np.random.default_rng(1).random(len(X))
    together = model.fit(form(X), Y, sample_weight=weights)
    coefficients, penalties = together.coef_.copy(), together.penalties_.copy()
    for j in range(Y.shape[1]):
        known = ~np.isnan(Y[:, j])
        if isinstance(model.cv, KFold):
            continue  # Its folds are of all samples.
        alone = BinaryRelevance(penalty=model.penalty).fit(
            form(X[known]), Y[known][:, [j]], sample_weight=weights[known]
        )
        assert penalties[j] == alone.penalties_[0]
        np.testing.assert_allclose(coefficients[j], alone.coef_[0], rtol=1e-5, atol=1e-8)


def test_labels_with_the_same_samples_are_fitted_together():
    same = np.where(np.isnan(Y[:, [0]]), np.nan, np.nan_to_num(Y))
    known = ~np.isnan(same[:, 0])
    found = BinaryRelevance(penalty=0.1).fit(X, same)
    expected = BinaryRelevance(penalty=0.1).fit(X[known], same[known])
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-7)


def test_classifiers_are_fitted_to_the_samples_that_have_the_label():
    weights = np.random.default_rng(1).random(len(X))
    together = BinaryRelevance(LogisticRegression()).fit(X, Y, sample_weight=weights)
    for j in range(Y.shape[1]):
        known = ~np.isnan(Y[:, j])
        alone = LogisticRegression().fit(X[known], Y[known, j], sample_weight=weights[known])
        np.testing.assert_array_equal(together.estimators_[j].coef_, alone.coef_)


def test_a_label_with_truth_for_few_samples_is_learned_with_fewer_folds():
    few = Y.copy()
    few[:, 1] = np.nan
    few[[5, 9, 12], 1] = [0, 1, 0]
    model = BinaryRelevance().fit(X, few)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(TunedThresholds(BinaryRelevance()).fit(X, few).value_)


@pytest.mark.filterwarnings("ignore:Y has one class only")
def test_a_label_without_truth_is_never_decided():
    without = Y.copy()
    without[:, 2] = np.nan
    for model in (BinaryRelevance(), TunedThresholds(BinaryRelevance()), IndependentFPlugin()):
        assert not model.fit(X, without).predict(X)[:, 2].any()


PAIRS = list(KFold(4, shuffle=True, random_state=0).split(X))


def known_only(j):
    """(X, y, pairs) of the samples that have a label."""
    known = ~np.isnan(Y[:, j])
    place = np.cumsum(known) - 1
    pairs = [tuple(place[part[known[part]]] for part in pair) for pair in PAIRS]
    return X[known], Y[known][:, [j]], pairs


@pytest.mark.parametrize(
    "base", [BinaryRelevance(penalty=0.1), BinaryRelevance(LogisticRegression())]
)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_of_one_label_leaves_samples_without_it_out(base, method):
    X_known, y_known, pairs = known_only(0)
    found = CalibratedLabels(base, method=method, cv=PAIRS).fit(X, Y[:, [0]])
    expected = CalibratedLabels(base, method=method, cv=pairs).fit(X_known, y_known)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=1e-7)


@pytest.mark.parametrize(
    "base", [BinaryRelevance(penalty=0.1), BinaryRelevance(), BinaryRelevance(LogisticRegression())]
)
@pytest.mark.parametrize("shrink", [0.0, "auto"])
def test_tuning_of_one_label_leaves_samples_without_it_out(base, shrink):
    X_known, y_known, pairs = known_only(1)
    found = TunedThresholds(base, cv=PAIRS, shrink=shrink, random_state=0).fit(X, Y[:, [1]])
    expected = TunedThresholds(base, cv=pairs, shrink=shrink, random_state=0).fit(X_known, y_known)
    np.testing.assert_allclose(found.thresholds_.values, expected.thresholds_.values, rtol=1e-5)
    np.testing.assert_allclose(found.value_, expected.value_)
    np.testing.assert_allclose(found.corrected_value_, expected.corrected_value_)
    assert found.thresholds_.evidence.n_samples == len(X_known)


def test_thresholds_of_a_fitted_model_are_those_of_its_scores():
    model = BinaryRelevance(penalty=0.1).fit(X, Y)
    tuned = TunedThresholds(FrozenEstimator(model), shrink=0.0).fit(X, Y)
    expected = best_thresholds(model.decision_function(X), Y)
    np.testing.assert_array_equal(tuned.thresholds_.values, expected.values)
    assert (
        tuned.thresholds_.evidence.n_missing == expected.evidence.n_missing == np.isnan(Y[2:]).sum()
    )
    assert "cells without truth not counted" in repr(tuned.thresholds_)
    np.testing.assert_array_equal(tuned.thresholds_.evidence.support, np.nansum(Y, axis=0))


def test_frames_with_gaps_are_learned_by_name_and_scored():
    frame = pd.DataFrame(Y, columns=["a", "b", "c", "d"])
    model = TunedThresholds(BinaryRelevance(penalty=0.1), random_state=0)
    assert model.fit(X, frame).label_names_ == ("a", "b", "c", "d")
    scoring = scorer("micro-f", undefined="skip")
    values = cross_val_score(model, X, frame, scoring=scoring, cv=KFold(3))
    assert (values > 0.5).all()


WHOLE_ROWS = (
    BagPlugin(),
    CalibratedLabelRanking(),
    ExactFPlugin(),
    OkapiNeighbors(),
    ReverseMultilabel(random_state=0),
    SubmodularMultilabel(random_state=0),
)


@pytest.mark.parametrize("learner", WHOLE_ROWS, ids=lambda learner: type(learner).__name__)
def test_learners_of_whole_rows_name_the_first_missing_label(learner):
    frame = pd.DataFrame(Y[2:], columns=["a", "b", "c", "d"])
    row, column = np.argwhere(np.isnan(Y[2:]))[0]
    kind = type(learner).__name__
    message = (
        f"y must have no missing labels for {kind}, which needs all labels of a sample, "
        f"got one at row {row}, label '{frame.columns[column]}'"
    )
    with pytest.raises(ValueError, match=message):
        learner.fit(np.abs(X[2:]), frame)


@pytest.mark.parametrize("wrapper", [TunedThresholds, CalibratedLabels, IndependentFPlugin])
def test_an_estimator_that_takes_no_missing_labels_is_named(wrapper):
    message = "y has missing labels, with which RandomForestClassifier cannot be fitted"
    with pytest.raises(ValueError, match=message):
        wrapper(RandomForestClassifier()).fit(X, Y)
    with pytest.raises(ValueError, match="penalty must be positive"):
        wrapper(BinaryRelevance(penalty=-1.0)).fit(X, Y)
