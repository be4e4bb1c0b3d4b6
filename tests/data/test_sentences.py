"""Sentences of texts: where they end, and that nothing of a text is lost."""

import pytest
from hypothesis import given, strategies as st

from labelwise.data import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ("It is 3.5 m long. 4 are left.", ["It is 3.5 m long.", "4 are left."]),
        ("Genes, e.g. BRCA1, matter. See Fig. 3.", ["Genes, e.g. BRCA1, matter.", "See Fig. 3."]),
        ("J. Smith et al. Found it.", ["J. Smith et al. Found it."]),
        ('He said "Go." Then left.', ['He said "Go."', "Then left."]),
        ("a title\n\nand a text", ["a title", "and a text"]),
        ("One. Two\u2029three\u2029", ["One. Two", "three"]),
        ("\u2029 ", [""]),
        ("one line\nand the next", ["one line\nand the next"]),
        ("Ääni. Älä!", ["Ääni.", "Älä!"]),
        ("一。二！", ["一。", "二！"]),
        ("lower. case follows", ["lower. case follows"]),
        ("  ", [""]),
        ("", [""]),
        ("Wait... What?", ["Wait...", "What?"]),
    ],
)
def test_where_sentences_end(text, sentences):
    assert split_sentences([text]) == [sentences]


@given(st.text(st.sampled_from(list('aB. !?\n"(。1e.g\u2029')), max_size=60))
def test_sentences_have_all_characters_of_the_text_but_white_space(text):
    (found,) = split_sentences([text])
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() for sentence in found)


def test_one_string_is_refused():
    with pytest.raises(TypeError, match="got one string"):
        split_sentences("A text. Not a list.")


def test_long_texts_take_linear_time():
    n = 200_000
    texts = ["." * n + " A", " " * n + "a", ".\n" * n, "((" * n + ". a" * n, ". " * n, "a.)" * n]
    assert list(map(len, split_sentences(texts))) == [2, 1, 1, 1, 1, 1]
