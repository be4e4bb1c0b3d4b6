"""Terms of a ranking: checks of their order and numbers, and documents with those terms only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import check_whole


def check_order(term_order: Any, n_terms: int) -> np.ndarray:
    """Return distinct column numbers."""
    order = np.asarray(term_order)
    if order.ndim != 1 or (order.size and order.dtype.kind not in "iu"):
        raise TypeError("term_order must be a 1-D array of column numbers.")
    outside = (order < 0) | (order >= n_terms)
    if outside.any():
        raise ValueError(
            f"term_order must contain columns from 0 to {n_terms - 1}, got {order[outside][0]}."
        )
    if np.unique(order).size < order.size:
        raise ValueError("term_order must contain each column once.")
    return order.astype(np.int64)


def check_sizes(sizes: Sequence[int], most: int) -> np.ndarray:
    """Return numbers of terms, each from 1 to the number of terms in the order."""
    checked = [check_whole(size, "sizes") for size in sizes]
    if not checked:
        raise ValueError("sizes must contain a number of terms, got none.")
    if max(checked) > most:
        raise ValueError(f"sizes must be at most the {most} of term_order, got {max(checked)}.")
    return np.array(checked)


def only_terms(X: sparse.csr_array, terms: np.ndarray) -> sparse.csr_array:
    """Return documents of the same shape without the entries of other terms."""
    chosen = np.zeros(X.shape[1], dtype=bool)
    chosen[terms] = True
    stays = chosen[X.indices]
    # Entries of the documents before each one, of those that stay.
    starts = np.concatenate([[0], np.cumsum(stays)])[X.indptr]
    return sparse.csr_array((X.data[stays], X.indices[stays], starts), shape=X.shape)
