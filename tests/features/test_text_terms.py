"""Terms of texts: counted as the definition says, for new texts, and after loading."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import LinearSVC
from snowballstemmer import stemmer

import labelwise
from labelwise.features import TextTerms

WORDS = st.sampled_from(
    ["sea", "seas", "The", "war", "wars", "a", "x1", "don't", "Ölsee", "w" * 101]
)
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=6)


def slow_counts(texts, *, stop_words, stem, sizes=(1, 1), low=1, high=np.inf):
    """Count terms as the documentation defines them, one text at a time."""
    reduce = stemmer("english").stemWord if stem else str
    found = []
    for text in texts:
        words = [w for w in re.findall(r"\w+", text.lower()) if 2 <= len(w) <= 100]
        words = [reduce(w) for w in words if w not in stop_words]
        grams = [
            " ".join(words[i : i + n])
            for n in range(sizes[0], sizes[1] + 1)
            for i in range(len(words) - n + 1)
        ]
        found.append(Counter(grams))
    df = Counter(term for counts in found for term in counts)
    terms = sorted(term for term, times in df.items() if low <= times <= high)
    return [[counts[term] for term in terms] for counts in found], terms


@given(TEXTS, st.booleans(), st.sampled_from([(1, 1), (1, 2), (2, 3)]), st.integers(1, 3))
def test_terms_are_counted_as_defined(texts, stem, sizes, low):
    stop_words = {"the"}
    expected, terms = slow_counts(texts, stop_words=stop_words, stem=stem, sizes=sizes, low=low)
    model = TextTerms(stop_words=stop_words, stem=stem, ngram_range=sizes, min_df=low)
    if not terms:
        with pytest.raises(ValueError, match="X must have a term in at least min_df texts"):
            model.fit(texts)
        return
    counts = model.fit_transform(texts)
    assert model.get_feature_names_out().tolist() == terms
    assert counts.toarray().tolist() == expected
    assert model.transform(texts).toarray().tolist() == expected


@given(
    st.lists(st.text(alphabet="aB \t\0é.\n", max_size=12), min_size=1, max_size=5),
    st.sampled_from([(1, 1), (2, 3), (2, 5), (4, 4)]),
    st.integers(1, 3),
)
def test_characters_are_counted_as_by_scikit_learn(texts, sizes, low):
    expected = CountVectorizer(analyzer="char_wb", ngram_range=sizes, min_df=low)
    model = TextTerms(analyzer="char_wb", ngram_range=sizes, min_df=low)
    blank = [text.replace("\0", " ") for text in texts]
    try:
        counts = expected.fit_transform(blank)
    except ValueError:  # no term is left
        with pytest.raises(ValueError, match="X must have a term in at least min_df texts"):
            model.fit(texts)
        return
    assert (model.fit_transform(texts) != counts).nnz == 0
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    new = ["ab", "", blank[0] + "BA"]
    assert (model.transform(new) != expected.transform(new)).nnz == 0


@given(
    st.lists(st.text(alphabet="aB \né.", max_size=12), min_size=1, max_size=5),
    st.sampled_from([(1, 1), (1, 2), (2, 4)]),
)
def test_plain_words_are_counted_as_by_scikit_learn(texts, sizes):
    expected = CountVectorizer(ngram_range=sizes)
    model = TextTerms(stop_words=None, stem=False, ngram_range=sizes)
    try:
        counts = expected.fit_transform(texts)
    except ValueError:  # no term is left
        with pytest.raises(ValueError, match="X must have a term in at least min_df texts"):
            model.fit(texts)
        return
    assert (model.fit_transform(texts) != counts).nnz == 0
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


def test_runs_of_more_than_100_characters_are_not_words():
    model = TextTerms(analyzer="char_wb", ngram_range=(2, 2)).fit(["b" * 101 + " a " + "c" * 100])
    assert model.get_feature_names_out().tolist() == [" a", " c", "a ", "c ", "cc"]


def test_document_frequencies_may_be_shares():
    texts = ["sea war", "sea", "sea sky", "sea war"]
    model = TextTerms(min_df=0.5, max_df=0.9).fit(texts)
    assert model.get_feature_names_out().tolist() == ["war"]


@pytest.mark.parametrize(
    "frame", [pa.table, pd.DataFrame, pl.DataFrame], ids=["pyarrow", "pandas", "polars"]
)
def test_columns_have_terms_of_their_own_and_are_found_by_name(frame):
    model = TextTerms().fit(frame({"title": ["sea", "war"], "body": ["a war", None]}))
    assert model.get_feature_names_out().tolist() == ["title:sea", "title:war", "body:war"]
    new = frame({"extra": ["x"], "body": ["war war"], "title": ["peace"]})
    assert model.transform(new).toarray().tolist() == [[0, 0, 2]]


def test_languages_have_stop_words_and_stems():
    german = TextTerms("german").fit(["Die Häuser und das Haus"])
    assert german.get_feature_names_out().tolist() == ["haus"]
    assert TextTerms(None).fit(["die häuser"]).get_feature_names_out().tolist() == ["die", "häuser"]
    with_all = TextTerms("german", stop_words=None).fit(["Die Häuser und das Haus"])
    assert with_all.get_feature_names_out().tolist() == ["das", "die", "haus", "und"]


@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_a_saved_model_counts_the_same_terms(tmp_path, analyzer):
    frame = pd.DataFrame({"a": ["the sea wars"], "b": ["sky"]})
    model = TextTerms(analyzer=analyzer, ngram_range=(1, 2)).fit(frame)
    labelwise.save(model, tmp_path / "terms.skops")
    loaded = labelwise.load(tmp_path / "terms.skops")
    new = pd.DataFrame({"a": ["sea war sea"], "b": ["sky sea"]})
    assert (loaded.transform(new) != model.transform(new)).nnz == 0
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    ("parameters", "X", "error", "complaint"),
    [
        ({}, "one text", TypeError, "X must be a sequence of texts, got one string"),
        ({}, ["a text", 3], TypeError, "X must be texts, got int at row 1, column 0"),
        ({}, [[["x"]]], ValueError, "X must be texts, or rows of texts, got 3 dimensions"),
        ({}, ["the", ""], ValueError, "X must have a term in at least min_df texts, got none"),
        ({"language": "klingon"}, ["x"], ValueError, "language must be None or one of arabic"),
        ({"stop_words": "the"}, ["x"], TypeError, "stop_words must be a collection of words"),
        ({"analyzer": "char"}, ["x"], ValueError, 'analyzer must be "word" or "char_wb", got'),
        ({"ngram_range": (2, 1)}, ["x"], ValueError, r"ngram_range\[1\] must be at least 2"),
        ({"min_df": -1}, ["x"], ValueError, "min_df must be from 0"),
        ({"max_df": 1.5}, ["x"], ValueError, "max_df must be from 0 to 1, got 1.5"),
    ],
)
def test_what_cannot_be_counted_is_refused(parameters, X, error, complaint):
    with pytest.raises(error, match=complaint):
        TextTerms(**parameters).fit(X)


def test_new_texts_must_have_the_columns_of_the_old_ones():
    model = TextTerms().fit(pd.DataFrame({"title": ["sea"], "body": ["war"]}))
    with pytest.raises(ValueError, match="X must have the text column 'title', which is missing"):
        model.transform(pd.DataFrame({"body": ["war"]}))
    with pytest.raises(ValueError, match=r"X has 1 columns of texts, but .* fitted to 2"):
        model.transform(["war"])


@pytest.mark.parametrize("options", [{}, {"analyzer": "char_wb", "ngram_range": (2, 3)}])
def test_counts_have_the_indices_that_solvers_of_scikit_learn_take(options):
    texts = ["calm sea", "dark woods", "sea and ships", "woods of the hills"]
    terms = TextTerms(**options)
    for counts in (terms.fit_transform(texts), terms.transform(texts)):
        assert counts.indices.dtype == counts.indptr.dtype == np.int32
        assert LinearSVC().fit(counts, [1, 0, 1, 0]).predict(counts).tolist() == [1, 0, 1, 0]


def test_sizes_beyond_the_longest_text_take_no_time():
    # Such numbers may stand in a model file.
    texts = ["one two three", "two three", ""]
    plain = {"stop_words": None, "stem": False}
    every = TextTerms(**plain, ngram_range=(1, 3)).fit(texts)
    more = TextTerms(**plain, ngram_range=(1, 2**31)).fit(texts)
    assert more.get_feature_names_out().tolist() == every.get_feature_names_out().tolist()
    np.testing.assert_array_equal(more.transform(texts).toarray(), every.transform(texts).toarray())
    every.set_params(ngram_range=(2**31, 2**31))
    assert every.transform(texts).nnz == 0
    with pytest.raises(ValueError, match="X must have a term in at least min_df texts"):
        TextTerms(**plain, ngram_range=(4, 2**31)).fit(texts)
