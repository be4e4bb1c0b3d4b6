"""The sentence that decided a label is the one that the model scores highest alone."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from sklearn.pipeline import make_pipeline

from labelwise.data import split_sentences
from labelwise.decisions import TunedThresholds
from labelwise.features import TableFeatures, TextTerms
from labelwise.learners import BagPlugin, BinaryRelevance, SentenceBags, deciding_sentences

TEXTS = ["calm blue sea", "sea and ships", "dark woods", "woods of the hills", "sea near hills"] * 8
TOPICS = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]] * 8)
MODELS = {
    "linear": make_pipeline(TextTerms(), BinaryRelevance(penalty=0.1)),
    "tuned": TunedThresholds(make_pipeline(TextTerms(), BinaryRelevance(penalty=0.1)), cv=2),
    "bags": make_pipeline(
        SentenceBags(), BagPlugin(BinaryRelevance(penalty=0.1), training="sums", cv=2)
    ),
}
FITTED = {name: model.fit(TEXTS, TOPICS) for name, model in MODELS.items()}
WORDS = st.sampled_from(["Sea.", "woods!", "Hills.", "Ships", "unknown"])
PAGES = st.lists(st.lists(WORDS, max_size=7).map(" ".join), min_size=1, max_size=4)


@pytest.mark.parametrize("name", MODELS)
@given(pages=PAGES)
def test_no_sentence_has_a_higher_score_and_the_first_of_equals_is_named(name, pages):
    model = FITTED[name]
    cells = np.divmod(np.arange(len(pages) * 2), 2)
    found = deciding_sentences(model, pages, cells=cells)
    for cell, (i, j) in enumerate(zip(*cells, strict=True)):
        (sentences,) = split_sentences([pages[i]])
        scores = [model.decision_function([one])[0, j] for one in sentences]
        assert found.scores[cell] == pytest.approx(max(scores))
        assert found.scores[cell] >= max(scores) - 1e-9
        assert found.sentences[cell] == sentences[found.numbers[cell]]
        assert scores[found.numbers[cell]] == pytest.approx(max(scores))


def test_cells_are_those_that_the_model_decides():
    model = FITTED["linear"]
    pages = ["The sea. Woods.", "Nothing."]
    found = deciding_sentences(model, pages)
    decided = np.nonzero(model.predict(pages))
    assert np.array_equal(found.samples, decided[0])
    assert np.array_equal(found.labels, decided[1])
    assert deciding_sentences(model, pages, cells=([], [])).sentences == []


def test_a_table_keeps_its_other_columns_and_numbers_sentences_through_its_texts():
    frame = pa.table({"title": TEXTS, "body": TEXTS, "size": np.arange(40) % 3})
    model = make_pipeline(TableFeatures(text=["title", "body"]), BinaryRelevance(penalty=0.1))
    model.fit(frame, TOPICS)
    new = pa.table({"title": ["Dark woods. Hills", "x"], "body": ["A sea.", "sea"], "size": [1, 2]})
    found = deciding_sentences(model, new.to_pandas(), cells=([0, 0, 1], [0, 1, 0]))
    assert found.sentences[0] == "A sea."
    assert found.numbers.tolist()[::2] == [2, 1]
    assert found.numbers[1] < 2


def test_a_model_of_features_has_no_sentences():
    model = BinaryRelevance(penalty=0.1).fit(np.eye(4), np.eye(4))
    with pytest.raises(TypeError, match="model must take texts"):
        deciding_sentences(model, np.eye(4))
