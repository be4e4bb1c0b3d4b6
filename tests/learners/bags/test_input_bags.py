"""Bag learners take a data set, a list of arrays, or a matrix whose rows are bags of one."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from labelwise.data import make_digit_bags
from labelwise.learners.bags._bag_scores import bag_labels, learn_bags


def test_every_form_of_the_same_bags_gives_the_same_bags():
    data = make_digit_bags(5, random_state=0)
    expected = data.samples
    listed = [expected.rows[first:end] for first, end in pairwise(expected.starts)]
    for form in (data, expected, listed):
        learner = BaseEstimator()
        bags = learn_bags(learner, form)
        np.testing.assert_array_equal(bags.rows, expected.rows)
        np.testing.assert_array_equal(bags.starts, expected.starts)
        assert learner.n_features_in_ == expected.rows.shape[1]


def test_rows_of_a_matrix_are_bags_of_one():
    bags = learn_bags(BaseEstimator(), np.eye(3))
    assert bags.starts.tolist() == [0, 1, 2, 3]


def test_labels_come_from_the_data_set_or_beside_x_but_not_from_both():
    data = make_digit_bags(5, random_state=0)
    Y, names = bag_labels(data, None)
    assert Y is data.Y
    assert names == data.label_names
    assert bag_labels([np.eye(2)], [[1]]) == ([[1]], None)
    with pytest.raises(ValueError, match="Y must be left out"):
        bag_labels(data, data.Y)
