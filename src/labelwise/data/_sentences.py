"""Split texts into sentences, by one rule for languages with full stops."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labelwise._tables import BETWEEN_TEXTS

# Words before a full stop that do not end a sentence, in lower case.
_ABBREVIATIONS = {"al", "approx", "ca", "cf", "dr", "e.g", "eq", "eqs", "etc", "fig", "figs", "i.e"}
_ABBREVIATIONS |= {"mr", "mrs", "pp", "prof", "ref", "refs", "resp", "sect", "st", "vol", "vs"}
# End marks with closing quotes and brackets, and the space after them; a blank line; or the end
# marks of Chinese and Japanese, which no space follows. Nothing is tried twice, so that the time is
# linear in the length of any text.
_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+\s++(?=[\"'“‘«(\[]*[^\W_a-z])"
    r"|\n[^\S\n]*+\n\s*+"
    r"|[。！？]++[」』”]*+\s*+"
)
_LAST_WORD = re.compile(r"[\w.]+\Z")
# The longest abbreviation that is looked for.
_LONGEST = 12


def split_sentences(texts: Sequence[str]) -> list[list[str]]:
    """Split each text into its sentences.

    A sentence ends with one of ``. ! ? …``, closing quotes or brackets, and white space, if no
    small letter a to z follows; at a blank line; and at ``。！？``. A single letter or a common
    English abbreviation before the full stop ("J.", "e.g.", "et al.") does not end a sentence.

    A text with the character U+2029, the paragraph separator, is split there and nowhere else: the
    readers of tables put it between the texts of a list, such as the sentences of a text.

    Parameters
    ----------
    texts : sequence of str
        The texts.

    Returns
    -------
    list of list of str
        The sentences of each text, without white space around them; a text without any is one
        empty sentence.

    Raises
    ------
    TypeError
        If `texts` is a single string.

    Examples
    --------
    >>> from labelwise.data import split_sentences
    >>> split_sentences(["Ships sail (e.g. at 3.5 knots). Do they? Yes, says J. Smith."])
    [['Ships sail (e.g. at 3.5 knots).', 'Do they?', 'Yes, says J. Smith.']]
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of texts, got one string.")
    return [_sentences(text) for text in texts]


def _sentences(text: str) -> list[str]:
    if BETWEEN_TEXTS in text:
        return [part.strip() for part in text.split(BETWEEN_TEXTS) if part.strip()] or [""]
    found, start = [], 0
    for end in _END.finditer(text):
        if end.group().startswith(".") and _is_abbreviation(text[start : end.start()]):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence] or [""]


def _is_abbreviation(before: str) -> bool:
    """Return whether the last word before a full stop is an abbreviation or a single letter."""
    word = _LAST_WORD.search(before[-_LONGEST:])
    if word is None:
        return False
    last = word.group().lower()
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha())
