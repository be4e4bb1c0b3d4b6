"""olsson2006: the documents of its experiments, as counts of terms, each document once.

The RCV1 subsets come as cosine-normalised log tf-idf: a weight is ``(1 + ln tf) * idf(t) * c(d)``
with a factor for the term and one for the document. Most terms occur once in a document, so the
factors can be found, and with them the counts: see `rebuilt_counts`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

import studies
from labelwise.data import Dataset, load

SUBSETS = ("rcv1subset1", "rcv1subset2", "rcv1subset3", "rcv1subset4")
# Which of the subsets make up a set.
POOLS = {
    "RCV1 subsets 1-4": SUBSETS,
    "RCV1 subsets 1-2": SUBSETS[:2],
    "RCV1 subsets 3-4": SUBSETS[2:],
}
REUTERS = "Reuters-21578"
_N_ROUNDS = 9
_N_ROUGH = 7  # rounds until the factors of terms are known well


@lru_cache(maxsize=2)
def rcv1_documents(
    *, stored: bool = False
) -> tuple[sparse.csr_array, sparse.csr_array, np.ndarray]:
    """Return counts, or stored weights, labels and subset's place of RCV1 documents, each once."""
    sets = [load(name, data_home=studies.HOME) for name in SUBSETS]
    X = sparse.csr_array(sparse.vstack([sparse.csr_array(one.X) for one in sets]))
    Y = sparse.csr_array(sparse.vstack([sparse.csr_array(one.Y) for one in sets]))
    place = np.repeat(np.arange(len(sets)), [one.n_samples for one in sets])
    kept = first_rows(X)
    return X[kept] if stored else rebuilt_counts(X[kept]), Y[kept], place[kept]


def documents(name: str, *, stored: bool = False) -> Dataset:
    """Return a set of documents, no two of which are the same."""
    if name == REUTERS:
        whole = load("reuters21578", data_home=studies.HOME)
        return whole.take(first_rows(sparse.csr_array(whole.X)))
    X, Y, place = rcv1_documents(stored=stored)
    rows = np.isin(place, [SUBSETS.index(subset) for subset in POOLS[name]])
    return Dataset(X[rows], Y[rows], name)


def first_rows(X: sparse.csr_array) -> np.ndarray:
    """Return the rows that are like no row before them."""
    X = X.sorted_indices()
    seen: dict[tuple[bytes, bytes], int] = {}
    for i, (start, stop) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        row = X.indices[start:stop].tobytes(), X.data[start:stop].tobytes()
        seen.setdefault(row, i)
    return np.array(sorted(seen.values()))


def rebuilt_counts(X: sparse.csr_array) -> sparse.csr_array:
    """Return counts of terms from weights ``(1 + ln tf) * idf(t) * c(d)``.

    Takes turns: counts from the factors, rounded; factors of terms, then of documents, as the
    median of what their entries say. The first factors of terms are from document frequencies. At
    last a document's factor is from its lower fifth: there counts are 1, whatever the topic.
    """
    n_docs, n_terms = X.shape
    rows, columns = np.repeat(np.arange(n_docs), np.diff(X.indptr)), X.indices
    df = np.bincount(columns, minlength=n_terms)
    # A term in all documents has no weight, and a factor of 0 would divide.
    terms = np.log((n_docs + 1) / np.maximum(df, 1))
    docs = _quantiles(rows, X.data / terms[columns], n_docs, 0.5)
    for turn in range(_N_ROUNDS):
        counts = _nearest_counts(X.data / (docs[rows] * terms[columns]))
        once = X.data / (1 + np.log(counts))  # what each would weigh with a count of 1
        terms = _quantiles(columns, once / docs[rows], n_terms, 0.5)
        if turn < _N_ROUGH:
            docs = _quantiles(rows, once / terms[columns], n_docs, 0.5)
        else:
            docs = _quantiles(rows, X.data / terms[columns], n_docs, 0.2)
    counts = _nearest_counts(X.data / (docs[rows] * terms[columns]))
    return sparse.csr_array((counts, columns, X.indptr), shape=X.shape)


def _nearest_counts(ratios: np.ndarray) -> np.ndarray:
    """Return the counts tf, at least 1, whose 1 + ln tf is nearest by its exponent."""
    return np.asarray(np.maximum(1.0, np.rint(np.exp(np.minimum(ratios - 1, 7.0)))))


def _quantiles(groups: Any, values: np.ndarray, n_groups: int, share: float) -> np.ndarray:
    """Return the lower quantile of the values of each group, 1 for a group without any."""
    order = np.lexsort((values, groups))
    sizes = np.bincount(groups, minlength=n_groups)
    starts = np.cumsum(sizes) - sizes
    found = np.ones(n_groups)
    some = sizes > 0
    found[some] = values[order][starts[some] + (share * (sizes[some] - 1)).astype(np.int64)]
    return found
