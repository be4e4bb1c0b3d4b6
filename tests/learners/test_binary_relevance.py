"""Binary relevance is a loop over labels, whatever the classifier."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from labelwise import load, save
from labelwise.data import make_corpus, make_multilabel
from labelwise.learners import BinaryRelevance
from labelwise.measures import scorer
from labelwise.splitting import MultilabelStratifiedKFold

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def some_data(n_samples=120, n_labels=3, seed=0):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


@pytest.mark.parametrize("n_labels", [1, 3])
@pytest.mark.parametrize(
    "base",
    [TREE, LinearSVC(), Perceptron(), make_pipeline(StandardScaler(), LogisticRegression())],
    ids=lambda base: type(base).__name__,
)
def test_each_label_has_the_classifier_fitted_to_it_alone(base, n_labels):
    X, Y = some_data(n_labels=n_labels)
    model = BinaryRelevance(base).fit(X, Y)
    alone = [clone(base).fit(X, column) for column in Y.T]
    decided = model.predict(X)
    assert decided.dtype == np.int64
    np.testing.assert_array_equal(decided, np.column_stack([one.predict(X) for one in alone]))
    if hasattr(base, "predict_proba"):
        expected = np.column_stack([one.predict_proba(X)[:, 1] for one in alone])
        np.testing.assert_array_equal(model.predict_proba(X), expected)
    if hasattr(base, "decision_function"):
        expected = np.column_stack([one.decision_function(X) for one in alone])
        np.testing.assert_array_equal(model.decision_function(X), expected)


def test_scores_are_there_if_the_classifier_has_them():
    assert not hasattr(BinaryRelevance(LinearSVC()), "predict_proba")
    assert not hasattr(BinaryRelevance(TREE), "decision_function")


def test_labels_with_one_class_become_constants_with_one_warning():
    X, Y = some_data(n_labels=4)
    frame = pd.DataFrame(Y, columns=["a", "b", "c", "d"])
    frame["b"], frame["d"] = 0, 1
    model = BinaryRelevance(LogisticRegression())
    with pytest.warns(UserWarning, match="one class only for label 'b', 'd'") as caught:
        model.fit(X, frame)
    assert len(caught) == 1
    without = BinaryRelevance(LogisticRegression()).fit(X, Y[:, [0, 2]])
    np.testing.assert_array_equal(model.predict(X)[:, [0, 2]], without.predict(X))
    assert model.predict(X)[0, [1, 3]].tolist() == [0, 1]
    assert model.predict_proba(X)[0, [1, 3]].tolist() == [0, 1]
    assert model.decision_function(X)[0, [1, 3]].tolist() == [-1, 1]
    assert model.label_names_ == ("a", "b", "c", "d")
    np.testing.assert_array_equal(model.constants_, [np.nan, 0, np.nan, 1])


def test_constants_alone_need_no_classifier():
    with pytest.warns(UserWarning, match="one class only for label 0, 1"):
        model = BinaryRelevance(TREE).fit(np.zeros((5, 2)), [[0, 1]] * 5)
    assert model.predict(np.zeros((2, 2))).tolist() == [[0, 1]] * 2
    assert model.estimators_ == []


def test_labels_may_come_in_any_form():
    X, Y = some_data()
    expected = BinaryRelevance(TREE).fit(X, Y)
    assert expected.label_names_ is None
    sets = [{"abc"[j] for j in np.flatnonzero(row)} for row in Y]
    for labels in (sparse.csr_array(Y), Y.astype(bool), Y.tolist(), sets):
        model = BinaryRelevance(TREE).fit(X, labels)
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.label_names_ == ("a", "b", "c")


def test_features_may_be_frames_or_sparse():
    X, Y = some_data()
    frame = pd.DataFrame(X).add_prefix("x")
    model = BinaryRelevance(TREE).fit(frame, Y)
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == [f"x{k}" for k in range(5)]
    dense, thin = (BinaryRelevance(TREE).fit(rows, Y) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))


def test_weights_count_as_repetitions():
    X, Y = some_data()
    times = np.arange(120) % 3
    weighted = BinaryRelevance(TREE).fit(X, Y, sample_weight=times)
    repeated = BinaryRelevance(TREE).fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_weights_are_routed_as_requested():
    X, Y = some_data()
    weights = np.arange(120) + 0.5
    expected = BinaryRelevance(TREE).fit(X, Y, sample_weight=weights).predict_proba(X)
    with config_context(enable_metadata_routing=True):
        asks = clone(TREE).set_fit_request(sample_weight=True)
        model = BinaryRelevance(asks).fit(X, Y, sample_weight=weights)
        np.testing.assert_array_equal(model.predict_proba(X), expected)
        with pytest.raises(ValueError, match="sample_weight"):
            BinaryRelevance(TREE).fit(X, Y, sample_weight=weights)
        BinaryRelevance(TREE).fit(X, Y)


def test_the_number_of_jobs_changes_nothing():
    X, Y = some_data()
    base = RandomForestClassifier(5, random_state=0)
    with parallel_config("threading"):
        one, two = (BinaryRelevance(base, n_jobs=k).fit(X, Y) for k in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_a_grid_search_sets_the_parameters_of_the_classifier():
    X, Y = some_data()
    search = GridSearchCV(
        BinaryRelevance(TREE),
        {"estimator__max_depth": [1, 4]},
        scoring=scorer("micro-f"),
        cv=MultilabelStratifiedKFold(3),
    )
    assert search.fit(X, Y).best_params_ == {"estimator__max_depth": 4}


def test_progress_is_written_on_request(capsys):
    X, Y = some_data()
    BinaryRelevance(TREE, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.splitlines()[-1] == "BinaryRelevance: label 3 of 3"
    BinaryRelevance(TREE).fit(X, Y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("base", "Y", "error", "message"),
    [
        (LinearRegression(), [[0], [1]], TypeError, "estimator must be a classifier, got Linear"),
        (BaseEstimator(), [[0], [1]], TypeError, "estimator must be a classifier"),
        (TREE, [[0], [2]], ValueError, "Y must contain only 0 and 1, got 2 at row 1, label 0"),
        (TREE, [[0]], ValueError, "inconsistent numbers of samples"),
        (TREE, np.zeros((2, 0)), ValueError, "Y must have a row and a label"),
    ],
)
def test_bad_input_is_refused_by_name(base, Y, error, message):
    with pytest.raises(error, match=message):
        BinaryRelevance(base).fit(np.zeros((2, 3)), Y)


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_fold_scores_are_those_of_models_of_the_other_folds(is_sparse):
    X, Y = some_data(seed=1)
    X = sparse.csr_array(np.where(np.abs(X) > 1.5, X, 0)) if is_sparse else X
    splits = list(MultilabelStratifiedKFold(4).split(X, Y))
    learner = BinaryRelevance(penalty=[1e-3, 1e-2, 1e-1, 1.0])
    scores = learner.fit_scoring_folds(X, Y, splits)
    expected = BinaryRelevance(penalty=learner.penalty, cv=splits).fit(X, Y)
    np.testing.assert_array_equal(learner.coef_, expected.coef_)
    np.testing.assert_array_equal(learner.penalties_, expected.penalties_)
    slow = np.vstack(
        [
            np.column_stack(
                [
                    BinaryRelevance(penalty=learner.penalties_[j])
                    .fit(X[train], Y[train][:, [j]])
                    .decision_function(X[test])
                    for j in range(3)
                ]
            )
            for train, test in splits
        ]
    )
    # Penalties are compared at a tolerance of 1e-5 of the loss.
    np.testing.assert_allclose(scores, slow, atol=0.05)
    assert np.corrcoef(scores.ravel(), slow.ravel())[0, 1] > 0.9999


def test_fold_scores_are_offered_where_penalties_are_chosen():
    assert hasattr(BinaryRelevance(), "fit_scoring_folds")
    assert not hasattr(BinaryRelevance(penalty=1.0), "fit_scoring_folds")
    assert not hasattr(BinaryRelevance(LogisticRegression()), "fit_scoring_folds")


@pytest.mark.parametrize("settings", [{"rescale": True}, {"loss": "squared_hinge"}], ids=str)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_standardized_models_are_those_of_scaled_features(settings, is_sparse):
    X, Y = some_data(seed=2)
    X = X * np.array([1e-3, 1.0, 50.0, 0.2, 1e3])
    X[:, 1] = 3.0
    X = (
        sparse.csr_array(np.where(np.abs(X) > np.median(np.abs(X), axis=0), X, 0))
        if is_sparse
        else X
    )
    model = BinaryRelevance(standardize=True, **settings).fit(X, Y)
    scaled = make_pipeline(StandardScaler(with_mean=False), BinaryRelevance(**settings)).fit(X, Y)
    np.testing.assert_array_equal(model.penalties_, scaled[-1].penalties_)
    # Coefficients are divided instead of features, which rounds differently.
    np.testing.assert_allclose(
        model.decision_function(X), scaled.decision_function(X), rtol=0, atol=1e-12
    )


def test_standardize_is_true_or_false():
    with pytest.raises(TypeError, match="standardize must be True or False, got 'yes'"):
        BinaryRelevance(standardize="yes").fit(*some_data())


def test_compact_models_are_saved_in_fewer_bytes_and_decide_alike(tmp_path):
    corpus = make_corpus(300, 400, 6, random_state=0)
    X, Y = corpus.X.astype(np.float64), corpus.Y.toarray().astype(np.int64)
    models = [
        BinaryRelevance(loss="squared_hinge", share_penalty=True, compact=one).fit(X, Y)
        for one in (False, True)
    ]
    whole, compact = (model.coef_ for model in models)
    largest = np.abs(whole).max(axis=1, keepdims=True)
    kept = compact != 0
    np.testing.assert_array_equal(kept, np.abs(whole) >= 0.003 * largest)
    np.testing.assert_allclose(compact[kept], whole[kept], rtol=2.0**-12)
    files = [tmp_path / "whole.skops", tmp_path / "compact.skops"]
    for model, file in zip(models, files, strict=True):
        save(model, file)
    assert files[1].stat().st_size < 0.7 * files[0].stat().st_size
    np.testing.assert_array_equal(
        load(files[1]).decision_function(X), models[1].decision_function(X)
    )


def test_a_label_without_coefficients_stays_so_if_compact():
    X, Y = np.zeros((20, 3)), np.tile([[0], [1]], (10, 1))
    model = BinaryRelevance(penalty=1.0, compact=True).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, 0)


@pytest.mark.parametrize("name", ["share_penalty", "compact"])
def test_switches_are_true_or_false(name):
    X, Y = some_data()
    with pytest.raises(TypeError, match=f"{name} must be True or False, got 'yes'"):
        BinaryRelevance(**{name: "yes"}).fit(X, Y)
