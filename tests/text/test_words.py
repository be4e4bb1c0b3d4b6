"""Words of texts by language."""

import pytest

from labelwise._text import check_language, stemmer_of, stop_words_of


@pytest.mark.parametrize(
    "language",
    ["dutch", "english", "french", "german", "italian", "portuguese", "spanish", "swedish"],
)
def test_languages_with_stop_words_have_some_and_a_stemmer(language):
    check_language(language, "language")
    found = stop_words_of(language)
    assert len(found) > 40
    assert all(word == word.lower() for word in found)
    assert stemmer_of(language)("x" * 101) == "x" * 101


def test_a_language_without_a_list_has_no_stop_words():
    assert not stop_words_of("finnish")
    assert not stop_words_of(None)
    with pytest.raises(ValueError, match=r"language must be None or one of arabic.*, got 'elvish'"):
        check_language("elvish", "language")
