"""Micro F at every number of labels is that of the decisions by rank."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from labelwise.decisions import rank_cut
from labelwise.measures import count, f_measure, micro
from studies.olsson2006.rank_cuts import rank_cut_f

shapes = st.tuples(st.integers(1, 6), st.integers(1, 5))
tied = st.sampled_from([-1.0, 0.0, 0.5, 0.5, 2.0])


@given(shapes, st.data())
def test_every_rank_cut_has_the_f_of_its_decisions(shape, data):
    Y = data.draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 1)))
    scores = data.draw(arrays.arrays(np.float64, shape, elements=tied))
    expected = [micro(f_measure, count(Y, rank_cut(scores, k))) for k in range(1, shape[1] + 1)]
    for truth in (Y, sparse.csc_array(Y, dtype=bool)):
        np.testing.assert_allclose(rank_cut_f(truth, scores), expected, rtol=1e-12)
