"""Text as terms: counts of stemmed words, and their weights."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
from scipy import sparse

# Letters of any alphabet, with apostrophes inside; digits are none.
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
# No word of a language is longer; the time of the stemmer grows with the square of the length.
_LONGEST_WORD = 100


def count_terms(
    texts: Iterable[str], *, stop_words: Collection[str] | None = None, stem: bool = True
) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Return how often each term occurs in each text, and the terms in sorted order.

    Words are runs of at least two letters, in lower case; an apostrophe may stand inside. Stop
    words are left out, the others are reduced to their stem, but runs of more than 100 letters
    are terms as they are. One pass over the texts; every distinct word is stemmed once.

    Parameters
    ----------
    texts : iterable of str
        The documents; they may come one at a time.
    stop_words : collection of str, optional
        Words to leave out, in lower case; by default the English ones of scikit-learn. An empty
        collection keeps all.
    stem : bool
        Whether words are reduced by the English Snowball stemmer.

    Returns
    -------
    counts : CSR array of int of shape (n_texts, n_terms)
    terms : tuple of str

    See Also
    --------
    tf_idf : weights of counts.

    References
    ----------
    M. F. Porter, Snowball: a language for stemming algorithms, 2001.

    Examples
    --------
    >>> from labelwise.data import count_terms
    >>> counts, terms = count_terms(["The sailors are sailing.", "A sailor's boats; boats!"])
    >>> terms
    ('boat', 'sail', 'sailor')
    >>> counts.toarray()
    array([[0, 1, 1],
           [2, 0, 1]])
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of texts, got one string.")
    vocabulary = _Vocabulary(_stop_words(stop_words), _stemmer() if stem else None)
    terms_seen = array("q")
    ends = array("q", [0])
    for text in texts:
        terms_seen.extend(map(vocabulary.__getitem__, _WORD.findall(text.lower())))
        ends.append(len(terms_seen))
    return _sorted_counts(np.array(terms_seen), np.array(ends), vocabulary.numbers)


class _Vocabulary(dict[str, int]):
    """The number of each word's term, -1 if it has none; unknown words are added when asked."""

    def __init__(self, stop_words: Collection[str], stem: Callable[[str], str] | None) -> None:
        super().__init__(dict.fromkeys(stop_words, -1))
        self.stem = stem
        self.numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = -1
        if len(word) > 1:
            is_word = len(word) <= _LONGEST_WORD
            term = self.stem(word) if self.stem is not None and is_word else word
            number = self.numbers.setdefault(term, len(self.numbers))
        self[word] = number
        return number


def _sorted_counts(
    seen: np.ndarray, ends: np.ndarray, numbers: dict[str, int]
) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Return counts with columns in the order of the terms' names."""
    terms = sorted(numbers)
    column = np.empty(len(terms), dtype=np.int64)
    column[[numbers[term] for term in terms]] = np.arange(len(terms))
    kept = seen >= 0
    indptr = np.concatenate(([0], np.cumsum(kept)))[ends]
    ones = np.ones(indptr[-1], dtype=np.int64)
    shape = (ends.size - 1, len(terms))
    counts = sparse.csr_array((ones, column[seen[kept]], indptr), shape=shape)
    counts.sum_duplicates()
    return counts, tuple(terms)


def _stop_words(chosen: Collection[str] | None) -> Collection[str]:
    if chosen is not None:
        return chosen
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS  # type: ignore[no-any-return]


def _stemmer() -> Callable[[str], str]:
    import snowballstemmer

    return snowballstemmer.stemmer("english").stemWord  # type: ignore[no-any-return]


def tf_idf(counts: Any, rows: Any = None) -> sparse.csr_array:
    r"""Return the counts of terms weighted by how few documents have them.

    .. math:: w_{ik} = \mathrm{tf}_{ik} \log \frac{D}{D_k}

    with D documents, of which :math:`D_k` have term k. A term that no document has, and one that
    all have, weighs 0.

    Parameters
    ----------
    counts : array or sparse matrix of shape (n_documents, n_terms)
        How often each term occurs, such as ``load("reuters21578").X``.
    rows : array of int or bool, optional
        The documents that D and :math:`D_k` are counted on, such as ``Dataset.train``, so that
        nothing is learned from the others; all by default.

    Returns
    -------
    CSR array of float of shape (n_documents, n_terms)

    References
    ----------
    G. Salton and C. Buckley, Term-weighting approaches in automatic text retrieval, 1988.

    Examples
    --------
    >>> from labelwise.data import tf_idf
    >>> tf_idf([[2, 1], [0, 3]]).toarray().round(3)
    array([[1.386, 0.   ],
           [0.   , 0.   ]])
    """
    counts = sparse.csr_array(counts, dtype=np.float64, copy=True)
    counts.sum_duplicates()
    counted = counts if rows is None else counts[np.arange(counts.shape[0])[rows]]
    n_documents = counted.shape[0]
    if n_documents == 0:
        raise ValueError("rows must hold at least one document.")
    with_term = np.bincount(counted.indices[counted.data != 0], minlength=counts.shape[1])
    weights = np.log(n_documents / np.maximum(with_term, 1)) * (with_term > 0)
    counts.data *= weights[counts.indices]
    counts.eliminate_zeros()
    return counts
