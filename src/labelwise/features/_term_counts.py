"""Counts of terms: words and successive words of texts, or characters within words.

A distinct word is looked at once: its stem, or its sequences of characters, are computed when it is
first seen. Everything else is arithmetic with the numbers of words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import WordNumbers

# Longer runs of characters are not words; a stemmer takes time quadratic in the length of a word.
LONGEST_WORD = 100
_find_words = re.compile(r"\b\w\w+\b").findall


class TermCounts(NamedTuple):
    """Terms, and how often each occurs in each text."""

    terms: list[str]  # distinct, in sorted order
    counts: sparse.csr_array  # (n_texts, n_terms), of float64


def count_words(
    texts: Sequence[str],
    sizes: tuple[int, int],
    limits: tuple[float, float],
    reduce: Callable[[str], str],
) -> TermCounts:
    """Count successive words of texts in lower case.

    A term has as many words as `sizes` allow, and occurs in as many texts as `limits` allow.
    `reduce` returns the stem of a word, or "" if the word is to be removed. It is called once for
    each distinct word of at most 100 characters; longer ones are removed.
    """
    words = _short_words(reduce)
    seen, ends = words.of_texts(map(_find_words, map(str.lower, texts)))
    text_of = np.repeat(np.arange(len(texts)), np.diff(ends))
    names = list(words.of_terms)
    # A sequence of n words is a sequence of n - 1 words, `heads`, and its last word, `tails`.
    grams, starts = seen, np.arange(seen.size)
    heads, tails = np.zeros(len(names), dtype=np.int64), np.arange(len(names))
    levels: list[tuple[np.ndarray, np.ndarray]] = []
    parts: list[TermCounts] = []
    # No text has a sequence that is longer than the longest text, whatever the largest size is.
    for size in range(1, min(sizes[1], int(np.diff(ends).max(initial=0))) + 1):
        if size > 1:
            ends_of = starts + size - 1
            inside = ends_of < ends[text_of[starts] + 1]
            starts, ends_of = starts[inside], ends_of[inside]
            keys = grams[inside] * max(1, len(names)) + seen[ends_of]
            found, grams = np.unique(keys, return_inverse=True)
            heads, tails = np.divmod(found, max(1, len(names)))
        levels.append((heads, tails))
        if size >= sizes[0]:
            ends_of_texts = np.searchsorted(text_of[starts], np.arange(len(texts) + 1))
            counts = _counted(grams, ends_of_texts, tails.size)
            kept = _columns_within(counts, limits)
            parts.append(TermCounts(_joined(levels, kept, names), _take(counts, kept)))
    return _in_order(parts or [TermCounts([], sparse.csr_array((len(texts), 0)))])


def count_characters(
    texts: Sequence[str], sizes: tuple[int, int], limits: tuple[float, float]
) -> TermCounts:
    """Count successive characters of texts in lower case, within words between blanks.

    A word has a blank before and after it. Of a word that is shorter than a size, the whole word
    is counted, once for all larger sizes. Parameters are those of `count_words`; sizes are numbers
    of characters.
    """
    words = _short_words(str)
    seen, ends = words.of_texts(text.lower().replace("\0", " ").split() for text in texts)
    of_texts = _counted(seen, ends, len(words.of_terms))
    grams = _short_words(str)
    found, ends = grams.of_texts(_characters(word, sizes) for word in words.of_terms)
    counts = sparse.csr_array(of_texts @ _counted(found, ends, len(grams.of_terms)))
    kept = _columns_within(counts, limits)
    names = list(grams.of_terms)
    return _in_order([TermCounts([names[k] for k in kept.tolist()], _take(counts, kept))])


def _short_words(reduce: Callable[[str], str]) -> WordNumbers:
    return WordNumbers(lambda word: reduce(word) if len(word) <= LONGEST_WORD else "")


def _characters(word: str, sizes: tuple[int, int]) -> list[str]:
    padded = f" {word} "
    most = min(sizes[1], max(sizes[0], len(padded)))
    return [
        padded[k : k + size]
        for size in range(sizes[0], most + 1)
        for k in range(max(1, len(padded) - size + 1))
    ]


def _counted(columns: np.ndarray, ends: np.ndarray, n_columns: int) -> sparse.csr_array:
    """Count the columns of each row; row i has those from ends[i] to ends[i + 1]."""
    shape = (ends.size - 1, n_columns)
    parts = np.ones(columns.size), columns, ends
    counts = sparse.csr_array(parts, shape=shape, copy=True)  # columns are sorted in place
    counts.sum_duplicates()
    return counts


def _columns_within(counts: sparse.csr_array, limits: tuple[float, float]) -> np.ndarray:
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.flatnonzero((df >= limits[0]) & (df <= limits[1]))


def _take(counts: sparse.csr_array, kept: np.ndarray) -> sparse.csr_array:
    return counts if kept.size == counts.shape[1] else counts[:, kept]


def _joined(
    levels: list[tuple[np.ndarray, np.ndarray]], kept: np.ndarray, names: list[str]
) -> list[str]:
    """Return the words of terms, separated by blanks."""
    words = []
    for heads, tails in reversed(levels):
        words.append([names[k] for k in tails[kept].tolist()])
        kept = heads[kept]
    return words[0] if len(words) == 1 else list(map(" ".join, zip(*reversed(words), strict=True)))


def _in_order(parts: list[TermCounts]) -> TermCounts:
    """Join terms of several sizes in sorted order."""
    terms = list(chain.from_iterable(part.terms for part in parts))
    order = sorted(range(len(terms)), key=terms.__getitem__)
    counts = sparse.hstack([part.counts for part in parts], format="csr")[:, order]
    counts.sort_indices()
    return TermCounts([terms[k] for k in order], counts)
