"""Vectors of one or two classes as the column of one label, and back."""

from types import SimpleNamespace

import numpy as np
import pytest

from labelwise._estimators._vector_targets import (
    as_label_column,
    check_target_classes,
    classes_of_decisions,
    proba_of_classes,
    scores_of_classes,
)


@pytest.mark.parametrize(
    "y", [[0, 1, 1], ["no", "yes", "yes"], np.array([False, True, True]), [3, 3, 3]]
)
def test_decisions_for_the_column_of_a_vector_are_the_vector(y):
    column, classes = as_label_column(y)
    fitted = SimpleNamespace(target_classes_=classes)
    np.testing.assert_array_equal(classes_of_decisions(fitted, column.astype(int)), y)
    assert check_target_classes(fitted) == 1


def test_a_matrix_and_answers_to_it_stay_as_they_are():
    Y = np.eye(3)
    assert as_label_column(Y) == (Y, None)
    fitted = SimpleNamespace(target_classes_=None, classes_=[0, 1, 2])
    for answer in (classes_of_decisions, scores_of_classes, proba_of_classes):
        assert answer(fitted, Y) is Y
    assert check_target_classes(fitted) == 3


def test_each_class_has_a_column_of_probabilities_and_scores_are_a_vector():
    two, one = (SimpleNamespace(target_classes_=np.arange(n)) for n in (2, 1))
    proba = np.array([[0.25], [0.5]])
    np.testing.assert_array_equal(proba_of_classes(two, proba), [[0.75, 0.25], [0.5, 0.5]])
    assert proba_of_classes(one, np.zeros((2, 1))).tolist() == [[1], [1]]
    np.testing.assert_array_equal(scores_of_classes(two, proba), [0.25, 0.5])


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
