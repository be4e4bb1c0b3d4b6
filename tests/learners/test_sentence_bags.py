"""Texts as bags of sentences: each sentence is encoded alone, in the order of the text."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from sklearn import config_context
from sklearn.pipeline import make_pipeline

from labelwise.data import Bags, split_sentences
from labelwise.features import TextTerms
from labelwise.learners import BagPlugin, BinaryRelevance, SentenceBags

TEXTS = ["The sea is calm. Ships sail.", "Dark woods.", "", "Hills! Woods? A sea."]
WORDS = st.sampled_from(["sea", "Woods.", "Hills!", "sea.", "\u2029", "ship"])
PAGES = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=5)


@given(PAGES)
def test_the_rows_of_a_bag_are_the_encoded_sentences_of_the_text(pages):
    terms = TextTerms().fit(TEXTS)
    model = SentenceBags(TextTerms()).fit(TEXTS)
    bags = model.transform(pages)
    for bag, sentences in zip(bags, split_sentences(pages), strict=True):
        assert np.array_equal(bag.toarray(), terms.transform(sentences).toarray())
    assert model.get_feature_names_out().tolist() == terms.get_feature_names_out().tolist()


def test_sums_of_counts_are_those_of_whole_texts():
    bags = SentenceBags().fit_transform(TEXTS)
    whole = TextTerms().fit(TEXTS).transform(TEXTS).toarray()
    assert np.array_equal([bag.sum(axis=0) for bag in bags], whole)


@pytest.mark.parametrize("form", [pa.table, pd.DataFrame])
def test_sentences_of_several_columns_are_in_their_columns(form):
    frame = form({"n": [1, 2], "title": ["Sea", "Woods"], "text": ["Ships. Sea.", ""]})
    model = SentenceBags(text=["title", "text"]).fit(frame)
    bags = model.transform(frame)
    names = model.get_feature_names_out().tolist()
    assert names == ["title:sea", "title:wood", "text:sea", "text:ship"]
    rows = [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert bags.rows.toarray().tolist() == rows
    assert bags.sizes.tolist() == [3, 2]
    assert model.feature_names_in_.tolist() == ["title", "text"]


def test_columns_of_texts_are_recognised_and_others_unused():
    frame = pa.table({"page": [f"A calm sea and {i} ships." for i in range(9)], "n": range(9)})
    model = SentenceBags().fit(frame)
    assert model.feature_names_in_.tolist() == ["page"]
    again = SentenceBags().fit(frame).transform(frame.select(["page"]))
    assert np.array_equal(again.rows.toarray(), model.transform(frame).rows.toarray())


def test_what_is_no_text_is_refused():
    frame = pa.table({"n": [1.5, 2.5], "text": ["Sea.", "Woods."]})
    with pytest.raises(ValueError, match="X must have the column of texts"):
        SentenceBags().fit(frame.select(["n"]))
    with pytest.raises(ValueError, match="X must have the column 'title'"):
        SentenceBags(text="title").fit(frame)
    with pytest.raises(TypeError, match="X must have texts, got int"):
        SentenceBags().fit([1, 2])
    model = SentenceBags(text="text").fit(frame)
    with pytest.raises(ValueError, match="X must have the column 'text'"):
        model.transform(frame.select(["n"]))
    with pytest.raises(TypeError, match="columns in transform if it had some in fit"):
        model.transform(["Sea."])


def test_a_missing_text_is_an_empty_one():
    model = SentenceBags().fit(TEXTS)
    assert model.transform([None]).rows.nnz == 0
    frame = pa.table({"text": ["Sea.", None]})
    assert SentenceBags(text="text").fit(frame).transform(frame).sizes.tolist() == [1, 1]


def test_bags_stay_bags_if_transformers_give_frames():
    with config_context(transform_output="pandas"):
        terms = TextTerms().set_output(transform="default")
        assert isinstance(SentenceBags(terms).fit_transform(TEXTS), Bags)


def test_a_pipeline_finds_the_sentence_of_each_label():
    texts = ["The sea is calm. Nothing else.", "Nothing else. Dark woods."] * 10
    Y = np.array([[1, 0], [0, 1]] * 10)
    inner = BinaryRelevance(penalty=0.01)
    model = make_pipeline(SentenceBags(), BagPlugin(inner, training="sums", cv=2, random_state=0))
    model.fit(texts, Y)
    assert np.array_equal(model.predict(texts), Y)
    top = model[-1].predict_instances(model[:-1].transform(texts)).top_instance
    assert (top[0, 0], top[1, 1]) == (0, 1)


def test_all_columns_of_an_array_are_texts():
    pages = np.array([["Sea. Ships.", "woods"], ["Hills", "Sea"]])
    model = SentenceBags().fit(pages)
    assert model.get_feature_names_out().tolist() == [
        "x0:hill",
        "x0:sea",
        "x0:ship",
        "x1:sea",
        "x1:wood",
    ]
    assert model.transform(pages).sizes.tolist() == [3, 2]
    with pytest.raises(TypeError, match="X must have texts, got"):
        SentenceBags().fit(np.ones((2, 2)))
