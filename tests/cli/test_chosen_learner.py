"""A model decides for a measure by the rule that suits its scores."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from labelwise.cli._chosen_learner import _deciding_for, choose_learner
from labelwise.decisions import Certify, TunedThresholds
from labelwise.learners import BagPlugin, BinaryRelevance, IndependentFPlugin


def test_the_f_of_samples_is_expected_from_probabilities():
    model = _deciding_for(BinaryRelevance(LogisticRegression()), "sample-f", {"beta": 2.0}, 0)
    assert type(model) is IndependentFPlugin
    assert model.beta == 2.0


@pytest.mark.parametrize(
    ("base", "maximize"),
    [(LogisticRegression(), "sample-jaccard"), (LinearSVC(), "sample-f")],
)
def test_every_other_measure_and_model_gets_tuned_thresholds(base, maximize):
    model = _deciding_for(BinaryRelevance(base), maximize, {}, 7)
    assert type(model) is TunedThresholds
    assert (model.maximize, model.random_state) == (maximize, 7)


def test_a_model_with_thresholds_of_its_own_gets_the_measure():
    model = BagPlugin()
    assert _deciding_for(model, "micro-jaccard", {}, 0) is model
    assert model.maximize == "micro-jaccard"


def test_a_model_without_scores_is_refused():
    with pytest.raises(TypeError, match="model must give scores, and BaseEstimator gives none"):
        _deciding_for(BaseEstimator(), "micro-f", {}, 0)


SETTINGS = {"random_state": 0, "n_jobs": None, "verbose": 0, "budget": 60.0}


@pytest.mark.parametrize(
    "options",
    [
        {"shrink": 0.3, "beta": 2.0},
        {"shared": True},
        {"fbr": (0.1, 0)},
        {"fbr": "nested"},
        {"fbr": ("nested", 0)},
        {"min_precision": 0.8, "min_recall": 0.1},
        {"max_decisions": "3 per sample"},
    ],
    ids=str,
)
def test_options_of_tuning_reach_the_thresholds(options):
    model = choose_learner("br", "micro-f", options, SETTINGS).model
    assert type(model) is TunedThresholds
    assert options.items() <= model.get_params(deep=False).items()
    assert model.refit


def test_a_guarantee_is_for_a_model_that_has_not_seen_the_rows_of_the_thresholds():
    options = {"min_recall": 0.8, "guarantee": Certify(0.9)}
    # Expected F from probabilities has no thresholds to guarantee.
    for maximize in ("micro-f", "sample-f"):
        model = choose_learner("br", maximize, options, SETTINGS).model
        assert type(model) is TunedThresholds
        assert (model.refit, model.cv.get_n_splits()) == (False, 1)
        assert model.guarantee is options["guarantee"]


def test_a_model_with_thresholds_of_its_own_gets_the_options_that_it_takes():
    model = choose_learner("bags", "micro-f", {"shrink": 0.5}, SETTINGS).model
    assert (type(model), model.shrink) == (BagPlugin, 0.5)


@pytest.mark.parametrize(
    ("name", "maximize", "options", "message"),
    [
        ("auto", None, {"shrink": 0.0}, "--shrink is not for --learner auto"),
        ("br", "none", {"min_recall": 0.5}, "--min-recall is not for the own rule of br"),
        ("efp", None, {"shared": True}, "--shared is not for the own rule of efp"),
        ("br", "none", {"beta": 2.0}, "--beta is not for the own rule of br"),
        ("bags", "micro-f", {"fbr": 0.1}, "--fbr is not for BagPlugin"),
        ("auto", None, {"fbr": "nested"}, "--fbr is not for --learner auto"),
        ("br", "sample-f", {"fbr": "nested"}, "fbr does not go together with average=.sample"),
        ("br", None, {"fbr": "nested", "shrink": 0.5}, "shrink does not go together with fbr"),
        ("br", "micro-f", {"fbr": 0.1, "shared": True}, "fbr does not go together with shared"),
        ("br", None, {"guarantee": Certify(0.9)}, "guarantee needs min_precision or min_recall"),
        ("br", "micro-f", {"beta": -1.0}, "beta must be"),
        ("auto", None, {"beta": -1.0}, "beta must be"),
    ],
)
def test_options_that_a_learner_does_not_take_are_refused(name, maximize, options, message):
    with pytest.raises(ValueError, match=message):
        choose_learner(name, maximize, options, SETTINGS)
