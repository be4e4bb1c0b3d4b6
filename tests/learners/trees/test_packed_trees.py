"""Packed forests are small, and damaged ones are refused."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from labelwise.learners import CalibratedLabelRanking
from labelwise.learners.trees._packed_trees import check_forests
from tests.learners.trees.problems import some_data

FEW = RandomForestClassifier(4, max_depth=3, random_state=0)


def test_forests_are_kept_in_a_fifth_of_the_memory():
    X, Y = some_data(n_samples=200)
    model = CalibratedLabelRanking(random_state=0).fit(X, Y)
    forests = model.models_
    assert forests.starts.tolist() == list(range(0, 101, 10))
    n_bytes = forests.code.nbytes + forests.value.nbytes + forests.jump.nbytes
    assert n_bytes == 16 * forests.code.size


@pytest.mark.parametrize(
    ("field", "place", "entry"),
    [
        ("code", 0, 8),  # a feature that is not there
        ("code", -1, 0),  # no leaf at the end
        ("code", 0, -2),
        ("jump", 0, 0),  # no end
        ("jump", 0, -3),
        ("jump", 0, 10**6),
        ("roots", 0, -1),
        ("roots", 0, 10**6),
        ("starts", 0, 1),
        ("starts", 1, 0),
        ("starts", -1, 10**6),
    ],
)
def test_trees_that_lead_nowhere_are_refused(field, place, entry):
    X, Y = some_data()
    forests = CalibratedLabelRanking(FEW).fit(X, Y).models_
    check_forests(forests, 4)
    getattr(forests, field)[place] = entry
    with pytest.raises(ValueError, match="must lead from each root to a leaf"):
        check_forests(forests, 4)


def test_trees_in_other_kinds_of_numbers_are_refused():
    X, Y = some_data()
    forests = CalibratedLabelRanking(FEW).fit(X, Y).models_
    with pytest.raises(ValueError, match="arrays of the right kind"):
        check_forests(forests._replace(code=forests.code.astype(np.int64)), 4)
