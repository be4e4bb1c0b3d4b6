"""Labels that have one class are found, and one warning names them."""

import numpy as np
import pytest
from scipy import sparse

from labelwise._estimators import (
    constant_labels,
    warn_of_constants,
)


def test_constant_labels_are_found_in_dense_and_sparse_labels():
    Y = np.array([[0, 1, 0], [0, 1, 1]])
    for labels in (Y, sparse.csc_array(Y, dtype=bool)):
        np.testing.assert_array_equal(constant_labels(labels), [0, 1, np.nan])


def test_one_warning_names_the_labels_with_one_class():
    with pytest.warns(
        UserWarning, match="one class only for label 'sea', 'sky': decided as"
    ) as caught:
        warn_of_constants(np.array([0, np.nan, 1]), ("sea", "sun", "sky"))
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="label 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 5 more: "):
        warn_of_constants(np.zeros(15), None)
    warn_of_constants(np.array([np.nan]), None)
