"""Generated corpora of the size and the sparsity of RCV1, for benchmarks of text."""

from __future__ import annotations

import numpy as np
from scipy import sparse

N_TERMS, N_LABELS = 47_236, 101
TERMS_EACH, LABELS_EACH = 75.0, 3.2


def make_documents(n_documents: int, seed: int = 0) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return counts of terms and the labels of documents.

    The share of documents with the t-th commonest term is in proportion to 1 / (t + 20): the
    squares of the shares sum to 4.7, and to 5.3 in RCV1.
    """
    random = np.random.default_rng(seed)
    share = 1 / np.arange(20, N_TERMS + 20)
    share *= TERMS_EACH / share.sum()
    holders = [random.choice(n_documents, random.binomial(n_documents, p), False) for p in share]
    indptr = np.concatenate(([0], np.cumsum([len(some) for some in holders])))
    counts = random.geometric(0.6, indptr[-1]).astype(np.float64)
    columns = sparse.csc_array(
        (counts, np.concatenate(holders), indptr), shape=(n_documents, N_TERMS)
    )
    chance = 1 / np.arange(3, N_LABELS + 3)
    chance *= LABELS_EACH / chance.sum()
    Y = random.random((n_documents, N_LABELS)) < chance
    return sparse.csr_array(columns), sparse.csr_array(Y)
