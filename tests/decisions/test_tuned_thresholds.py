"""Tuned thresholds are those of pooled held-out scores, whatever the estimator."""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import labelwise
from labelwise.data import make_multilabel
from labelwise.decisions import Thresholds, TunedThresholds, best_thresholds
from labelwise.learners import BinaryRelevance
from labelwise.measures import jaccard, recall, scorer
from labelwise.splitting import MultilabelStratifiedKFold
from tests.decisions.columns import Columns, numbered
from tests.spoken import spoken

BASE = OneVsRestClassifier(LogisticRegression())


def some_data(n_samples=120, n_labels=3, seed=0):
    data, _ = make_multilabel(n_samples, n_features=5, n_labels=n_labels, random_state=seed)
    return data.X, data.Y.toarray().astype(np.int64)


@pytest.mark.parametrize(
    "base",
    [
        BASE,
        OneVsRestClassifier(LinearSVC()),
        MultiOutputClassifier(LogisticRegression()),
        RandomForestClassifier(5, random_state=0),
        KNeighborsClassifier(),
    ],
    ids=lambda base: type(base).__name__,
)
@pytest.mark.parametrize("n_labels", [1, 3])
def test_a_label_is_predicted_where_its_score_reaches_the_threshold(base, n_labels):
    X, Y = some_data(n_labels=n_labels)
    model = TunedThresholds(base, cv=3, shrink=0).fit(X, Y)
    method = "decision_function" if hasattr(base, "decision_function") else "predict_proba"
    scores = getattr(model, method)(X)
    assert scores.shape == Y.shape
    decided = model.predict(X)
    assert decided.dtype == np.int64
    np.testing.assert_array_equal(decided, model.thresholds_.decide(scores))
    np.testing.assert_array_equal(decided, scores >= model.thresholds_.values)


@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"maximize": "macro-f"},
        {"maximize": "macro-f", "shrink": 0.3},
        {"maximize": "sample-f"},
        {"maximize": jaccard, "shared": True},
        {"beta": 2.0, "shrink": 0.0},
        {"fbr": (0.5, 0)},
        {"min_precision": 0.6, "min_recall": 0.1},
        {"max_decisions": 100},
        {"cost": (1.0, [1.0, 2.0, 3.0])},
    ],
    ids=spoken,
)
def test_thresholds_are_the_best_ones_of_all_folds_scores_together(options):
    X, Y = some_data()
    model = TunedThresholds(BASE, cv=4, random_state=0, **options).fit(X, Y)
    folds = MultilabelStratifiedKFold(4)
    held_out = cross_val_predict(BASE, X, Y, cv=folds, method="decision_function")
    rows = np.concatenate([test for _, test in folds.split(X, Y)])
    by_default = {"shrink": "auto"} if options in ({}, {"maximize": "macro-f"}) else {}
    expected = best_thresholds(held_out[rows], Y[rows], random_state=0, **by_default, **options)
    assert isinstance(model.thresholds_, Thresholds)
    np.testing.assert_array_equal(model.thresholds_.values, expected.values)
    np.testing.assert_array_equal(model.thresholds_.evidence.decided, expected.evidence.decided)
    np.testing.assert_array_equal(model.thresholds_.evidence.support, expected.evidence.support)
    assert model.value_ == model.thresholds_.value == expected.value
    assert model.thresholds_.evidence.shrink == expected.evidence.shrink


def test_a_prefit_estimator_is_not_fitted_again():
    X, Y = numbered()
    seen = []
    base = Columns(seen).fit(X, Y)
    model = TunedThresholds(FrozenEstimator(base), shrink=0).fit(X[:20], Y[:20])
    assert len(seen) == 1
    assert model.estimator_ is base
    expected = best_thresholds(X[:20, :2], Y[:20])
    np.testing.assert_array_equal(model.thresholds_.values, expected.values)
    assert 0 < model.corrected_value_ <= model.value_ == expected.value
    with pytest.raises(ValueError, match="not fitted again, so that it cannot take note"):
        model.fit(X, Y, note="x")
    with pytest.raises(NotFittedError):
        TunedThresholds(FrozenEstimator(BASE)).fit(X, Y)
    with pytest.raises(ValueError, match=r'cv="prefit".*TunedThresholds\(FrozenEstimator\('):
        TunedThresholds(base, cv="prefit").fit(X, Y)


def test_a_model_saved_with_prefit_predicts_as_before(tmp_path):
    X, Y = some_data()
    fitted = clone(BASE).fit(X, Y)
    model = TunedThresholds(FrozenEstimator(fitted)).fit(X, Y)
    labelwise.save(model, tmp_path / "frozen.skops")
    expected = model.predict(X)
    np.testing.assert_array_equal(labelwise.load(tmp_path / "frozen.skops").predict(X), expected)
    labelwise.save(model.set_params(estimator=fitted, cv="prefit"), tmp_path / "prefit.skops")
    np.testing.assert_array_equal(labelwise.load(tmp_path / "prefit.skops").predict(X), expected)


CLASSES = np.array(["no", "yes"])


@pytest.mark.parametrize(
    ("base", "classes"),
    [(LogisticRegression(), CLASSES), (BinaryRelevance(penalty=0.1), np.array([-1, 1]))],
    ids=["LogisticRegression", "BinaryRelevance"],
)
def test_a_prefit_estimator_of_a_vector_has_its_classes_tuned(base, classes):
    X, Y = some_data(n_labels=1)
    y = classes[Y[:, 0]]
    fitted = clone(base).fit(X[:60], y[:60])
    model = TunedThresholds(FrozenEstimator(fitted)).fit(X[60:], y[60:])
    scores = fitted.decision_function(X[60:])
    assert np.array_equal(model.classes_, classes)
    assert np.array_equal(model.decision_function(X[60:]), scores)
    assert np.array_equal(model.predict(X[60:]), classes[1 * (scores >= model.thresholds_.values)])
    assert model.value_ == best_thresholds(scores[:, None], Y[60:]).value


def test_a_prefit_estimator_knows_a_class_that_its_vector_lacks():
    X, Y = some_data(n_labels=1)
    fitted = LogisticRegression().fit(X, CLASSES[Y[:, 0]])
    model = TunedThresholds(FrozenEstimator(fitted)).fit(X[Y[:, 0] == 1], ["yes"] * Y.sum())
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.predict(X[Y[:, 0] == 1]) == "yes").all()
    with pytest.raises(ValueError, match=r"the classes of the estimator, 'no' or 'yes'; got 'so'"):
        model.fit(X, ["so"] * 120)
    one_label = clone(BASE).fit(X, Y)
    model = TunedThresholds(FrozenEstimator(one_label)).fit(X[Y[:, 0] == 1], [1] * Y.sum())
    assert (model.predict(X[Y[:, 0] == 1]) == 1).all()


def test_a_vector_of_one_class_is_predicted_as_that_class():
    X, _ = some_data()
    with pytest.warns(UserWarning, match="one class only"):
        model = TunedThresholds(LogisticRegression()).fit(X, ["yes"] * 120)
    assert (model.predict(X) == "yes").all()
    assert model.predict_proba(X).tolist() == [[1.0]] * 120


def test_without_refit_the_model_of_the_training_part_stays():
    X, Y = numbered()
    train, test = np.arange(25), np.arange(25, 40)
    for cv in ([(train, test)], KFoldOnce(train, test)):
        seen = []
        model = TunedThresholds(Columns(seen), cv=cv, refit=False, shrink=0)
        model.fit(X, Y, sample_weight=np.arange(40))
        assert len(seen) == 1
        np.testing.assert_array_equal(seen[0][0], train[1:])  # sample 0 has weight 0
        np.testing.assert_array_equal(seen[0][1], train[1:])
        expected = best_thresholds(X[test, :2], Y[test], sample_weight=test)
        np.testing.assert_array_equal(model.thresholds_.values, expected.values)
        assert model.thresholds_.evidence.n_samples == 15
        assert 0 <= model.corrected_value_ <= model.value_


class KFoldOnce:
    """A splitter of one split."""

    def __init__(self, train, test):
        self.parts = train, test

    def split(self, X, y=None, groups=None):  # noqa: ARG002
        yield self.parts


def test_without_refit_labels_of_one_class_in_the_training_part_are_constants():
    X, Y = numbered()
    Y[:25, 1] = 1
    Y[25:, 1] = 0
    model = TunedThresholds(Columns(), cv=[(np.arange(25), np.arange(25, 40))], refit=False)
    with pytest.warns(UserWarning, match="one class only for label 1"):
        model.fit(X, Y)
    np.testing.assert_array_equal(model.constants_, [np.nan, 1])
    assert (model.predict(X)[:, 1] == 1).all()


def test_labels_with_one_class_become_constants_with_one_warning():
    X, Y = some_data(n_labels=4)
    frame = pd.DataFrame(Y, columns=["a", "b", "c", "d"])
    frame["b"], frame["d"] = 0, 1
    costs = {"cost": (1.0, [1.0, 1.0, 2.0, 1.0])}
    for options, kept in (({"shrink": 0.2}, {"shrink": 0.2}), (costs, {"cost": (1.0, [1.0, 2.0])})):
        model = TunedThresholds(BASE, **options)
        with pytest.warns(UserWarning, match="one class only for label 'b', 'd'") as caught:
            model.fit(X, frame)
        assert len(caught) == 1
        decided = model.predict(X)
        assert (decided[:, 1] == 0).all()
        assert (decided[:, 3] == 1).all()
        without = TunedThresholds(BASE, **kept).fit(X, Y[:, [0, 2]])
        np.testing.assert_array_equal(decided[:, [0, 2]], without.predict(X))
        assert model.value_ == without.value_
        assert model.corrected_value_ == without.corrected_value_
        np.testing.assert_array_equal(model.constants_, [np.nan, 0, np.nan, 1])
        np.testing.assert_array_equal(model.thresholds_.evidence.support, frame.sum())
        assert model.thresholds_.evidence.decided[[1, 3]].tolist() == [0, 120]
        assert model.thresholds_.values[[1, 3]].tolist() == [np.inf, -np.inf]
        assert model.decision_function(X)[0, [1, 3]].tolist() == [-1, 1]
        assert model.predict_proba(X)[0, [1, 3]].tolist() == [0, 1]


def test_constants_alone_need_no_estimator(tmp_path):
    X = np.zeros((5, 2))
    with pytest.warns(UserWarning, match="one class only for label 0, 1") as caught:
        model = TunedThresholds(LogisticRegression()).fit(X, [[0, 1]] * 5)
    assert len(caught) == 1
    assert model.predict(X).tolist() == [[0, 1]] * 5
    assert np.isnan(model.value_)
    assert np.isnan(model.corrected_value_)
    model.thresholds_.save(tmp_path / "thresholds.json")
    loaded = Thresholds.load(tmp_path / "thresholds.json")
    assert loaded.values.tolist() == [np.inf, -np.inf]


def test_a_label_without_positives_among_the_tuning_rows_is_named():
    X, Y = numbered(n_labels=3)
    Y[:, 0] = 0
    Y[20:, 2] = 0
    cv = [(np.arange(20), np.arange(20, 40)), (np.arange(10), np.arange(30, 40))]
    model = TunedThresholds(Columns(), cv=cv, shrink=0)
    with (
        pytest.warns(UserWarning, match="one class only for label 0:"),
        pytest.warns(UserWarning, match="no positives of '2' to tune on"),
    ):
        model.fit(X, Y)
    assert model.thresholds_.label_names is None


def test_groups_never_stand_on_both_sides():
    X, Y = numbered()
    groups = np.arange(40) // 4
    for cv in (5, GroupKFold(3)):
        seen = []
        TunedThresholds(Columns(seen), cv=cv, shrink=0).fit(X, Y, groups=groups)
        assert len(seen) > 2
        for rows, _, _ in seen[:-1]:
            others = np.setdiff1d(np.arange(40), rows)
            assert not set(groups[rows]) & set(groups[others])


def test_sample_weight_goes_to_fit_cut_to_the_fold():
    X, Y = numbered()
    seen = []
    model = TunedThresholds(Columns(seen), cv=4, shrink=0)
    model.fit(X, Y, np.arange(40) + 0.5, note="all")
    assert len(seen) == 5
    for rows, taken, note in seen:
        np.testing.assert_array_equal(taken, rows + 0.5)
        assert note == "all"


@pytest.mark.parametrize("maximize", ["micro-f", "macro-f", "sample-f", "micro-matthews"])
def test_thresholds_of_a_weighted_fit_are_those_of_weighted_scores(maximize):
    X, Y = numbered(n_labels=3)
    weights = np.random.default_rng(0).integers(0, 4, 40) / 2
    model = TunedThresholds(Columns(), maximize=maximize, shrink=0).fit(X, Y, weights)
    expected = best_thresholds(X[:, :3], Y, maximize=maximize, sample_weight=weights)
    np.testing.assert_array_equal(model.thresholds_.values, expected.values)
    # The fit leaves out samples of weight 0, so that numbers are added in other groups.
    assert model.value_ == pytest.approx(expected.value, rel=1e-14)
    known = model.thresholds_.evidence
    np.testing.assert_array_equal(known.support, weights @ Y)
    np.testing.assert_array_equal(known.decided, weights @ model.predict(X))
    assert known.n_samples == (weights > 0).sum()
    assert known.weighted


def folds_of_repeated(splits, weights):
    """The same splits of samples that are repeated as often as their weights say."""
    of_sample = np.repeat(np.arange(weights.size), weights)
    return [
        tuple(np.flatnonzero(np.isin(of_sample, side)) for side in split) for split in splits
    ], of_sample


@settings(max_examples=40)
@given(st.integers(0, 2**31), st.sampled_from(["micro-f", "macro-f", "sample-jaccard"]))
@example(seed=3, maximize="micro-f")
def test_whole_weights_count_as_repeated_samples(seed, maximize):
    random = np.random.default_rng(seed)
    X, Y = numbered(n_labels=3, seed=seed)
    Y[:, 2] = 1  # a label with one class
    weights = random.integers(0, 4, 40)
    splits, of_sample = folds_of_repeated(KFold(3).split(X), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = TunedThresholds(Columns(), maximize=maximize, cv=KFold(3), shrink=0)
        found.fit(X, Y, weights)
        again = TunedThresholds(Columns(), maximize=maximize, cv=splits, shrink=0)
        again.fit(X[of_sample], Y[of_sample])
    np.testing.assert_array_equal(found.thresholds_.values, again.thresholds_.values)
    assert found.value_ == pytest.approx(again.value_, abs=1e-12)
    assert found.corrected_value_ == pytest.approx(again.corrected_value_, abs=1e-12, nan_ok=True)
    for name in ("support", "decided", "true_positives"):
        counted = getattr(found.thresholds_.evidence, name)
        np.testing.assert_array_equal(counted, getattr(again.thresholds_.evidence, name))


def test_weights_of_a_frozen_estimator_count_for_the_thresholds():
    X, Y = numbered(n_labels=3)
    weights = np.arange(40) % 3
    frozen = FrozenEstimator(Columns().fit(X, Y))
    found = TunedThresholds(frozen, shrink=0).fit(X, Y, weights)
    again = TunedThresholds(frozen, shrink=0).fit(*(np.repeat(part, weights, 0) for part in (X, Y)))
    np.testing.assert_array_equal(found.thresholds_.values, again.thresholds_.values)
    assert found.value_ == again.value_
    with config_context(enable_metadata_routing=True):
        routed = TunedThresholds(frozen, shrink=0).fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(routed.thresholds_.values, found.thresholds_.values)


def test_samples_of_weight_0_are_ignored():
    X, Y = numbered()
    weights = np.where(np.arange(40) < 30, 1.0, 0.0)
    Y[:30, 1], Y[30:, 1] = 0, 1  # one class among the samples that count
    seen = []
    split = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    model = TunedThresholds(Columns(seen), cv=split, shrink=0)
    with pytest.warns(UserWarning, match="one class only for label 1"):
        model.fit(X, Y, weights)
    assert [rows.max() for rows, _, _ in seen] == [19, 29, 29]
    assert model.thresholds_.evidence.n_samples == 30
    with pytest.raises(ValueError, match="both parts of a split of cv"):
        TunedThresholds(Columns(), cv=[(np.arange(30), np.arange(30, 40))]).fit(X, Y, weights)


def test_repeated_scores_of_a_sample_have_its_weight():
    X, Y = numbered()
    weights = np.random.default_rng(0).random(40)
    cv = RepeatedKFold(n_splits=4, n_repeats=5, random_state=0)
    model = TunedThresholds(Columns(), cv=cv, shrink=0).fit(X, Y, weights)
    expected = best_thresholds(X[:, :2], Y, sample_weight=weights)
    np.testing.assert_array_equal(model.thresholds_.values, expected.values)
    np.testing.assert_allclose(model.thresholds_.evidence.support, 5 * weights @ Y)


def test_an_estimator_without_weights_is_fitted_without_them():
    X, Y = numbered()
    weights = np.arange(40) + 1
    neighbors = TunedThresholds(KNeighborsClassifier(3), cv=4, shrink=0)
    with pytest.warns(UserWarning, match="for the thresholds only: the fit of KNeighbors"):
        neighbors.fit(X, Y, weights)
    assert neighbors.thresholds_.evidence.weighted
    seen = []
    steps = make_pipeline("passthrough", Columns(seen))
    TunedThresholds(steps, cv=4, shrink=0).fit(X, Y, weights)
    for rows, taken, _ in seen:
        np.testing.assert_array_equal(taken, weights[rows])


def test_wrong_weights_are_refused_before_any_fit():
    X, Y = numbered()
    seen = []
    for weights, message in (
        (np.ones(39), "sample_weight must have a number for each of 40"),
        (np.zeros(40), "sample_weight must be finite, not negative, and not zero everywhere"),
    ):
        with pytest.raises(ValueError, match=message):
            TunedThresholds(Columns(seen)).fit(X, Y, weights)
    assert seen == []


def test_weights_and_groups_are_routed_as_requested():
    X, Y = numbered()
    groups, weights = np.arange(40) // 4, np.arange(40) + 0.5
    plain, routed = [], []
    TunedThresholds(Columns(plain), cv=GroupKFold(3), shrink=0).fit(X, Y, groups=groups)
    with config_context(enable_metadata_routing=True):
        base = Columns(routed).set_fit_request(sample_weight=True)
        for cv in (GroupKFold(3), 5):
            del routed[:]
            model = TunedThresholds(base, cv=cv, shrink=0)
            model.fit(X, Y, groups=groups, sample_weight=weights)
            for rows, taken, _ in routed:
                np.testing.assert_array_equal(taken, rows + 0.5)
                assert len({*groups[rows]} & {*np.delete(groups, rows)}) == 0
        with pytest.raises(TypeError, match="groups"):
            TunedThresholds(base, cv=KFold(3)).fit(X, Y, groups=groups)
        with pytest.raises(ValueError, match="sample_weight"):
            TunedThresholds(Columns(), shrink=0).fit(X, Y, sample_weight=weights)
        TunedThresholds(base, shrink=0).fit(X, Y)
    assert len(plain) == 4


def test_permuting_labels_permutes_predictions():
    X, Y = some_data(n_labels=4)
    order = [2, 0, 3, 1]
    for options in ({"shrink": 0.4}, {"maximize": "macro-f", "shrink": 0}, {"fbr": 0.5}):
        model = TunedThresholds(BASE, cv=KFold(4), **options)
        expected = clone(model).fit(X, Y)
        found = model.fit(X, Y[:, order])
        np.testing.assert_array_equal(found.predict(X), expected.predict(X)[:, order])
        assert found.value_ == pytest.approx(expected.value_)
        assert found.corrected_value_ == pytest.approx(expected.corrected_value_)


def test_same_seed_gives_the_same_for_any_number_of_jobs():
    X, Y = some_data()
    base = RandomForestClassifier(5, random_state=0)
    with parallel_config("threading"):
        one, two = (TunedThresholds(base, cv=3, random_state=3, n_jobs=k).fit(X, Y) for k in (1, 2))
    np.testing.assert_array_equal(one.thresholds_.values, two.thresholds_.values)
    assert one.corrected_value_ == two.corrected_value_
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_label_names_and_features_are_kept():
    X, Y = some_data()
    features = pd.DataFrame(X).add_prefix("x")
    model = TunedThresholds(BASE, cv=3, shrink=0)
    model.fit(features, pd.DataFrame(Y, columns=["sea", "sky", "sun"]))
    assert model.thresholds_.label_names == ("sea", "sky", "sun")
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == [f"x{k}" for k in range(5)]
    assert TunedThresholds(BASE, cv=3, shrink=0).fit(X, Y).thresholds_.label_names is None


def test_labels_and_features_may_come_in_any_form():
    X, Y = some_data()
    expected = TunedThresholds(BASE, cv=3, shrink=0).fit(X, Y).predict(X)
    sets = [{"abc"[j] for j in np.flatnonzero(row)} for row in Y]
    forms = [(X, sparse.csr_array(Y)), (X, Y.astype(bool)), (X, Y.tolist()), (X, sets)]
    for features, labels in forms:
        model = TunedThresholds(BASE, cv=3, shrink=0).fit(features, labels)
        np.testing.assert_array_equal(model.predict(features), expected)


def test_scores_are_there_if_the_estimator_has_them():
    assert hasattr(TunedThresholds(BASE), "predict_proba")
    assert hasattr(TunedThresholds(BASE), "decision_function")
    assert not hasattr(TunedThresholds(OneVsRestClassifier(LinearSVC())), "predict_proba")
    assert not hasattr(TunedThresholds(KNeighborsClassifier()), "decision_function")
    X, Y = some_data()
    model = TunedThresholds(BASE, cv=3, shrink=0).fit(X, Y)
    fitted = clone(BASE).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_allclose(model.decision_function(X), fitted.decision_function(X))


def test_it_works_inside_scikit_learn():
    X, Y = some_data()
    model = TunedThresholds(BASE, cv=3, shrink=0)
    values = cross_val_score(
        model, X, Y, cv=ShuffleSplit(2, random_state=0), scoring=scorer("micro-f")
    )
    assert (values > 0.3).all()
    again = pickle.loads(pickle.dumps(model.fit(X, Y)))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("params", "Y", "error", "message"),
    [
        ({"maximize": 3}, [[0], [1]], TypeError, "maximize must be a name such as"),
        ({"maximize": math.dist}, [[0], [1]], TypeError, "measure must take Counts of arrays"),
        ({"maximize": recall, "beta": 2.0}, [[0], [1]], ValueError, "beta must be 1 for recall"),
        ({"maximize": "all-f"}, [[0], [1]], ValueError, "maximize must be micro-, macro-"),
        ({"shrink": 2}, [[0], [1]], ValueError, 'shrink must be between 0 and 1, or "auto"'),
        ({"shrink": 0.5, "fbr": 0.1}, [[0], [1]], ValueError, "shrink does not go together"),
        ({"fbr": "some"}, [[0], [1]], ValueError, 'fbr must be between 0 and 1, or "auto"'),
        ({"min_recall": 2}, [[0], [1]], ValueError, "min_recall must be from 0 to 1"),
        ({"cost": (1, [1, 2])}, [[0], [1]], ValueError, "cost must have 1 numbers by label"),
        ({"cv": "five"}, [[0], [1]], TypeError, "cv must be a number of folds"),
        ({"cv": 3}, [[0], [1]], ValueError, "n_splits must be at most the 2 samples, got 3"),
        ({"refit": False}, [[0], [1]], ValueError, "needs a cv that gives one split, got 5"),
        ({"refit": False, "cv": KFold(2)}, [[0], [1]], ValueError, "gives one split, got 2"),
        ({}, [[0], [2]], ValueError, "Y must contain only 0 and 1, got 2 at row 1, label 0"),
        ({}, [[0]], ValueError, "inconsistent numbers of samples"),
        ({}, np.zeros((2, 0)), ValueError, "Y must have a row and a label"),
        ({"estimator": BaseEstimator()}, [[0], [1]], TypeError, "must have decision_function or"),
    ],
)
def test_bad_input_is_refused_by_name_before_any_fit(params, Y, error, message):
    seen = []
    model = TunedThresholds(Columns(seen)).set_params(**params)
    with pytest.raises(error, match=message):
        model.fit(np.zeros((2, 3)), Y)
    assert seen == []


@pytest.mark.parametrize("refit", [True, False])
def test_masks_of_rows_serve_as_a_split(refit):
    X, Y = numbered()
    rows = np.arange(40)
    by_number = TunedThresholds(Columns(), cv=[(rows[:25], rows[25:])], refit=refit, shrink=0)
    by_mask = TunedThresholds(Columns(), cv=[(rows < 25, rows >= 25)], refit=refit, shrink=0)
    expected = by_number.fit(X, Y).thresholds_.values
    assert np.array_equal(by_mask.fit(X, Y).thresholds_.values, expected)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_progress_names_the_folds_and_the_tuning(n_jobs, capsys):
    X, Y = some_data()
    quiet = TunedThresholds(BASE, cv=2, n_jobs=n_jobs, random_state=0).fit(X, Y)
    assert capsys.readouterr().err == ""
    loud = TunedThresholds(BASE, cv=2, n_jobs=n_jobs, random_state=0, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.splitlines() == [
        "TunedThresholds: scored fold 1 of 2",
        "TunedThresholds: scored fold 2 of 2",
        "TunedThresholds: tuning the thresholds of 3 labels",
    ]
    assert np.array_equal(loud.thresholds_.values, quiet.thresholds_.values)


@pytest.mark.parametrize("rule", [0, 1])
def test_a_nested_fbr_is_the_mean_of_what_training_parts_choose_by_inner_folds(rule):
    data, _ = make_multilabel(n_samples=150, random_state=3)
    X, Y, folds = data.X, data.Y.toarray().astype(int), KFold(3)
    # The positives of a rare label are hard to tell from the rest.
    Y[:, 0] = np.arange(len(Y)) % 15 == 0
    model = BinaryRelevance(LogisticRegression())

    def held_out(rows):
        return cross_val_predict(model, X[rows], Y[rows], cv=folds, method="decision_function")

    amounts = [
        best_thresholds(held_out(train), Y[train], fbr=("auto", rule), random_state=0).evidence.fbr
        for train, _ in folds.split(X)
    ]
    assert max(amounts) > 0
    expected = best_thresholds(held_out(np.arange(150)), Y, fbr=(float(np.mean(amounts)), rule))
    found = TunedThresholds(model, fbr=("nested", rule), cv=folds, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(found.thresholds_.values, expected.values)
    assert found.thresholds_.evidence.fbr == pytest.approx(np.mean(amounts))


def test_a_nested_fbr_alone_has_rule_1_and_folds_that_a_number_gives():
    data, _ = make_multilabel(n_samples=100, random_state=0)
    model = BinaryRelevance(LogisticRegression())
    one, pair = (
        TunedThresholds(model, fbr=fbr, cv=3, random_state=0).fit(data.X, data.Y)
        for fbr in ("nested", ("nested", 1))
    )
    np.testing.assert_array_equal(one.thresholds_.values, pair.thresholds_.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": [(np.arange(10), np.arange(10, 20))]}, 'fbr="nested" needs a cv that is a number'),
        ({"cv": "oob"}, 'fbr="nested" needs a cv that is a number or a splitter, got .oob'),
        ({"refit": False}, 'fbr="nested" needs an estimator that is fitted, and refit=True'),
        ({"shrink": 0.5}, "shrink does not go together with fbr"),
        ({"fbr": ("nested", 2)}, "fbr must have 0 or 1 as its rule, got 2"),
    ],
)
def test_a_nested_fbr_that_cannot_be_is_refused_before_any_fit(options, message):
    seen = []
    tuned = TunedThresholds(Columns(seen)).set_params(**{"fbr": "nested"} | options)
    with pytest.raises(ValueError, match=message):
        tuned.fit(np.zeros((20, 3)), np.eye(2, dtype=int)[np.arange(20) % 2])
    assert seen == []


def test_a_frozen_estimator_has_no_nested_fbr():
    X, Y = some_data()
    tuned = TunedThresholds(FrozenEstimator(clone(BASE).fit(X, Y)), fbr="nested")
    with pytest.raises(ValueError, match='fbr="nested" needs an estimator that is fitted'):
        tuned.fit(X, Y)
