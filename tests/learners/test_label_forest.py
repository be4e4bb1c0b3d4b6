"""`LabelForest` has the scores of scikit-learn's forests, and tunes without cross-validation."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from labelwise.data import make_multilabel
from labelwise.decisions import TunedThresholds, best_thresholds
from labelwise.learners import BinaryRelevance, LabelForest

FEW = RandomForestClassifier(15, random_state=3)


def some_data(n_samples=150, n_labels=4, seed=0):
    data, _ = make_multilabel(n_samples, n_features=6, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_joint_forest_is_that_of_scikit_learn(form):
    X, Y = some_data()
    model = LabelForest(FEW).fit(form(X), Y)
    expected = np.column_stack([one[:, 1] for one in FEW.fit(X, Y).predict_proba(X)])
    np.testing.assert_array_equal(model.predict_proba(form(X)), expected)
    np.testing.assert_array_equal(model.predict(form(X)), expected > 0.5)


@pytest.mark.parametrize("base", [FEW, ExtraTreesClassifier(5, random_state=1)])
def test_forests_of_labels_are_those_of_binary_relevance(base):
    X, Y = some_data()
    model = LabelForest(base, joint=False).fit(X, Y)
    expected = BinaryRelevance(base).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


@pytest.mark.parametrize("joint", [True, False])
def test_out_of_bag_scores_are_those_of_scikit_learn(joint):
    X, Y = some_data()
    scores = LabelForest(FEW, joint=joint).fit_scoring_oob(X, Y)
    forest = RandomForestClassifier(15, random_state=3, oob_score=True)
    if joint:
        expected = forest.fit(X, Y).oob_decision_function_[:, 1]
    else:
        fitted = [forest.fit(X, y).oob_decision_function_[:, 1] for y in Y.T]
        expected = np.column_stack(fitted)
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@pytest.mark.parametrize("joint", [True, False])
def test_thresholds_are_tuned_on_out_of_bag_scores(joint):
    X, Y = some_data()
    forest = LabelForest(FEW, joint=joint)
    model = TunedThresholds(forest, cv="oob", shrink=0.0, random_state=0).fit(X, Y)
    scores = forest.fit_scoring_oob(X, Y)
    known = ~np.isnan(scores).any(axis=1)
    expected = best_thresholds(scores[known], Y[known], shrink=0.0)
    np.testing.assert_array_equal(model.thresholds_.values, expected.values)
    assert model.value_ == expected.value
    assert model.corrected_value_ <= model.value_
    np.testing.assert_array_equal(model.predict_proba(X), forest.fit(X, Y).predict_proba(X))


def test_samples_that_all_trees_have_seen_are_left_out_of_the_tuning():
    X, Y = some_data()
    few = LabelForest(RandomForestClassifier(2, random_state=0))
    assert np.isnan(few.fit_scoring_oob(X, Y)).any()
    assert np.isfinite(TunedThresholds(few, cv="oob").fit(X, Y).value_)


def test_tuning_without_cross_validation_is_refused_where_it_cannot_be_honest():
    X, Y = some_data()
    with pytest.raises(TypeError, match='cv="oob" needs an estimator with fit_scoring_oob'):
        TunedThresholds(BinaryRelevance(), cv="oob").fit(X, Y)
    with pytest.raises(ValueError, match="does not keep groups together"):
        TunedThresholds(LabelForest(FEW), cv="oob").fit(X, Y, groups=np.arange(150) // 2)
    with pytest.raises(ValueError, match="need an estimator with bootstrap=True"):
        TunedThresholds(LabelForest(ExtraTreesClassifier(2)), cv="oob").fit(X, Y)


@pytest.mark.parametrize("joint", [True, False])
def test_labels_with_one_class_become_constants(joint):
    X, Y = some_data()
    Y[:, 1], Y[:, 3] = 0, 1
    with pytest.warns(UserWarning, match="one class only for label 1, 3"):
        model = LabelForest(FEW, joint=joint).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X)[:, [1, 3]], [[0, 1]] * 150)
    with pytest.warns(UserWarning, match="one class only for label 1, 3"):
        tuned = TunedThresholds(LabelForest(FEW, joint=joint), cv="oob").fit(X, Y)
    np.testing.assert_array_equal(tuned.predict(X)[:, [1, 3]], [[0, 1]] * 150)


@pytest.mark.parametrize("joint", [True, False])
def test_constants_alone_need_no_trees(joint):
    X, Y = np.zeros((5, 2)), [[0, 1]] * 5
    with pytest.warns(UserWarning, match="one class only"):
        assert LabelForest(joint=joint).fit(X, Y).predict(X).tolist() == Y
    with pytest.warns(UserWarning, match="one class only"):
        assert (
            TunedThresholds(LabelForest(joint=joint), cv="oob").fit(X, Y).predict(X).tolist() == Y
        )


@pytest.mark.parametrize("joint", [True, False])
def test_same_seed_same_forests_for_any_number_of_jobs(joint):
    X, Y = some_data()
    base = RandomForestClassifier(4)
    one, two = (LabelForest(base, joint=joint, n_jobs=k, random_state=0).fit(X, Y) for k in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_weights_reach_the_trees():
    X, Y = some_data()
    weights = np.arange(150) % 3
    model = LabelForest(FEW).fit(X, Y, sample_weight=weights)
    expected = FEW.fit(X, Y, sample_weight=weights).predict_proba(X)
    np.testing.assert_array_equal(
        model.predict_proba(X), np.column_stack([one[:, 1] for one in expected])
    )


def test_missing_features_go_where_the_trees_send_them():
    X, Y = some_data()
    X[::5, 0] = np.nan
    model = LabelForest(FEW).fit(X, Y)
    expected = np.column_stack([one[:, 1] for one in FEW.fit(X, Y).predict_proba(X)])
    np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_other_classifiers_are_refused():
    X, Y = some_data()
    with pytest.raises(TypeError, match="estimator must be a RandomForestClassifier or an Extra"):
        LabelForest(LogisticRegression()).fit(X, Y)


def test_progress_is_written_on_request(capsys):
    X, Y = some_data()
    LabelForest(FEW, joint=False, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.splitlines()[-1] == "LabelForest: label 4 of 4"


def test_forests_of_single_labels_learn_from_the_samples_that_have_the_label():
    X, Y = some_data()
    gaps = Y.astype(float)
    gaps[::3, 0] = np.nan
    has = ~np.isnan(gaps[:, 0])
    base = RandomForestClassifier(5, random_state=0)
    model = LabelForest(base, joint=False)
    found = clone(model).fit(X, gaps).predict_proba(X)[:, 0]
    alone = clone(base).fit(X[has], Y[has, 0]).predict_proba(X)[:, 1]
    np.testing.assert_allclose(found, alone)
    scores = clone(model).fit_scoring_oob(X, gaps)
    # All trees are of other samples where the label is missing.
    np.testing.assert_allclose(scores[~has, 0], alone[~has])
    with pytest.raises(ValueError, match="missing"):
        LabelForest(base).fit(X, gaps)
    weights = np.arange(len(Y)) % 4 + 1.0
    weighted = clone(model).fit(X, gaps, sample_weight=weights).predict_proba(X)[:, 0]
    cut = clone(base).fit(X[has], Y[has, 0], sample_weight=weights[has])
    np.testing.assert_allclose(weighted, cut.predict_proba(X)[:, 1])
