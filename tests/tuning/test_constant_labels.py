"""Labels with one class in training are always, or never, decided."""

import numpy as np

from labelwise._tuning import Request, thresholds_of_no_label, with_constant_labels
from labelwise.decisions import best_thresholds


def test_constants_are_decided_as_in_training_and_other_labels_as_tuned():
    Y = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 0]])
    scores = np.array([[0.9], [0.2], [0.6], [0.3]])
    tuned = best_thresholds(scores, Y[:, [1]])
    constants = np.array([1.0, np.nan, 0.0])
    found = with_constant_labels(tuned, constants, Y, ("a", "b", "c"))
    decided = found.decide(np.column_stack([scores, scores, scores]))
    np.testing.assert_array_equal(decided, Y)
    np.testing.assert_array_equal(found.evidence.support, [4, 2, 0])
    np.testing.assert_array_equal(found.evidence.decided, [4, 2, 0])
    assert found.value == tuned.value
    assert found.label_names == ("a", "b", "c")


def test_without_any_other_label_there_is_no_value():
    request = Request(maximize="macro-jaccard")
    none = thresholds_of_no_label(request)
    found = with_constant_labels(none, np.array([0.0, 1.0]), np.array([[0, 1]]), None)
    np.testing.assert_array_equal(found.values, [np.inf, -np.inf])
    assert np.isnan(found.value)
    assert (found.evidence.measure, found.evidence.average) == ("jaccard", "macro")
    costs = thresholds_of_no_label(Request(cost=(1, 2), n_labels=2))
    assert costs.evidence.measure == "cost"
