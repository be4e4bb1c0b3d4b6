"""Vectors of one or two classes as the column of one label, and back."""

from typing import Any

import numpy as np
import pytest

from labelwise._estimators import (
    ProbabilityClassifier,
    ScoringClassifier,
    as_label_column,
    learn_targets,
)


class Repeat(ScoringClassifier, ProbabilityClassifier):
    """Answers with X."""

    def fit(self, X: Any, y: Any) -> "Repeat":
        learn_targets(self, X, y)
        return self

    def _proba(self, X: Any) -> np.ndarray:
        return X

    _scores = _decided = _proba


@pytest.mark.filterwarnings("ignore:Y has one class")
@pytest.mark.parametrize(
    "y", [[0, 1, 1], ["no", "yes", "yes"], np.array([False, True, True]), [3, 3, 3]]
)
def test_decisions_for_the_column_of_a_vector_are_the_vector(y):
    column, _ = as_label_column(y)
    fitted = Repeat().fit(column, y)
    np.testing.assert_array_equal(fitted.predict(column), y)
    fitted._check_loaded()
    assert fitted.score(column, y) == 1


def test_a_matrix_and_answers_to_it_stay_as_they_are():
    Y = np.eye(3)
    assert as_label_column(Y) == (Y, None)
    fitted = Repeat().fit(Y, Y)
    for answer in (fitted.predict, fitted.decision_function, fitted.predict_proba):
        np.testing.assert_array_equal(answer(Y), Y)
    fitted._check_loaded()


@pytest.mark.filterwarnings("ignore:Y has one class")
def test_each_class_has_a_column_of_probabilities_and_scores_are_a_vector():
    proba = np.array([[0.25], [0.5]])
    two, one = (Repeat().fit(proba, y) for y in ([0, 1], [0, 0]))
    np.testing.assert_array_equal(two.predict_proba(proba), [[0.75, 0.25], [0.5, 0.5]])
    assert one.predict_proba(np.zeros((2, 1))).tolist() == [[1], [1]]
    np.testing.assert_array_equal(two.decision_function(proba), [0.25, 0.5])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 2], "must have at most two classes, got 3"),
        (np.array([1j, 2]), "y must contain classes, got complex128"),
        ([0.5, 1.5], "Unknown label type"),
        ([0, np.nan], "NaN"),
    ],
)
def test_other_vectors_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        as_label_column(y)
