"""Annif's files: corpora of short texts and of folders, vocabularies, and suggestions."""

import gzip

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise.data import (
    DataError,
    input_files,
    is_annif,
    load,
    read_annif,
    read_labels,
    read_suggestions,
    read_vocabulary,
)
from labelwise.data._annif import _texts_of_turtle
from labelwise.decisions import best_thresholds

SEA, WOOD, HILL = (f"http://example.org/{name}" for name in ("sea", "wood", "hill"))
VOCABULARY = f"<{SEA}>\tthe sea\n<{WOOD}>\twoods\t57.1\n<{HILL}>\thills\n"
CORPUS = f"ships at sea\t<{SEA}>\na wood near the sea\t<{SEA}> <{WOOD}>\nnothing\t\n"
TURTLE = r"""
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/> .
PREFIX ex: <http://example.org/>
@base <http://example.org/> .
# a comment with "quotes" and a . full stop
:sea a skos:Concept ;
    skos:prefLabel "the sea"@en , "meri"@fi ;
    skos:altLabel "ocean"@en ;
    skos:notation "1.5"^^<http://x/decimal> ;
    skos:note [ skos:prefLabel "inside"@en ; ex:p ( "a" "b" ) ] .
ex:wood skos:prefLabel "mets\u00E4"@fi, 'woods "dark"'@en .
<http://example.org/hill> skos:prefLabel "fjell"@nb ; skos:broader :sea ; ex:size 1.5 .
ex:plain skos:prefLabel '''a "plain"
label''' , "Ebene"@de .
[] skos:prefLabel "nobody"@en .
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vocabulary.tsv").write_text(VOCABULARY)
    (tmp_path / "corpus.tsv").write_text(CORPUS)
    return tmp_path


def test_short_texts_have_the_labels_of_the_vocabulary(folder):
    corpus = read_annif(folder / "corpus.tsv", folder / "vocabulary.tsv")
    assert corpus.label_names == ("the sea", "woods")
    assert corpus.Y.toarray().astype(int).tolist() == [[1, 0], [1, 1], [0, 0]]
    assert corpus.frame["text"].to_pylist() == ["ships at sea", "a wood near the sea", "nothing"]
    assert corpus.texts == ("text",)
    assert read_annif(folder / "corpus.tsv").label_names == (SEA, WOOD)


def test_packed_files_are_read(folder):
    (folder / "corpus.tsv.gz").write_bytes(gzip.compress(CORPUS.encode()))
    assert len(read_annif(folder / "corpus.tsv.gz")) == 3


def test_a_folder_has_a_text_and_its_subjects_in_two_files(folder):
    texts = folder / "texts"
    texts.mkdir()
    (texts / "b.txt").write_text("a wood\nnear the sea")
    (texts / "b.tsv").write_text(f"<{SEA}>\tthe sea\n<{WOOD}>\twoods\n")
    (texts / "a.txt").write_text("ships at sea")
    (texts / "a.key").write_text("the sea\n\n")
    (texts / "c.txt").write_text("nothing")
    corpus = read_annif(texts, folder / "vocabulary.tsv")
    assert corpus.ids["id"].tolist() == ["a", "b", "c"]
    assert corpus.label_names == ("the sea", "woods")
    assert corpus.Y.toarray().astype(int).tolist() == [[1, 0], [1, 1], [0, 0]]


def test_suggestions_are_scores_that_match_the_labels_by_id_and_name(folder):
    texts = folder / "texts"
    texts.mkdir()
    for name, subjects, suggested in (
        ("a", [SEA], [(SEA, 0.9), (HILL, 0.2)]),
        ("b", [WOOD], [(SEA, 0.4), (WOOD, 0.3)]),
        ("c", [HILL], []),
    ):
        (texts / f"{name}.txt").write_text(name)
        (texts / f"{name}.tsv").write_text("".join(f"<{uri}>\tx\n" for uri in subjects))
        lines = "".join(f"<{uri}>\tlabel\t{score}\n" for uri, score in suggested)
        (texts / f"{name}.annif").write_text(lines)
    names = read_vocabulary(folder / "vocabulary.tsv")
    scores, truth = read_suggestions(texts, names), read_annif(texts, names)
    assert scores.label_names == ("hills", "the sea", "woods")
    assert scores.ids == ("a", "b", "c")
    expected = [[0.2, 0.9, 0], [0, 0.4, 0.3], [0, 0, 0]]
    np.testing.assert_array_equal(scores.values.toarray(), expected)
    # A subject that is not suggested is never decided.
    tuned = best_thresholds(scores.values, truth.Y)
    assert tuned.evidence.value == 0.8


def test_preferred_labels_of_turtle_are_those_of_the_language(folder):
    path = folder / "vocabulary.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    # Blank nodes and what is in them have no label, nor have texts with a type.
    other = {HILL: "fjell", "http://example.org/plain": 'a "plain"\nlabel'}
    assert read_vocabulary(path) == {SEA: "the sea", WOOD: 'woods "dark"', **other}
    assert read_vocabulary(path, language="fi") == {SEA: "meri", WOOD: "metsä", **other}


def test_labels_of_several_subjects_have_the_uri(folder):
    (folder / "two.tsv").write_text(f"<{SEA}>\twater\n<{HILL}>\twater\n<{WOOD}>\twoods\n")
    assert read_vocabulary(folder / "two.tsv") == {
        SEA: f"water ({SEA})",
        HILL: f"water ({HILL})",
        WOOD: "woods",
    }


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("corpus.tsv", "no tab here\n", "line 1 must have a text, a tab and subjects"),
        ("corpus.tsv", "text\tsea\n", "line 1 must have subjects as <uri>"),
        ("corpus.tsv", "\n\n", "has no texts"),
        ("corpus.tsv", "text\t<http://x/y>\n", "has the subject 'http://x/y', which is not in"),
        ("vocabulary.tsv", "sea\tthe sea\n", "line 1 must begin with a subject as <uri>"),
        ("vocabulary.tsv", "", "has no preferred labels"),
        ("vocabulary.ttl", ':a :b "open', "is not Turtle from line 1 on"),
        ("texts/a.annif", "<http://x/y>\tlabel\tmuch\n", "line 1 must be <uri>, label and score"),
        ("texts/a.annif", "<http://x/y>\tlabel\tnan\n", "line 1 must be <uri>, label and score"),
    ],
)
def test_faults_of_files_are_named(folder, name, content, message):
    (folder / "texts").mkdir()
    (folder / name).write_text(content)
    read = {
        "corpus": lambda: read_annif(folder / name, folder / "vocabulary.tsv"),
        "vocabulary": lambda: read_vocabulary(folder / name),
        "texts/a": lambda: read_suggestions(folder / "texts"),
    }[name.split(".")[0]]
    with pytest.raises(DataError, match=message):
        read()


def test_a_folder_without_suggestions_is_refused(folder):
    with pytest.raises(DataError, match=r"has no files \*\.annif"):
        read_suggestions(folder)


def test_a_file_that_is_too_large_is_refused(folder):
    with pytest.raises(DataError, match="max_bytes"):
        read_annif(folder / "corpus.tsv", max_bytes=20)


@given(st.text(st.sampled_from(list("<>\"'\\@^.;,[]() \n:ab#1")), max_size=60))
def test_any_text_is_turtle_or_refused(text):
    try:
        found = list(_texts_of_turtle("x.ttl", text))
    except DataError:
        return
    assert all(isinstance(one.text, str) for one in found)


def test_long_files_of_one_character_take_linear_time():
    for character in "<\"'\\@^.;,[( a#'":
        try:
            list(_texts_of_turtle("x.ttl", character * 200_000))
        except DataError:
            continue


def write_folder(folder, ends=("", "")):
    folder.mkdir()
    for name, subjects in (("b", [SEA]), ("a", [WOOD, SEA])):
        write = gzip.compress if ends[0] else bytes
        (folder / f"{name}.txt{ends[0]}").write_bytes(write(f"text {name}".encode()))
        lines = "".join(f"<{uri}>\tname\n" for uri in subjects).encode()
        (folder / f"{name}.tsv{ends[1]}").write_bytes(gzip.compress(lines) if ends[1] else lines)
    return folder


@pytest.mark.parametrize("ends", [("", ""), (".gz", ""), ("", ".gz"), (".gz", ".gz")])
def test_a_folder_of_texts_is_loaded_as_it_is_read(folder, ends):
    found = load(write_folder(folder / "texts", ends), labels=folder / "vocabulary.tsv")
    assert found.frame["text"].to_pylist() == ["text a", "text b"]
    assert found.ids["id"].tolist() == ["a", "b"]
    assert found.label_names == ("the sea", "woods")
    assert found.Y.toarray().tolist() == [[True, True], [True, False]]
    assert found.name == "texts"


@pytest.mark.parametrize("ending", [".tsv", ".tsv.gz"])
def test_a_file_of_short_texts_is_loaded_without_being_told_its_labels(folder, ending):
    path = folder / f"short{ending}"
    path.write_bytes(gzip.compress(CORPUS.encode()) if ending.endswith("gz") else CORPUS.encode())
    assert load(path).label_names == (SEA, WOOD)
    assert load(path, labels=str(folder / "vocabulary.tsv")).label_names == ("the sea", "woods")
    with pytest.raises(ValueError, match="text must be left out for 'short', a corpus of Annif"):
        load(path, text="text")
    with pytest.raises(TypeError, match="labels must be the vocabulary"):
        load(path, labels=["the sea"])


def test_training_and_test_files_of_short_texts_are_one_set(tmp_path):
    (tmp_path / "x-train.tsv").write_text(CORPUS)
    (tmp_path / "x-test.tsv").write_text(f"hills\t<{HILL}>\n")
    found = load(tmp_path)
    assert (found.train.tolist(), found.test.tolist()) == ([0, 1, 2], [3])
    assert found.label_names == (HILL, SEA, WOOD)
    (tmp_path / "x-test.tsv").write_text("\n")
    with pytest.raises(DataError):
        load(tmp_path)


def test_a_language_of_a_vocabulary_follows_its_file(folder):
    (folder / "v.ttl").write_text(TURTLE)
    assert (
        load(folder / "corpus.tsv", labels=f"{folder / 'v.ttl'}@fi").label_names
        == (
            "mets\u00e4",
            "meri",
        )[::-1]
    )


def test_what_is_a_corpus_is_seen_by_its_content(folder):
    (folder / "table.tsv").write_text("text\tlabels\nships\tsea\n")
    (folder / "late.tsv").write_text("no subjects\t\n" + CORPUS)
    (folder / "broken.tsv.gz").write_bytes(b"\x1f\x8bno gzip")
    (folder / "long.tsv").write_text(CORPUS * 3000 + "a text without a tab")
    plain = folder / "plain"
    plain.mkdir()
    (plain / "a.txt").write_text("text")
    assert [
        is_annif(folder / name) for name in ("corpus.tsv", "late.tsv", "long.tsv", "plain")
    ] == [True] * 4
    (plain / "x.csv").write_text("x,y\n1,0\n")
    others = ("table.tsv", "vocabulary.tsv", "broken.tsv.gz", "none.tsv", "plain")
    assert not any(is_annif(folder / name) for name in others)


def test_the_files_of_a_corpus_and_its_vocabulary_are_not_overwritten(folder):
    path = write_folder(folder / "texts")
    found = input_files(path, labels=folder / "vocabulary.tsv")
    assert {file.name for file in found} == {"a.txt", "a.tsv", "b.txt", "b.tsv", "vocabulary.tsv"}


def test_suggestions_and_labels_are_matched_by_name_whatever_is_mentioned(folder):
    path = write_folder(folder / "texts")
    (path / "a.annif").write_text(f"<{SEA}>\tsea\t0.75\n<{HILL}>\thills\t0.5\n")
    (path / "b.annif").write_text(f"<{SEA}>\tsea\t0.25\n")
    scores, Y = read_suggestions(path), read_labels(path)
    with pytest.warns(UserWarning, match="no positives of 'http://example.org/hill'"):
        tuned = best_thresholds(scores, Y, maximize="macro-f")
    assert set(tuned.label_names) == {SEA, WOOD, HILL}
    decided = tuned.to_frame(backend="pandas").set_index("label")["threshold"]
    assert decided[SEA] <= 0.25
    assert np.isinf(decided[WOOD])
    whole = read_suggestions(path, folder / "vocabulary.tsv")
    assert whole.label_names == ("hills", "the sea", "woods")
    assert whole.values.toarray().tolist() == [[0.5, 0.75, 0.0], [0.0, 0.25, 0.0]]
