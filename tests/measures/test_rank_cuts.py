import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from labelwise.decisions import rank_cut
from labelwise.measures import _ranks, count, f_measure, micro, rank_cut_f

shapes = st.tuples(st.integers(1, 6), st.integers(1, 5))
tied = st.sampled_from([-1.0, 0.0, 0.5, 0.5, 2.0])


@given(shapes, st.data(), st.sampled_from([0.5, 1.0, 2.0]), st.booleans())
def test_every_rank_cut_has_the_f_of_its_decisions(shape, data, beta, is_sparse):
    Y = data.draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 1)))
    scores = data.draw(arrays.arrays(np.float64, shape, elements=tied))
    if is_sparse:
        # Scores of 0 are left out: absent, and never decided.
        scores = sparse.csr_array(scores)
    found = rank_cut_f(Y, scores, beta=beta)
    expected = [
        micro(f_measure, count(Y, rank_cut(scores, k)), beta=beta) for k in range(1, shape[1] + 1)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_blocks_of_rows_do_not_change_the_values(monkeypatch):
    random = np.random.default_rng(0)
    Y, scores = random.random((50, 7)) < 0.3, random.random((50, 7)).astype(np.float32)
    whole = rank_cut_f(Y, scores)
    monkeypatch.setattr(_ranks, "_BLOCK", 21)
    assert np.array_equal(rank_cut_f(Y, scores), whole)
    assert np.array_equal(rank_cut_f(sparse.csr_array(Y), sparse.csr_array(scores)), whole)


def test_scores_are_needed():
    with pytest.raises(TypeError, match="scores must be an array"):
        rank_cut_f([[1]], None)
