"""Scores of a fitted estimator come as one matrix, whatever form the estimator gives them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from labelwise._estimators import (
    score_matrix,
    scoring_method,
)


class Answers(BaseEstimator):
    """An estimator that gives what it was told to."""

    def __init__(self, answer, classes_=None):
        self.answer = answer
        if classes_ is not None:
            self.classes_ = classes_

    def predict_proba(self, X):  # noqa: ARG002
        return self.answer


HALVES = np.array([[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("answer", "classes", "n_labels", "expected"),
    [
        (HALVES, None, 2, HALVES),
        (sparse.lil_array(HALVES), None, 2, HALVES),
        (pd.DataFrame(HALVES), None, 2, HALVES),
        ([HALVES, HALVES], None, 2, [[0.75, 0.75], [0.5, 0.5]]),
        (np.array([HALVES, HALVES, HALVES]), None, 3, [[0.75] * 3, [0.5] * 3]),
        ([HALVES, np.ones((2, 1))], [[0, 1], [0]], 2, [[0.75, 0], [0.5, 0]]),
        ([HALVES, np.ones((2, 1))], [[0, 1], [1]], 2, [[0.75, 1], [0.5, 1]]),
        ([HALVES[:, 0], HALVES[:, 1]], [[0, 1], [0, 1]], 2, HALVES),
        (HALVES, [0, 1], 1, [[0.75], [0.5]]),
        (HALVES[:, 0], None, 1, [[0.25], [0.5]]),
        (HALVES[:, :1], None, 1, [[0.25], [0.5]]),
        ([HALVES], None, 1, [[0.75], [0.5]]),
    ],
)
def test_every_form_of_probabilities_is_understood(answer, classes, n_labels, expected):
    scores = score_matrix(Answers(answer, classes), np.zeros((2, 1)), n_labels)
    np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize(
    ("answer", "n_labels", "message"),
    [
        (HALVES, 3, r"Answers.predict_proba must give .* 2 rows and 3 labels, got shape \(2, 2\)"),
        (HALVES[:1], 2, r"got shape \(1, 2\)"),
        ([HALVES], 2, r"got shape \(2, 1\)"),
        (HALVES * [1, np.nan], 2, "predict_proba must be finite, got nan at row 0, label 1"),
    ],
)
def test_other_forms_are_refused_by_name(answer, n_labels, message):
    with pytest.raises(ValueError, match=message):
        score_matrix(Answers(answer), np.zeros((2, 1)), n_labels)


def test_an_estimator_without_scores_is_refused():
    with pytest.raises(TypeError, match="decision_function or predict_proba, but BaseEstimator"):
        scoring_method(BaseEstimator())
