"""Reuters-21578 is read as the ModApte split defines it."""

import gzip
import json

import numpy as np
import pytest

from labelwise.data import DataError, load
from tests.writers.reuters import sgm_bytes

TRAIN, TEST = {"part": "TRAIN"}, {"part": "TEST"}
NEWS = [
    TRAIN | {"newid": 1, "topics": ["oil", "rare"], "title": "Oil & gas", "body": "Ships <sail>"},
    TEST | {"newid": 2, "topics": ["oil", "late"], "title": "Oil again"},
    TRAIN | {"newid": 3, "topics": ["rare"], "title": "left out", "body": "no common topic"},
    {"part": "NOT-USED", "newid": 4, "topics": ["oil"], "title": "left out"},
    TRAIN | {"newid": 5, "topics": ["oil"], "title": "left out", "used": "NO"},
    TRAIN | {"newid": 6, "topics": ["tin", "oil"], "body": "T\xfcrkei tin"},
    TEST | {"newid": 7, "topics": ["tin"], "unmarked": "unmarked tin ships"},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "reut2-000.sgm").write_bytes(sgm_bytes(NEWS[:4]))
    (tmp_path / "reut2-001.sgm.gz").write_bytes(gzip.compress(sgm_bytes(NEWS[4:])))
    (tmp_path / "README.txt").write_text("<REUTERS no file of news>")
    return tmp_path


@pytest.fixture(scope="module")
def reuters(benchmark_home):
    return load(benchmark_home / "reuters21578")


def test_only_common_topics_and_documents_of_the_split_are_kept(folder):
    read = load(folder)
    assert read.ids["newid"].tolist() == ["1", "2", "6", "7"]
    assert read.label_names == ("oil", "tin")
    assert read.Y.toarray().tolist() == [[1, 0], [1, 0], [1, 1], [0, 1]]
    assert (read.train.tolist(), read.test.tolist()) == ([0, 2], [1, 3])


def test_title_and_body_are_the_text_without_marks_and_tags(folder):
    read = load(folder)
    words = [{read.feature_names[k] for k in np.flatnonzero(row)} for row in read.X.toarray()]
    assert words == [
        {"oil", "gas", "ship", "sail"}, {"oil"}, {"türkei", "tin"}, {"unmark", "tin", "ship"},
    ]  # fmt: skip


def test_entities_are_expanded_once(tmp_path):
    news = [
        {"newid": i, "part": part, "topics": ["oil"], "title": "&lt;b"}
        for i, part in enumerate(["TRAIN", "TEST"])
    ]
    (tmp_path / "reut2-000.sgm").write_bytes(sgm_bytes(news))
    assert load(tmp_path).feature_names == ("lt",)


def test_a_file_that_lies_there_twice_is_read_once(folder):
    (folder / "reut2-000.sgm.gz").write_bytes(gzip.compress(sgm_bytes(NEWS[:4])))
    assert load(folder).n_samples == 4


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda _: b"", "has no <REUTERS> document"),
        (lambda text: text[: text.rindex(b"</REUTERS>")], "line 34: has a document without end"),
        (lambda text: text.replace(b"</REUTERS>", b"", 1), "line 2: has a document without end"),
        (lambda text: text.replace(b"NEWID", b"ID"), "line 2: has a document without NEWID"),
        (lambda text: text.replace(b"LEWISSPLIT", b"SPLIT"), "has a document without LEWISSPLIT"),
        (lambda text: text.replace(b"</TOPICS>", b""), "has a document without TOPICS or TEXT"),
        (lambda text: text.replace(b"<TEXT", b"<T"), "has a document without TOPICS or TEXT"),
        (lambda _: b"<REUTERS " * 1000, "line 1: has a document without TOPICS"),
        (lambda text: gzip.compress(text)[:-9], "not a whole gzip file"),
    ],
)
def test_a_damaged_file_says_where_and_what(folder, damage, complaint):
    path = folder / "reut2-000.sgm"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError) as caught:
        load(folder)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_folder_without_news_is_refused(tmp_path):
    (tmp_path / "other.sgm").write_bytes(sgm_bytes(NEWS[:1]))
    with pytest.raises(DataError, match=r"has no files reut2-\*\.sgm"):
        load(tmp_path)
    (tmp_path / "reut2-000.sgm").write_bytes(sgm_bytes(NEWS[:1]))
    with pytest.raises(DataError, match="has no topic that occurs in training and test"):
        load(tmp_path)


def test_the_collection_agrees_with_the_index(benchmark_home, reuters):
    sets = json.loads((benchmark_home / "index.json").read_text())["datasets"]
    facts = next(entry for entry in sets if entry["name"] == "reuters21578")
    counts = reuters.Y.sum(axis=0)
    assert (reuters.n_samples, reuters.n_labels) == (facts["examples"], facts["labels"])
    assert (reuters.train.size, reuters.test.size) == (facts["train"], facts["test"])
    assert counts.sum() / reuters.n_samples == pytest.approx(facts["cardinality"], abs=5e-5)
    assert (counts.min(), counts.max()) == (facts["label_count_min"], facts["label_count_max"])
    rows = {frozenset(row.indices) for row in reuters.Y.tocsr()}
    assert len(rows) == facts["distinct_labelsets"]


def test_every_document_of_the_collection_has_terms(reuters):
    assert reuters.X.dtype == np.float64
    assert np.diff(reuters.X.indptr).min() > 0
    assert reuters.X.data.min() == 1
    assert {"cocoa", "bahia", "cruzado"} <= set(reuters.feature_names)


def test_the_first_document_of_the_collection_is_about_cocoa(reuters):
    assert reuters.ids["newid"][0] == "1"
    assert [reuters.label_names[j] for j in reuters.Y.tocsr()[[0]].indices] == ["cocoa"]
    assert reuters.X[0, reuters.feature_names.index("cocoa")] == 7
