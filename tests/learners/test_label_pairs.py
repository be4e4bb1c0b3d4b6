"""A pair of labels is learned from the samples that have exactly one of the two."""

import numpy as np
from hypothesis import given
from scipy import sparse

from labelwise.learners._calibrated_ranking import all_pairs, pair_samples
from tests.learners.trees.problems import small_problems


def test_pairs_that_show_one_class_or_none_have_a_fixed_vote():
    # a is never seen without b; c is never; d is always; a and e are the same.
    Y = sparse.csc_array(np.array([[1, 1, 0, 1, 1], [0, 1, 0, 1, 0], [0, 0, 0, 1, 0]], dtype=bool))
    pairs, votes = all_pairs(Y)
    fixed = dict(zip(map(tuple, pairs.tolist()), votes, strict=True))
    assert [fixed[pair] for pair in [(0, 1), (0, 2), (0, 3), (0, 4)]] == [0, 1, 0, 0.5]
    assert [fixed[pair] for pair in [(2, 5), (3, 5), (2, 3)]] == [0, 1, 0]
    assert np.isnan(fixed[0, 5])


@given(problem=small_problems())
def test_pairs_learn_from_samples_with_exactly_one_of_the_two(problem):
    Y = problem[1]
    n_labels = Y.shape[1]
    matrix = sparse.csc_array(Y.astype(bool))
    pairs, votes = all_pairs(matrix)
    assert len(pairs) == n_labels * (n_labels + 1) / 2
    for (j, k), fixed in zip(pairs, votes, strict=True):
        rows, target = pair_samples(matrix, j, k)
        if k == n_labels:
            assert rows is None
            np.testing.assert_array_equal(target, Y[:, j])
        else:
            np.testing.assert_array_equal(rows, np.flatnonzero(Y[:, j] != Y[:, k]))
            np.testing.assert_array_equal(target, Y[rows, j])
        assert np.isnan(fixed) == (np.unique(target).size == 2)
        if not np.isnan(fixed):
            assert fixed == (target[0] if target.size else 0.5)
