"""A model decides for a measure by the rule that suits its scores."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from labelwise.cli._chosen_learner import _deciding_for
from labelwise.decisions import TunedThresholds
from labelwise.learners import BagPlugin, BinaryRelevance, IndependentFPlugin


def test_the_f_of_samples_is_expected_from_probabilities():
    model = _deciding_for(BinaryRelevance(LogisticRegression()), "sample-f", 2.0, 0)
    assert type(model) is IndependentFPlugin
    assert model.beta == 2.0


@pytest.mark.parametrize(
    ("base", "maximize"),
    [(LogisticRegression(), "sample-jaccard"), (LinearSVC(), "sample-f")],
)
def test_every_other_measure_and_model_gets_tuned_thresholds(base, maximize):
    model = _deciding_for(BinaryRelevance(base), maximize, 1.0, 7)
    assert type(model) is TunedThresholds
    assert (model.maximize, model.random_state) == (maximize, 7)


def test_a_model_with_thresholds_of_its_own_gets_the_measure():
    model = BagPlugin()
    assert _deciding_for(model, "micro-jaccard", 1.0, 0) is model
    assert model.maximize == "micro-jaccard"


def test_a_model_without_scores_is_refused():
    with pytest.raises(TypeError, match="model must give scores, and BaseEstimator gives none"):
        _deciding_for(BaseEstimator(), "micro-f", 1.0, 0)
