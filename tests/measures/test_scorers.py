"""Scorers give scikit-learn the values of `evaluate`."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier

from labelwise.measures import evaluate, measure_scores, scorer

X, Y = make_multilabel_classification(n_samples=60, n_labels=2, random_state=0)
LINEAR = OneVsRestClassifier(LogisticRegression()).fit(X, Y)


class Given(BaseEstimator):
    """An estimator that answers with what it was given, and counts how often it was asked."""

    def __init__(self, **answers):
        self.answers = answers
        self.n_asked = 0

    def __getattr__(self, name):
        if name.startswith("__") or name not in self.__dict__.get("answers", {}):
            raise AttributeError(name)
        self.n_asked += 1
        return lambda _: self.answers[name]


def test_scorers_give_the_values_of_the_evaluation():
    expected = evaluate(
        Y, scores=LINEAR.decision_function(X), decided=LINEAR.predict(X), undefined="skip"
    )
    found = scorer(undefined="skip")(LINEAR, X, Y)
    plain = {name.removeprefix("neg-"): abs(value) for name, value in found.items()}
    assert plain == {name: abs(value) for name, value in expected.items() if "-at-" not in name}
    assert found["neg-hamming-loss"] == -expected["hamming-loss"]
    assert scorer("micro-f")(LINEAR, X, Y) == expected["micro-f"]
    assert scorer("precision-at-3", undefined="skip")(LINEAR, X, Y) == expected["precision-at-3"]
    beta_2 = evaluate(Y, decided=LINEAR.predict(X), beta=2.0)
    assert scorer("sample-f", beta=2.0)(LINEAR, X, Y) == beta_2["sample-f"]


def test_losses_are_asked_for_as_negated_and_gains_are_not():
    for name, right in (("hamming-loss", "neg-hamming-loss"), ("neg-micro-f", "micro-f")):
        with pytest.raises(ValueError, match=f"name must be '{right}', as greater is better"):
            scorer(name)


def test_cross_validation_and_searches_take_them():
    names = ["micro-f", "neg-coverage"]
    found = cross_validate(
        KNeighborsClassifier(), X, Y, scoring=scorer(names, undefined="skip"), cv=3
    )
    assert set(found) >= {"test_micro-f", "test_neg-coverage"}
    assert np.isfinite(found["test_neg-coverage"]).all()
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 7]},
        scoring=scorer(names, undefined="skip"),
        refit="micro-f",
        cv=3,
    )
    search.fit(X, Y)
    best = search.cv_results_["mean_test_micro-f"]
    assert search.best_params_["n_neighbors"] == [1, 7][np.argmax(best)]


def test_an_estimator_is_asked_once_for_several_measures():
    estimator = Given(predict=Y, decision_function=Y - 0.5)
    scorer(["micro-f", "macro-f", "neg-hamming-loss"])(estimator, X, Y)
    assert estimator.n_asked == 1


def test_scores_are_decision_values_or_else_probabilities():
    good, bad = Y + 0.0, 1.0 - Y
    auc = scorer("micro-auc")
    assert auc(Given(decision_function=good, predict_proba=bad), X, Y) == 1
    assert auc(Given(predict_proba=good), X, Y) == 1
    with pytest.raises(TypeError, match="Given must have decision_function or predict_proba"):
        auc(Given(predict=Y), X, Y)


def test_a_label_never_seen_has_the_probability_zero():
    never = Y.copy()
    never[:, 1] = 0
    always = Y.copy()
    always[:, 1] = 1
    for seen, share in ((never, 0), (always, 1)):
        forest = DummyClassifier(strategy="prior").fit(X, seen)
        assert [p.shape[1] for p in forest.predict_proba(X)].count(1) == 1
        found = scorer("precision-at-1")(forest, X, always)
        expected = np.column_stack([share if j == 1 else seen[:, j].mean() for j in range(5)])
        top = always[:, np.argmax(expected)].mean()
        assert found == pytest.approx(top)


@pytest.mark.parametrize(
    "estimator", [KNeighborsClassifier(), LogisticRegression(), RidgeClassifier()]
)
def test_one_label_is_scored_like_a_vector(estimator):
    one = Y[:, [0]]
    estimator.fit(X, one.ravel())
    has_values = hasattr(estimator, "decision_function")
    scores = estimator.decision_function(X) if has_values else estimator.predict_proba(X)[:, 1]
    expected = evaluate(
        one, scores=scores.reshape(-1, 1), decided=estimator.predict(X).reshape(-1, 1)
    )
    found = scorer(["micro-auc", "micro-f"])(estimator, X, one)
    assert found == {name: expected[name] for name in found}


def test_scorers_survive_copies_and_pickles():
    for one in (scorer("micro-f", beta=2.0), scorer(["ndcg-at-2"], undefined="skip")):
        assert pickle.loads(pickle.dumps(one))(LINEAR, X, Y) == one(LINEAR, X, Y)
        assert clone(one, safe=False)(LINEAR, X, Y) == one(LINEAR, X, Y)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: scorer("f1"), ValueError, "name must be one of micro-precision, .*, got 'f1'"),
        (lambda: scorer("micro-auc", beta=2), ValueError, "beta must be 1 for micro-auc"),
        (lambda: scorer(["micro-f", 1]), TypeError, "name must be a str, got int"),
        (lambda: scorer("micro-f", undefined="none"), ValueError, 'undefined must be "nan"'),
        (lambda: scorer("ndcg-at-9")(LINEAR, X, Y), ValueError, "k must be at most the 5 labels"),
    ],
)
def test_bad_arguments_are_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_propensities_of_labels_without_truth_are_left_out():
    known = Y.astype(float)
    known[:, 2] = np.nan
    weights = np.arange(1.0, 6.0)
    ranked = LINEAR.decision_function(X)
    found = scorer("ps-precision-at-2", inverse_propensity=weights, undefined="skip")
    expected = measure_scores(
        known, ranked, "ps-precision-at-2", inverse_propensity=weights, undefined="skip"
    )
    assert found(LINEAR, X, known) == expected
