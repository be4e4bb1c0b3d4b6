"""The target of fit is checked before any work, and stored as scikit-learn's users expect it."""

from types import SimpleNamespace

import numpy as np
import pytest

from labelwise._estimators import check_target, store_target
from labelwise.learners import BinaryRelevance

X = np.zeros((3, 1))


def test_a_matrix_keeps_its_names_and_a_vector_its_classes():
    matrix = check_target(BinaryRelevance(), X, [{"sea"}, {"sky"}, set()])
    assert (matrix.names, matrix.classes) == (("sea", "sky"), None)
    vector = check_target(BinaryRelevance(), X, ["no", "yes", "no"])
    assert vector.classes.tolist() == ["no", "yes"]
    assert vector.matrix.toarray().tolist() == [[False], [True], [False]]


@pytest.mark.parametrize(
    ("y", "classes"), [([[1, 0], [0, 1], [0, 0]], [0, 1]), (["no", "yes", "no"], ["no", "yes"])]
)
def test_classes_are_numbers_of_labels_or_those_of_the_vector(y, classes):
    stored = SimpleNamespace()
    store_target(stored, check_target(BinaryRelevance(), X, y))
    assert stored.classes_.tolist() == classes


@pytest.mark.parametrize(
    ("y", "complaint"),
    [
        (None, "BinaryRelevance requires y to be passed, but the target y is None"),
        ([[1], [0]], "inconsistent numbers of samples"),
        (np.zeros((3, 0)), "Y must have a row and a label, got 3 rows and 0 labels"),
    ],
)
def test_targets_that_cannot_be_learnt_are_refused(y, complaint):
    with pytest.raises(ValueError, match=complaint):
        check_target(BinaryRelevance(), X, y)
