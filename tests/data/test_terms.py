"""Terms of Reuters are counted as their definition says."""

from hypothesis import given, strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from labelwise.data._reuters import count_terms
from tests.oracles.terms import counted_terms

WORDS = st.sampled_from(
    ["The", "ships", "ship's", "shipping", "don't", "SAIL", "sailing", "a", "Öl", "x1y", "'quoted'"]
)
TEXTS = st.lists(
    st.lists(WORDS | st.text(max_size=5), max_size=8).map(" ".join), min_size=1, max_size=5
)


@given(texts=TEXTS)
def test_counts_are_those_of_the_definition(texts):
    counts, terms = count_terms(iter(texts))
    expected = counted_terms(texts, ENGLISH_STOP_WORDS)
    assert terms == tuple(sorted(set().union(*expected)))
    assert counts.toarray().tolist() == [[row[term] for term in terms] for row in expected]
    assert counts.has_canonical_format


def test_stop_words_are_not_counted():
    assert count_terms(["the sea and the sky"])[1] == ("sea", "sky")
