"""Held-out scores are those of models that were fitted to other samples."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from labelwise._estimators import (
    fit_scorer,
    held_out_scores,
)
from labelwise.splitting import MultilabelStratifiedKFold
from tests.estimators.problems import FixedHead, frozen, rare_and_common, some_data


def test_held_out_scores_are_those_of_models_fitted_to_the_other_folds():
    X, Y = some_data()
    estimator = OneVsRestClassifier(LogisticRegression())
    held_out = held_out_scores(estimator, X, Y, cv=4)
    np.testing.assert_array_equal(np.sort(held_out.rows), np.arange(len(X)))
    assert np.unique(held_out.folds).tolist() == [0, 1, 2, 3]
    for fold in range(4):
        test = held_out.rows[held_out.folds == fold]
        train = np.setdiff1d(np.arange(len(X)), test)
        model = OneVsRestClassifier(LogisticRegression()).fit(X[train], Y[train])
        expected = model.decision_function(X[test])
        np.testing.assert_allclose(held_out.scores[held_out.folds == fold], expected)


def test_scores_of_a_model_that_learns_by_heart_are_not_of_seen_samples():
    X = np.random.default_rng(0).random((80, 2))
    Y = np.random.default_rng(1).integers(0, 2, (80, 2))
    held_out = held_out_scores(KNeighborsClassifier(1), X, Y)
    hits = (held_out.scores > 0.5) == Y[held_out.rows]
    assert hits.mean() < 0.7  # by heart it would be 1


@pytest.mark.parametrize(
    "make",
    [np.asarray, sparse.csr_array, sparse.coo_array, pd.DataFrame, np.ndarray.tolist],
    ids=["array", "csr", "coo", "frame", "list"],
)
def test_rows_are_cut_from_whatever_holds_them(make):
    X, Y = some_data()
    expected = held_out_scores(KNeighborsClassifier(), X, Y, cv=3)
    held_out = held_out_scores(KNeighborsClassifier(), make(X), Y, cv=3)
    np.testing.assert_allclose(held_out.scores, expected.scores)


def test_folds_may_come_from_a_splitter_with_groups_or_as_pairs_of_rows():
    X, Y = some_data()
    groups = np.arange(len(X)) // 10
    held_out = held_out_scores(KNeighborsClassifier(), X, Y, GroupKFold(3), groups=groups)
    for group in np.unique(groups):
        assert (
            np.unique(held_out.folds[np.isin(held_out.rows, np.flatnonzero(groups == group))]).size
            == 1
        )
    pairs = list(ShuffleSplit(1, test_size=0.25, random_state=0).split(X))
    held_out = held_out_scores(KNeighborsClassifier(), X, Y, iter(pairs))
    np.testing.assert_array_equal(held_out.rows, pairs[0][1])
    assert held_out.scores.shape == (30, 3)


def test_the_number_of_jobs_changes_nothing():
    X, Y = some_data()
    estimator = RandomForestClassifier(5, random_state=0)
    with parallel_config(backend="threading"):
        one, two = (held_out_scores(estimator, X, Y, cv=3, n_jobs=n) for n in (None, 2))
    np.testing.assert_array_equal(one.scores, two.scores)


@pytest.mark.parametrize("cv", ["five", None, 2.5, True])
def test_other_kinds_of_cv_are_refused(cv):
    with pytest.raises(TypeError, match="cv must be a number of folds, a splitter or pairs"):
        held_out_scores(KNeighborsClassifier(), *some_data(), cv=cv)


class Weighted(BaseEstimator):
    """Scores each sample by the sum of the weights it was fitted with."""

    def fit(self, X, Y, sample_weight=None, note=None):  # noqa: ARG002
        self.total_ = np.sum(sample_weight)
        assert len(sample_weight) == len(X)
        assert note == "kept"
        return self

    def decision_function(self, X):
        return np.full((len(X), 3), self.total_)


def test_parameters_of_fit_are_cut_to_the_rows_of_the_fold():
    X, Y = some_data()
    weight = np.arange(len(X), dtype=float)
    params = {"sample_weight": weight, "note": "kept"}
    held_out = held_out_scores(Weighted(), X, Y, cv=3, fit_params=params)
    for fold in range(3):
        inside = held_out.folds == fold
        expected = weight.sum() - weight[held_out.rows[inside]].sum()
        np.testing.assert_allclose(held_out.scores[inside], expected)


def test_a_label_with_one_class_in_a_fold_is_scored_as_surely_as_can_be():
    X, Y = rare_and_common()
    held_out = held_out_scores(OneVsRestClassifier(LinearSVC()), X, Y, cv=3)
    scores = held_out.scores[np.argsort(held_out.rows)]
    assert np.isfinite(scores).all()
    assert scores[0, 0] == scores[:, 0].min()
    assert scores[0, 1] == scores[:, 1].max()


def test_a_label_with_one_class_in_a_fold_has_probability_zero_or_one():
    X, Y = rare_and_common()
    # Given the constant label, logistic regression would raise.
    held_out = held_out_scores(MultiOutputClassifier(LogisticRegression()), X, Y, cv=3)
    scores = held_out.scores[np.argsort(held_out.rows)]
    assert (scores[0, 0], scores[0, 1]) == (0, 1)
    assert ((scores[:, 2] > 0) & (scores[:, 2] < 1)).all()


def test_nothing_is_fitted_where_no_label_has_two_classes():
    X = np.zeros((4, 1))
    scorer = fit_scorer(LogisticRegression(), X, np.array([[0, 1]] * 4))
    assert scorer.estimator is None
    assert scorer.constants.tolist() == [0, 1]
    assert np.isnan(scorer.scores(X, "predict_proba")).all()
    pairs = [(np.arange(2), np.arange(2, 4))]
    held_out = held_out_scores(LinearSVC(), X, np.array([[0, 1], [0, 1], [1, 1], [1, 1]]), pairs)
    assert held_out.scores.tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("labels", [[0, 1, 2], [0, 2], [2, 1]])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_held_out_scores_of_a_frozen_estimator_are_its_scores(method, labels):
    X, Y = rare_and_common()
    Y = Y[:, labels]
    model = frozen(X, Y)
    held_out = held_out_scores(model, X, Y, cv=3, method=method)
    np.testing.assert_array_equal(held_out.scores, getattr(model, method)(X)[held_out.rows])


def test_an_estimator_that_takes_all_labels_or_none_is_fitted_to_all():
    X, Y = rare_and_common()
    held_out = held_out_scores(FixedHead(), X, Y, cv=3)
    for train, test in MultilabelStratifiedKFold(3).split(X, Y):
        expected = FixedHead().fit(X[train], Y[train]).predict_proba(X[test])
        np.testing.assert_array_equal(held_out.scores[np.isin(held_out.rows, test)], expected)
