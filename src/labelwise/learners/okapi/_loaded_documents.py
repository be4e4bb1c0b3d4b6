"""Checks of the documents of a loaded `OkapiNeighbors`, before kernels use them unchecked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# Products of such weights cannot overflow, however many terms there are.
LARGEST = 1e100
# Above the logarithm of any number of documents.
_LARGEST_IDF = 50.0


def check_documents(postings: Any, labels: Any, shape: tuple[int, int]) -> None:
    """Check that weights by term and labels by document match the numbers of terms and labels."""
    n_terms, n_labels = shape
    if type(postings) is not sparse.csc_array or type(labels) is not sparse.csr_array:
        raise ValueError("documents must be stored by term, and labels by document")
    if postings.shape != (labels.shape[0], n_terms) or labels.shape[1] != n_labels:
        raise ValueError("documents, terms and labels must match")
    if postings.dtype != np.float64 or not (np.abs(postings.data) <= LARGEST).all():
        raise ValueError(f"documents must have weights of at most {LARGEST:g} in size")


def check_counts(counts: Any, shape: tuple[int, int]) -> None:
    """Check that counts, if they are kept, are those of the documents."""
    if counts is None:
        return
    if type(counts) is not sparse.csr_array or counts.shape != shape:
        raise ValueError("counts must be those of the documents")
    if counts.dtype.kind not in "fiu" or not (np.abs(counts.data) <= LARGEST).all():
        raise ValueError(f"counts must be at most {LARGEST:g} in size")


def check_idf(idf: Any, n_terms: int) -> None:
    """Check that there is an inverse document frequency for each term."""
    if idf.dtype != np.float64 or idf.shape != (n_terms,):
        raise ValueError(f"idf_ must be one number for each of {n_terms} terms")
    if not (np.abs(idf) <= _LARGEST_IDF).all():
        raise ValueError(f"idf_ must be at most {_LARGEST_IDF:g} in size")
