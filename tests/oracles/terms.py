"""Terms counted and weighted by their definitions."""

import math
from collections import Counter

import snowballstemmer


def counted_terms(texts, stop_words):
    """Return a Counter of terms for each text."""
    reduce = snowballstemmer.stemmer("english").stemWord
    return [
        Counter(
            reduce(word)
            for word in _words(text.lower())
            if len(word) > 1 and word not in stop_words
        )
        for text in texts
    ]


def _words(text):
    """Give the longest runs of letters, in which single apostrophes may stand between letters."""
    word = ""
    for place, sign in enumerate(text + " "):
        between = word and sign == "'" and _is_letter(text[place + 1 :][:1])
        if _is_letter(sign) or between:
            word += sign
        elif word:
            yield word
            word = ""


def _is_letter(sign):
    return sign.isalnum() and not sign.isdecimal()


def weighted(counts, rows):
    """Return tf x log(D / D_k), D and D_k counted on the rows, as a list of rows."""
    weights = []
    for k in range(len(counts[0])):
        n_with = sum(counts[i][k] > 0 for i in rows)
        weights.append(math.log(len(rows) / n_with) if n_with else 0.0)
    return [[tf * weight for tf, weight in zip(row, weights, strict=True)] for row in counts]
