"""Documents with selected terms only have the same entries as their columns."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from labelwise.learners._okapi_neighbors import only_terms

DOCUMENTS = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 6)),
    elements=st.sampled_from([0.0, 0.0, 1.0, 2.0]),
)


@given(DOCUMENTS, st.data())
def test_entries_of_other_terms_are_gone_and_all_others_stay(dense, data):
    terms = data.draw(st.lists(st.integers(0, dense.shape[1] - 1), unique=True))
    found = only_terms(sparse.csr_array(dense), np.array(terms, dtype=np.int64))
    expected = np.where(np.isin(np.arange(dense.shape[1]), terms), dense, 0.0)
    assert np.array_equal(found.toarray(), expected)
    assert found.nnz == np.count_nonzero(expected)
