"""Labels, scores and decisions checked together."""

import numpy as np
import pandas as pd
import pytest

from labelwise._validation import check_outcome


def test_columns_with_names_are_matched_by_name():
    Y = pd.DataFrame({"a": [1, 0], "b": [0, 1]})
    scores = pd.DataFrame({"b": [0.1, 0.9], "a": [0.8, 0.2]})
    outcome = check_outcome(Y, scores=scores, decided=[{"a"}, {"a", "b"}])
    assert outcome.names == ("a", "b")
    np.testing.assert_array_equal(outcome.scores, [[0.8, 0.1], [0.2, 0.9]])
    np.testing.assert_array_equal(outcome.decided.toarray(), [[1, 0], [1, 1]])


def test_samples_of_weight_0_are_left_out():
    outcome = check_outcome([[1], [0], [1]], scores=[[0.1], [0.2], [0.3]]).weighted([2, 0, 1])
    np.testing.assert_array_equal(outcome.Y.toarray(), [[1], [1]])
    np.testing.assert_array_equal(outcome.scores, [[0.1], [0.3]])
    np.testing.assert_array_equal(outcome.weights, [2, 1])


def test_scores_as_sets_and_empty_labels_are_refused():
    with pytest.raises(TypeError, match=r"scores must be an array.*got a list of sets"):
        check_outcome([[1]], scores=[{"a"}])
    with pytest.raises(ValueError, match="Y must have a row and a label, got 0 rows and 2 labels"):
        check_outcome(np.zeros((0, 2)))
