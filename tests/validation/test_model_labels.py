"""Scorers compare the labels that a model was fitted to, whatever order the truth has them in."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelwise._validation._model_labels import label_names_of, labels_for
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.learners import (
    BinaryRelevance,
    CalibratedLabelRanking,
    ExactFPlugin,
    IndependentFPlugin,
    OkapiNeighbors,
    ReverseMultilabel,
    SubmodularMultilabel,
)
from labelwise.measures import evaluate, scorer

RANDOM = np.random.default_rng(0)
NAMES = ("sea", "sky", "sun", "fog")
Y = RANDOM.random((60, 4)) < [0.5, 0.4, 0.3, 0.5]
X = Y + RANDOM.random(Y.shape) / 5
FRAME = pd.DataFrame(Y.astype(int), columns=NAMES)
REGRESSION = BinaryRelevance(penalty=1e-4)
FITTED = REGRESSION.fit(X, FRAME)


def sets_of(Y, names=NAMES):
    return [{names[j] for j in np.flatnonzero(row)} for row in Y]


MODELS = {
    "relevance": REGRESSION,
    "each label": BinaryRelevance(LogisticRegression(C=1e4)),
    "exact F": ExactFPlugin(penalty=1e-4),
    "independent F": IndependentFPlugin(REGRESSION),
    "label ranking": CalibratedLabelRanking(LogisticRegression(C=1e4)),
    "reverse": ReverseMultilabel(penalty=1e-3, random_state=0),
    "submodular": SubmodularMultilabel(penalty=1e-3, random_state=0),
    "neighbors": OkapiNeighbors(n_neighbors=3, weighted=True),
    "tuned": TunedThresholds(REGRESSION, cv=3, random_state=0),
    "calibrated": CalibratedLabels(REGRESSION, cv=3, method="sigmoid"),
    "pipeline": make_pipeline(StandardScaler(), REGRESSION),
    "search": GridSearchCV(REGRESSION, {"penalty": [1e-4]}, scoring=scorer("micro-f"), cv=2),
    "tuned pipeline": TunedThresholds(
        make_pipeline(StandardScaler(), REGRESSION), cv=3, random_state=0
    ),
    "pipeline of tuned": make_pipeline(
        StandardScaler(), TunedThresholds(REGRESSION, cv=3, random_state=0)
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_order_of_named_columns_does_not_change_a_score(name):
    # Terms that are in few documents, for the neighbors.
    samples = (X > 0.9) + 0.0 if name == "neighbors" else X
    model = sklearn.base.clone(MODELS[name]).fit(samples, FRAME)
    assert label_names_of(model) == NAMES
    names = ["micro-f", "macro-f"]
    expected = scorer(names)(model, samples, Y)
    assert expected["micro-f"] > 0.6
    assert scorer(names)(model, samples, FRAME[list(NAMES[::-1])]) == expected
    assert scorer(names)(model, samples, sets_of(Y)) == expected
    accuracy = model.score(samples, Y)
    assert accuracy > 0.1
    assert model.score(samples, FRAME[list(NAMES[::-1])]) == accuracy
    assert model.score(samples, sets_of(Y)) == accuracy


def test_rows_that_lack_labels_keep_the_columns_of_the_model():
    rows = np.flatnonzero(~Y[:, 0])
    part = [sets_of(Y)[i] for i in rows]
    expected = scorer(undefined="skip")(FITTED, X[rows], Y[rows])
    assert scorer(undefined="skip")(FITTED, X[rows], part) == expected
    assert label_names_of(FrozenEstimator(FITTED)) == NAMES
    assert label_names_of(OneVsRestClassifier(LogisticRegression()).fit(X, Y)) is None


def test_cross_validation_of_sets_is_that_of_the_matrix():
    found, expected = (
        cross_val_score(REGRESSION, X, labels, scoring=scorer("micro-f"), cv=KFold(4))
        for labels in (sets_of(Y), Y)
    )
    np.testing.assert_array_equal(found, expected)


def test_sets_beside_a_model_without_names_are_column_numbers():
    model = OneVsRestClassifier(LogisticRegression(C=1e4)).fit(X, Y)
    numbers = [set(np.flatnonzero(row)) for row in Y]
    for rows in (slice(None), np.flatnonzero(~Y[:, 3])):
        part = [numbers[i] for i in np.arange(60)[rows]]
        options = {"undefined": "skip"}
        expected = scorer(**options)(model, X[rows], Y[rows])
        assert scorer(**options)(model, X[rows], part) == expected
    with pytest.raises(ValueError, match="Y is a list of sets, but the labels of decided have no"):
        scorer("micro-f")(model, X, sets_of(Y))
    with pytest.raises(ValueError, match="k must be at most the 4 labels, got 9"):
        scorer("ndcg-at-9")(model, X, numbers)


def test_labels_that_the_model_does_not_know_are_refused_or_missed():
    more = [row | {"ice"} if i < 10 else row for i, row in enumerate(sets_of(Y))]
    wide = FRAME.assign(ice=(np.arange(60) < 10).astype(int))[["ice", *NAMES]]
    for truth in (more, wide):
        with pytest.raises(ValueError, match="Y has label 'ice', which the model does not know"):
            scorer("micro-f")(FITTED, X, truth)
        found = scorer(undefined="skip", unknown_labels="missed")(FITTED, X, truth)
        expected = evaluate(
            np.column_stack([Y, np.arange(60) < 10]),
            scores=np.column_stack([FITTED.decision_function(X), np.full(60, -1e9)]),
            decided=np.column_stack([FITTED.predict(X), np.zeros(60)]),
            undefined="skip",
        )
        for name, value in found.items():
            assert abs(value) == abs(expected[name.removeprefix("neg-")]), name
    with pytest.raises(ValueError, match="Y lacks label 'sky', which the model knows"):
        scorer("micro-f")(FITTED, X, FRAME[["sea", "sun", "fog"]])
    with pytest.raises(ValueError, match='unknown_labels must be "raise" or "missed", got 0'):
        scorer("micro-f", unknown_labels=0)


def test_thresholds_of_a_fitted_model_go_by_its_names():
    rows = np.flatnonzero(~Y[:, 0])
    with pytest.warns(UserWarning, match="'sea'"):
        tuned = TunedThresholds(FrozenEstimator(FITTED), shrink=0.0).fit(
            X[rows], [sets_of(Y)[i] for i in rows]
        )
    assert tuned.label_names_ == tuned.thresholds_.label_names == NAMES
    model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="the labels of OneVsRestClassifier have no names"):
        TunedThresholds(FrozenEstimator(model)).fit(X, sets_of(Y))


@pytest.mark.parametrize("model", [FITTED, LogisticRegression()], ids=["names", "no names"])
def test_given_names_are_those_of_the_columns_whatever_the_model_calls_them(model):
    others = ("a", "b", "c", "d")
    for truth in (Y, sets_of(Y, others)):
        labels = labels_for(model, truth, others)
        assert labels.names == others
        np.testing.assert_array_equal(labels.matrix.toarray(), Y)


def test_columns_keep_their_names_and_order_beside_a_model_without_names():
    turned = FRAME[list(NAMES[::-1])]
    labels = labels_for(LogisticRegression(), turned)
    assert labels.names == NAMES[::-1]
    np.testing.assert_array_equal(labels.matrix.toarray(), Y[:, ::-1])
    np.testing.assert_array_equal(labels_for(FITTED, turned).matrix.toarray(), Y)


def test_weights_of_a_scorer_are_those_of_the_evaluation():
    weights = RANDOM.integers(0, 3, 60)
    rows = np.repeat(np.arange(60), weights)
    for name in ("micro-f", "macro-auc", "neg-hamming-loss", "sample-f", "neg-coverage"):
        one = scorer(name, undefined="skip")
        found = one(FITTED, X, FRAME, sample_weight=weights)
        assert found == pytest.approx(one(FITTED, X[rows], FRAME.iloc[rows]))


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("alias", [True, "importance"])
def test_weights_are_routed_to_scorers_that_ask_for_them(alias):
    weights = RANDOM.random(60)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    model = OneVsRestClassifier(model)
    name = "sample_weight" if alias is True else alias
    folds = list(KFold(3).split(X))
    for scoring in (
        scorer("micro-f").set_score_request(sample_weight=alias),
        scorer(["micro-f"]).set_score_request(sample_weight=alias),
        {"micro-f": scorer("micro-f").set_score_request(sample_weight=alias)},
    ):
        found = cross_validate(model, X, Y, scoring=scoring, cv=folds, params={name: weights})
        values = found.get("test_micro-f", found.get("test_score"))
        for (train, test), value in zip(folds, values, strict=True):
            fitted = sklearn.base.clone(model).fit(X[train], Y[train])
            one = scorer("micro-f")
            assert value == one(fitted, X[test], Y[test], sample_weight=weights[test])
    asking = scorer("micro-f").set_score_request(sample_weight=alias)
    search = GridSearchCV(model, {"estimator__C": [0.1, 1.0]}, scoring=asking, cv=folds)
    search.fit(X, Y, **{name: weights})
    assert search.score(X, Y, **{name: weights}) == scorer("micro-f")(
        search, X, Y, sample_weight=weights
    )


@pytest.mark.usefixtures("routing")
def test_weights_that_a_scorer_has_not_asked_for_are_refused_or_ignored():
    model = OneVsRestClassifier(LogisticRegression().set_fit_request(sample_weight=False))
    options = {"cv": 3, "params": {"sample_weight": np.arange(60)}}
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        cross_validate(model, X, Y, scoring=scorer("micro-f"), error_score="raise", **options)
    scoring = {
        "plain": scorer("micro-f").set_score_request(sample_weight=False),
        "weighted": scorer("micro-f").set_score_request(sample_weight=True),
    }
    found = cross_validate(model, X[:, :2], Y, scoring=scoring, **options)
    plain = cross_validate(model, X[:, :2], Y, scoring=scorer("micro-f"), cv=3)["test_score"]
    np.testing.assert_array_equal(found["test_plain"], plain)
    assert (found["test_weighted"] != plain).any()
    asking = scorer("micro-f").set_score_request(sample_weight=True)
    for again in (pickle.loads(pickle.dumps(asking)), copy.deepcopy(asking)):
        assert again.get_metadata_routing().score.requests == {"sample_weight": True}


def test_a_request_without_routing_is_refused():
    with pytest.raises(RuntimeError, match="set_score_request needs metadata routing"):
        scorer("micro-f").set_score_request(sample_weight=True)
