"""Terms are counted and weighted as their definitions say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from labelwise.data import count_terms, tf_idf
from tests.oracles.terms import counted_terms, weighted

WORDS = st.sampled_from(
    ["The", "ships", "ship's", "shipping", "don't", "SAIL", "sailing", "a", "Öl", "x1y", "'quoted'"]
)
TEXTS = st.lists(
    st.lists(WORDS | st.text(max_size=5), max_size=8).map(" ".join), min_size=1, max_size=5
)
COUNTS = st.integers(1, 5).flatmap(
    lambda n_terms: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 7]), min_size=n_terms, max_size=n_terms),
        min_size=1,
        max_size=6,
    )
)


@given(texts=TEXTS, stop_words=st.sampled_from([(), ("the", "sail")]), stem=st.booleans())
def test_counts_are_those_of_the_definition(texts, stop_words, stem):
    counts, terms = count_terms(iter(texts), stop_words=stop_words, stem=stem)
    expected = counted_terms(texts, stop_words, stem)
    assert terms == tuple(sorted(set().union(*expected)))
    assert counts.toarray().tolist() == [[row[term] for term in terms] for row in expected]
    assert counts.has_canonical_format


@given(counts=COUNTS, data=st.data())
def test_weights_are_those_of_the_definition(counts, data):
    rows = data.draw(st.sets(st.integers(0, len(counts) - 1), min_size=1).map(sorted))
    result = tf_idf(sparse.csr_array(counts), np.array(rows))
    assert np.allclose(result.toarray(), weighted(counts, rows), rtol=1e-14)
    mask = np.isin(np.arange(len(counts)), rows)
    assert np.array_equal(tf_idf(counts, mask).toarray(), result.toarray())


@given(counts=COUNTS)
def test_all_documents_count_unless_rows_are_given(counts):
    expected = weighted(counts, range(len(counts)))
    assert np.allclose(tf_idf(counts).toarray(), expected, rtol=1e-14)


def test_a_stored_zero_is_no_occurrence():
    counts = sparse.csr_array(([2.0, 0.0, 1.0], [0, 0, 1], [0, 1, 3]), shape=(2, 2))
    result = tf_idf(counts)
    assert np.allclose(result.toarray(), [[2 * np.log(2), 0], [0, np.log(2)]])
    assert result.nnz == 2


def test_weighting_leaves_the_counts_as_they_are():
    counts = sparse.csr_array(np.array([[2.0, 0.0], [0.0, 1.0]]))
    tf_idf(counts)
    assert counts.toarray().tolist() == [[2.0, 0.0], [0.0, 1.0]]


def test_stop_words_are_english_by_default():
    assert count_terms(["the sea and the sky"])[1] == ("sea", "sky")


def test_a_single_string_is_no_list_of_texts():
    with pytest.raises(TypeError, match="texts must be a sequence of texts"):
        count_terms("the sea")


def test_weights_need_a_document():
    with pytest.raises(ValueError, match="rows must contain at least one document"):
        tf_idf([[1, 2]], [])
