"""Classes of the regressions of `ExactFPlugin` are a label together with the label-set size."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from labelwise.learners._exact_f import size_tasks


@given(arrays.arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 4))))
def test_every_column_has_the_samples_of_its_label_at_its_size(Y):
    found = size_tasks(sparse.csc_array(Y))
    sizes = Y.sum(axis=1)
    # The value of each label, and of the empty set, in each sample.
    values = np.column_stack([Y * sizes[:, None], sizes == 0])
    expected = [(j, s) for j, column in enumerate(values.T) for s in np.unique(column)]
    assert list(zip(found.labels, found.sizes, strict=True)) == expected
    learned = np.column_stack([values[:, j] == s for j, s in expected])[:, found.columns]
    np.testing.assert_array_equal(found.tasks.targets.toarray(), learned)
    # One class of each task, the first, follows from the others.
    n_classes = np.array([np.unique(column).size for column in values.T])
    np.testing.assert_array_equal(found.widths, n_classes)
    np.testing.assert_array_equal(found.is_task, n_classes > 1)
    np.testing.assert_array_equal(found.tasks.widths, n_classes[n_classes > 1] - 1)
