"""Random sampling, and sampling within each label set or rarest label, without a search."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labelwise._validation import labelset_numbers


def random_subsets(sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a random subset for each row, with exact sizes."""
    subsets: np.ndarray = rng.permutation(np.repeat(np.arange(sizes.size), sizes))
    return subsets


def labelset_subsets(
    Y: sparse.csc_array, sizes: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return subsets that divide the rows of each label set evenly, with exact sizes.

    Rows in random order are sorted by label set, in the order of first occurrence; then the subsets
    take turns.
    """
    order = rng.permutation(Y.shape[0])
    _, first, number = np.unique(labelset_numbers(Y)[order], return_index=True, return_inverse=True)
    together = order[np.argsort(first[number], kind="stable")]
    subsets = np.empty(order.size, dtype=np.int64)
    subsets[together] = turns(sizes)
    return subsets


def rarest_label_subsets(
    Y: sparse.csc_array, sizes: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return subsets that divide the rows of each rarest label evenly, with exact sizes.

    Rows in random order are sorted by their rarest label, then by their second rarest one; then
    the subsets take turns.
    """
    support = np.diff(Y.indptr)
    rank = np.argsort(np.argsort(support, kind="stable"))
    labels = np.repeat(rank, support)
    rarest, second = np.full((2, Y.shape[0]), Y.shape[1])
    np.minimum.at(rarest, Y.indices, labels)
    is_other = labels != rarest[Y.indices]
    np.minimum.at(second, Y.indices[is_other], labels[is_other])
    subsets = np.empty(Y.shape[0], dtype=np.int64)
    subsets[np.lexsort((rng.permutation(Y.shape[0]), second, rarest))] = turns(sizes)
    return subsets


def turns(sizes: np.ndarray) -> np.ndarray:
    """Return the subset of each turn; in any run of turns subsets occur in proportion to size.

    The t-th turn of a subset of size s is due at time (t - 1/2)/s.
    """
    due = np.concatenate([(np.arange(size) + 0.5) / size for size in sizes])
    who = np.repeat(np.arange(sizes.size), sizes)
    return who[np.argsort(due, kind="stable")]
