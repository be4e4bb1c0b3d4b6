"""The exact F plug-in: splits of the samples that its regressions use."""

import numpy as np
from sklearn.model_selection import KFold

from labelwise.learners._exact_f import _splits_of_rows


def test_given_splits_of_all_samples_become_splits_of_the_rows_that_are_kept():
    X, Y, rows = np.zeros((6, 1)), np.ones((6, 1)), np.array([1, 2, 4, 5])
    given = [([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])]
    found = _splits_of_rows(given, X, Y, rows)
    for (train, test), (all_train, all_test) in zip(found, given, strict=True):
        assert rows[train].tolist() == [i for i in all_train if i in rows]
        assert rows[test].tolist() == [i for i in all_test if i in rows]


def test_numbers_of_folds_and_splitters_split_the_rows_themselves():
    X, Y, folds = np.zeros((6, 1)), np.ones((6, 1)), KFold(2)
    assert _splits_of_rows(3, X, Y, np.arange(4)) == 3
    assert _splits_of_rows(folds, X, Y, np.arange(4)) is folds
