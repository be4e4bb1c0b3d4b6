"""Plug-ins decide for the highest expected F under the probabilities that they have learnt."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

from labelwise.data import make_multilabel
from labelwise.decisions import (
    make_consistent,
    maximize_expected_f,
    maximize_expected_f_independent,
)
from labelwise.learners import BinaryRelevance, ExactFPlugin, IndependentFPlugin
from labelwise.measures import scorer
from labelwise.splitting import MultilabelStratifiedKFold
from tests.oracles.size_classes import joint_by_loop

PLUGINS = [ExactFPlugin(penalty=0.01), IndependentFPlugin(BinaryRelevance(penalty=0.01))]


def some_data(n_samples=150, n_labels=4, seed=0):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


def theorem_2():
    """Ten samples with the label sets of dembczynski2013, Theorem 2, and a feature without use."""
    return np.zeros((10, 1)), np.array([[0, 0]] * 5 + [[0, 1]] * 2 + [[1, 1]] * 3)


def test_without_empty_sets_it_decides_as_before_where_something_is_decided():
    inner = BinaryRelevance(penalty=0.1)
    X, Y = some_data()
    Y[np.arange(150) % 3 > 0] = 0
    model = IndependentFPlugin(inner).fit(X, Y)
    free, free_value = model.predict(X), model.expected_f(X)
    never = model.set_params(allow_empty=False).predict(X)
    decides = free.any(axis=1)
    assert not decides.all()
    assert never.any(axis=1).all()
    np.testing.assert_array_equal(never[decides], free[decides])
    assert (model.expected_f(X)[~decides] < free_value[~decides]).all()


def test_theorem_2_is_decided_rightly_by_efp_alone():
    X, Y = theorem_2()
    exact = ExactFPlugin(cv=2).fit(X, Y)
    np.testing.assert_allclose(exact.predict_joint(X[:1])[0], [[[0, 0.3], [0.2, 0.3]]], atol=1e-4)
    assert exact.predict(X[:1]).tolist() == [[0, 0]]
    assert exact.expected_f(X[:1])[0] == pytest.approx(0.5, abs=1e-4)
    assert IndependentFPlugin().fit(X, Y).predict(X[:1]).tolist() == [[1, 1]]


@pytest.mark.parametrize("kind", ["plain", "one size", "label always on", "no empty set"])
def test_the_joint_is_that_of_a_loop_of_regressions(kind):
    X, Y = some_data()
    if kind == "one size":
        Y = np.eye(4, dtype=np.int64)[np.arange(len(X)) % 4]
    if kind == "label always on":
        Y[:, 1] = 1
    if kind == "no empty set":
        X, Y = X[Y.any(axis=1)], Y[Y.any(axis=1)]
    model = ExactFPlugin(penalty=0.01)
    if kind == "label always on":
        with pytest.warns(UserWarning, match="one class only for label 1"):
            model.fit(X, Y)
    else:
        model.fit(X, Y)
    joint, p_empty = joint_by_loop(X, Y, 0.01)
    found, found_empty = model.predict_joint(X)
    # Probabilities are known to the square root of the precision of the objective.
    np.testing.assert_allclose(found, joint, atol=1e-3)
    np.testing.assert_allclose(found_empty, p_empty, atol=1e-3)
    np.testing.assert_allclose(model.predict_proba(X), found.sum(axis=2))


def test_classes_seen_once_are_learnt_and_their_penalty_chosen():
    X, Y = some_data()
    Y[3] = 1  # the only sample with all labels
    model = ExactFPlugin(cv=3).fit(X, Y)
    joint, _ = model.predict_joint(X)
    assert joint.shape[2] == 4
    assert np.isfinite(model.coef_).all()
    np.testing.assert_allclose(joint[:, :, 3].mean(axis=0), 1 / len(X), rtol=0.05)
    assert np.isfinite(model.penalties_).all()


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: type(plugin).__name__)
def test_the_decision_is_best_under_the_learnt_joint_for_any_beta(plugin):
    X, Y = some_data()
    model = clone(plugin).fit(X, Y)
    joint, p_empty = model.predict_joint(X)
    for beta in (1.0, 2.0, 0.3):
        model.set_params(beta=beta)
        decided, value = maximize_expected_f(joint, p_empty, beta=beta)
        np.testing.assert_allclose(model.expected_f(X), value)
        assert model.predict(X).dtype == np.int64
        same = (model.predict(X) == decided).all(axis=1)
        assert same.mean() > 0.95  # the others have the same value, but for rounding


def test_lfp_decides_by_the_marginals_of_any_model():
    X, Y = some_data()
    for base in (
        ClassifierChain(LogisticRegression(), random_state=0),
        RandomForestClassifier(5, random_state=0),
    ):
        model = IndependentFPlugin(base).fit(X, Y)
        proba = model.predict_proba(X)
        assert proba.shape == Y.shape
        decided, value = maximize_expected_f_independent(proba)
        np.testing.assert_array_equal(model.predict(X), decided)
        np.testing.assert_array_equal(model.expected_f(X), value)
    joint, p_empty = model.predict_joint(X[:3])
    np.testing.assert_allclose(joint.sum(axis=2), proba[:3])
    for row, own, empty in zip(proba[:3], joint, p_empty, strict=True):
        of_all = maximize_expected_f(own[None], [empty])[1][0]
        assert of_all == pytest.approx(maximize_expected_f_independent(row[None])[1][0])


def test_lfp_refuses_a_model_without_probabilities():
    X, Y = some_data()
    with pytest.raises(TypeError, match="must have predict_proba, but BinaryRelevance has not"):
        IndependentFPlugin(BinaryRelevance(LinearSVC())).fit(X, Y)


def test_consistency_is_a_choice_that_can_be_changed():
    X, Y = some_data()
    model = ExactFPlugin(penalty=0.01).fit(X, Y)
    joint, p_empty = model.predict_joint(X)
    model.set_params(consistent=True)
    expected, expected_empty = make_consistent(joint, p_empty)
    found, found_empty = model.predict_joint(X)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(found_empty, expected_empty)
    np.testing.assert_array_equal(model.predict(X), maximize_expected_f(found, found_empty)[0])


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: type(plugin).__name__)
def test_weights_count_as_repetitions_in_plugins(plugin):
    X, Y = some_data()
    times = np.arange(len(X)) % 3
    weighted = clone(plugin).fit(X, Y, sample_weight=times)
    repeated = clone(plugin).fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("as_masks", [False, True])
def test_given_splits_number_all_samples_although_some_have_no_weight(as_masks):
    X, Y = some_data(60)
    weights = (np.arange(60) % 3 > 0).astype(float)
    rows = np.flatnonzero(weights)
    parts = [np.arange(60) < 30, np.arange(60) >= 30]
    of_rows = [part[rows] for part in parts]
    given = [(parts[0], parts[1]), (parts[1], parts[0])]
    kept = [(of_rows[0], of_rows[1]), (of_rows[1], of_rows[0])]
    if not as_masks:
        given = [tuple(map(np.flatnonzero, split)) for split in given]
    weighted = ExactFPlugin(cv=given, penalty=[0.01, 1.0]).fit(X, Y, sample_weight=weights)
    removed = ExactFPlugin(cv=kept, penalty=[0.01, 1.0]).fit(X[rows], Y[rows])
    np.testing.assert_array_equal(weighted.penalties_, removed.penalties_)
    np.testing.assert_allclose(weighted.predict_proba(X), removed.predict_proba(X), atol=1e-6)


def test_weights_are_routed_through_lfp():
    X, Y = some_data()
    weights = np.arange(len(X)) + 0.5
    base = RandomForestClassifier(3, random_state=0)
    expected = IndependentFPlugin(base).fit(X, Y, sample_weight=weights).predict_proba(X)
    with config_context(enable_metadata_routing=True):
        asks = clone(base).set_fit_request(sample_weight=True)
        model = IndependentFPlugin(asks).fit(X, Y, sample_weight=weights)
        np.testing.assert_array_equal(model.predict_proba(X), expected)


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: type(plugin).__name__)
def test_plugins_take_any_form_and_keep_names(plugin):
    X, Y = some_data()
    expected = clone(plugin).fit(X, Y).predict_proba(X)
    frame = pd.DataFrame(Y, columns=["a", "b", "c", "d"])
    for rows, labels in ((X, frame), (X, sparse.csr_array(Y)), (sparse.csr_array(X), Y)):
        model = clone(plugin).fit(rows, labels)
        np.testing.assert_allclose(model.predict_proba(rows), expected, atol=1e-10)
        assert model.label_names_ == (("a", "b", "c", "d") if labels is frame else None)


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: type(plugin).__name__)
def test_labels_of_one_class_are_constants_in_plugins(plugin):
    X, Y = some_data()
    Y[:, 0], Y[:, 2] = 0, 1
    model = clone(plugin)
    with pytest.warns(UserWarning, match="one class only for label 0, 2") as caught:
        model.fit(X, Y)
    assert len(caught) == 1
    decided = model.predict(X)
    assert (decided[:, 0] == 0).all()
    assert (decided[:, 2] == 1).all()
    np.testing.assert_allclose(model.predict_proba(X)[:, [0, 2]], [[0, 1]] * len(X))
    with pytest.warns(UserWarning, match="one class only"):
        model.fit(X, np.zeros_like(Y))
    assert not model.predict(X).any()


def test_efp_does_not_depend_on_the_number_of_jobs():
    X, Y = some_data(n_labels=12)
    one, two = (ExactFPlugin(cv=2, n_jobs=k, penalty=[1.0, 0.01]).fit(X, Y) for k in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_a_grid_search_chooses_beta():
    X, Y = some_data()
    search = GridSearchCV(
        ExactFPlugin(penalty=0.1),
        {"beta": [0.2, 1.0]},
        scoring=scorer("sample-f"),
        cv=MultilabelStratifiedKFold(3),
    )
    assert search.fit(X, Y).best_params_ == {"beta": 1.0}


def test_efp_nears_the_best_decision_and_lfp_does_not():
    # Two hidden groups with three labels and one: regressions can be right about that.
    hidden = {"n_groups": 2, "noise": 0.0, "cardinality": 2.0, "separation": 1.0}
    gaps = {}
    for n_samples in (100, 10_000):
        data, posterior = make_multilabel(n_samples + 1000, 10, 4, random_state=0, **hidden)
        assert sorted(posterior.rates.sum(axis=1)) == [1, 3]
        unseen = np.arange(n_samples, n_samples + 1000)
        truth = posterior.take(unseen)
        best = maximize_expected_f(truth.joint, truth.p_empty)[1].mean()
        for plugin in PLUGINS:
            model = clone(plugin).fit(data.X[:n_samples], data.Y[:n_samples])
            reached = value_of(truth.joint, truth.p_empty, model.predict(data.X[unseen])).mean()
            gaps[type(model).__name__, n_samples] = best - reached
    assert gaps["ExactFPlugin", 100] > 0.01
    assert gaps["ExactFPlugin", 10_000] < 0.001
    assert gaps["IndependentFPlugin", 10_000] > 0.01


def value_of(joint, p_empty, decided):
    """The expected F of given decisions."""
    n_decided = decided.sum(axis=1, keepdims=True)
    weights = 2 / (np.arange(1, joint.shape[2] + 1) + n_decided)
    hits = np.einsum("ijs,ij->is", joint, decided)
    return np.where(n_decided[:, 0] == 0, p_empty, (hits * weights).sum(axis=1))


def test_progress_of_regressions_is_written_on_request(capsys):
    X, Y = some_data()
    ExactFPlugin(penalty=0.1, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.startswith("ExactFPlugin: regressions, part 1 of")


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: type(plugin).__name__)
def test_bad_beta_is_refused_by_name(plugin):
    X, Y = some_data()
    with pytest.raises(ValueError, match="beta"):
        clone(plugin).set_params(beta=0.0).fit(X, Y).predict(X)
