"""Count the stemmed words of texts, and weight the counts by tf-idf."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import stemmer_of, stop_words_of
from labelwise._validation import check_readable, refuse_sparse

# Letters of any alphabet, with apostrophes inside; digits are none.
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def count_terms(
    texts: Iterable[str], *, stop_words: Collection[str] | None = None, stem: bool = True
) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Count how often each stemmed word occurs in each text.

    Words are sequences of at least two letters, in lower case, and may contain apostrophes. Stop
    words are removed, and the other words are reduced to their stems. Words of more than 100
    letters are not stemmed. The function makes one pass over the texts and stems each distinct
    word once.

    Parameters
    ----------
    texts : iterable of str
        The documents; a generator is read once.
    stop_words : collection of str, default=None
        Words to remove, in lower case. None means the English stop words of scikit-learn; an empty
        collection removes none.
    stem : bool, default=True
        Whether to reduce words by the English Snowball stemmer.

    Returns
    -------
    counts : csr_array of int of shape (n_texts, n_terms)
        Number of occurrences of each term in each text.
    terms : tuple of str
        The terms in sorted order, one for each column of `counts`.

    Raises
    ------
    TypeError
        If `texts` is a single string.

    See Also
    --------
    tf_idf : Weight term counts by inverse document frequency.
    labelwise.features.TextTerms : The same as a transformer, which counts terms of new texts.

    References
    ----------
    M. F. Porter, "Snowball: A Language for Stemming Algorithms", 2001.

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
    refuse_sparse(texts, "texts", "a sequence of texts")
    stopped = stop_words_of("english") if stop_words is None else stop_words
    vocabulary = _TermNumbers(stopped, stemmer_of("english") if stem else str)
    terms_seen = array("q")
    ends = array("q", [0])
    for text in texts:
        terms_seen.extend(map(vocabulary.__getitem__, _WORD.findall(text.lower())))
        ends.append(len(terms_seen))
    return _sorted_counts(np.array(terms_seen), np.array(ends), vocabulary.numbers)


class _TermNumbers(dict[str, int]):
    """Map each word to the number of its term, -1 for stop words; unknown words are added."""

    def __init__(self, stop_words: Collection[str], stem: Callable[[str], str]) -> None:
        super().__init__(dict.fromkeys(stop_words, -1))
        self.stem = stem
        self.numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = -1
        if len(word) > 1:
            number = self.numbers.setdefault(self.stem(word), len(self.numbers))
        self[word] = number
        return number


def _sorted_counts(
    seen: np.ndarray, ends: np.ndarray, numbers: dict[str, int]
) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Return counts with columns in the sorted order of the terms."""
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


def tf_idf(counts: Any, rows: Any = None) -> sparse.csr_array:
    r"""Weight term counts by inverse document frequency.

    Parameters
    ----------
    counts : array or sparse matrix of shape (n_documents, n_terms)
        Number of occurrences of each term, such as ``load("reuters21578").X``.
    rows : array of int or bool, default=None
        Documents from which the document frequencies are computed, such as ``Dataset.train``, so
        that test documents have no influence on the weights. None means all documents.

    Returns
    -------
    csr_array of float64 of shape (n_documents, n_terms)
        The weights.

    Raises
    ------
    ValueError
        If `rows` selects no document.

    See Also
    --------
    count_terms : Count the stemmed words of texts.

    Notes
    -----
    The weight of term k in document i is

    .. math:: w_{ik} = \mathrm{tf}_{ik} \log \frac{D}{D_k}

    where :math:`\mathrm{tf}_{ik}` is the count, D the number of documents in `rows`, and
    :math:`D_k` the number of those that contain term k. A term that occurs in none of them, or in
    all of them, has the weight 0.

    References
    ----------
    G. Salton, C. Buckley, "Term-Weighting Approaches in Automatic Text Retrieval", Information
    Processing & Management, 1988.

    Examples
    --------
    >>> from labelwise.data import tf_idf
    >>> tf_idf([[2, 1], [0, 3]]).toarray().round(3)
    array([[1.386, 0.   ],
           [0.   , 0.   ]])
    """
    check_readable(counts, "counts")
    refuse_sparse(rows, "rows", "numbers of documents, or booleans")
    counts = sparse.csr_array(counts, dtype=np.float64, copy=True)
    counts.sum_duplicates()
    counted = counts if rows is None else counts[np.arange(counts.shape[0])[rows]]
    n_documents = counted.shape[0]
    if n_documents == 0:
        raise ValueError("rows must contain at least one document.")
    with_term = np.bincount(counted.indices[counted.data != 0], minlength=counts.shape[1])
    weights = np.log(n_documents / np.maximum(with_term, 1)) * (with_term > 0)
    counts.data *= weights[counts.indices]
    counts.eliminate_zeros()
    return counts
