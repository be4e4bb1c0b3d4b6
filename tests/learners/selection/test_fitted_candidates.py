"""The chosen candidates score and decide all labels."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from labelwise._sigmoids import Sigmoids
from labelwise._tuning import Request
from labelwise.data import make_multilabel
from labelwise.decisions import maximize_expected_f_independent
from labelwise.learners import BinaryRelevance
from labelwise.learners.selection._rules import FittedCandidates

CONSTANTS = np.array([np.nan, 1.0, np.nan, 0.0])
VARIES = [0, 2]


def fitted(rule, *models):
    data, _ = make_multilabel(60, n_features=3, n_labels=2, random_state=0)
    Y = data.Y.toarray().astype(np.int64)
    estimators = [BinaryRelevance(model).fit(data.X, Y) for model in models]
    sigmoids = [
        Sigmoids(np.array([2.0, 0.5]), np.array([0.1, -1.0 - k])) for k in range(len(models))
    ]
    return data.X, FittedCandidates(estimators, sigmoids, CONSTANTS, rule)


def test_one_candidate_gives_its_own_scores_and_ends_for_constant_labels():
    X, model = fitted("thresholds", LogisticRegression())
    scores = model.scores(X)
    np.testing.assert_array_equal(scores[:, VARIES], model.estimators[0].decision_function(X))
    np.testing.assert_array_equal(scores[:, [1, 3]], np.tile([1, -1], (60, 1)))


def test_probabilities_of_constant_labels_are_0_and_1():
    X, model = fitted("thresholds", DecisionTreeClassifier(max_depth=2, random_state=0))
    np.testing.assert_array_equal(model.scores(X)[:, [1, 3]], np.tile([1, 0], (60, 1)))


def test_scores_of_a_blend_are_mean_log_odds():
    trees = DecisionTreeClassifier(max_depth=2, random_state=0)
    X, model = fitted("thresholds", LogisticRegression(), trees)
    linear, tree = model.estimators
    parts = [
        model.sigmoids[0].log_odds(linear.decision_function(X)),
        model.sigmoids[1].log_odds(tree.predict_proba(X)),
    ]
    np.testing.assert_allclose(model.scores(X)[:, VARIES], (parts[0] + parts[1]) / 2)


@pytest.mark.parametrize("rule", ["expected-f", "own"])
def test_label_sets_follow_the_rule(rule):
    X, model = fitted(rule, LogisticRegression())
    sets = model.label_sets(X, Request(maximize="sample-f"))
    expected, _ = maximize_expected_f_independent(expit(model.log_odds(X)))
    if rule == "own":
        expected = model.estimators[0].predict(X)
    np.testing.assert_array_equal(sets[:, VARIES], expected)
    np.testing.assert_array_equal(sets[:, [1, 3]], np.tile([1, 0], (60, 1)))


def test_without_estimators_there_are_constant_labels_only():
    model = FittedCandidates([], [], np.array([1.0, 0.0]), "thresholds")
    assert model.log_odds(np.zeros((3, 2))).shape == (3, 0)
    np.testing.assert_array_equal(model.scores(np.zeros((3, 2))), np.tile([1, -1], (3, 1)))
