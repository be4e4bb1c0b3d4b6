"""Numbers of distinct label sets."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from labelwise._validation import label_set_numbers


@given(arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 4))))
def test_two_rows_have_the_same_number_if_and_only_if_they_have_the_same_labels(Y):
    numbers = label_set_numbers(sparse.csc_array(Y))
    same = (Y[:, None] == Y[None]).all(axis=2)
    np.testing.assert_array_equal(numbers[:, None] == numbers[None], same)
    assert set(numbers) == set(range(len(set(numbers))))
