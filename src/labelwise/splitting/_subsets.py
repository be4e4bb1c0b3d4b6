"""Subsets of samples: wanted sizes, positives in each subset, and sampling of exact sizes.

Proportions become whole numbers of samples, and samples are assigned at random, or evenly within
each label set or rarest label. `label_distribution` is LD of sechidis2011, which the search of
`_balanced` minimises and `split_quality` reports.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import is_whole, label_set_numbers

_SLACK = 1e-6


def check_proportions(proportions: Any) -> np.ndarray:
    """Return the share of each subset: positive numbers that sum to 1; k means k equal parts."""
    if is_whole(proportions):
        n_subsets = int(proportions)
        if n_subsets < 2:
            raise ValueError(f"proportions must make at least 2 subsets, got {n_subsets}.")
        return np.full(n_subsets, 1 / n_subsets)
    shares = np.asarray(proportions)
    if shares.ndim != 1 or shares.dtype.kind not in "iuf":
        raise TypeError(
            "proportions must be a whole number of subsets or a sequence of shares, "
            f"got {proportions!r}."
        )
    if shares.size < 2:
        raise ValueError(f"proportions must make at least 2 subsets, got {shares.size}.")
    if not (shares > 0).all():
        raise ValueError(f"proportions must be positive, got {shares[~(shares > 0)][0]}.")
    total = float(shares.sum())
    if abs(total - 1) > _SLACK:
        raise ValueError(f"proportions must sum to 1, got {total:.6g}.")
    checked: np.ndarray = shares / total
    return checked


def subset_sizes(n_samples: int, proportions: np.ndarray) -> np.ndarray:
    """Return whole sizes that sum to `n_samples`, as near as possible to the proportions.

    Every size is rounded down, and the remaining samples go to the largest remainders (the first
    ones among equals); no other whole sizes have a smaller sum of differences.
    """
    wanted = n_samples * proportions
    # A product such as 0.29 * 100 falls short of its whole number by rounding alone.
    sizes = np.floor(wanted + 1e-9).astype(np.int64)
    by_remainder = np.argsort(np.round(sizes - wanted, 9), kind="stable")
    sizes[by_remainder[: n_samples - sizes.sum()]] += 1
    return sizes


def positives_by_subset(Y: sparse.csc_array, subsets: np.ndarray, n_subsets: int) -> np.ndarray:
    """Count the positives of each label in each subset."""
    n_labels = Y.shape[1]
    label = np.repeat(np.arange(n_labels), np.diff(Y.indptr))
    cells = np.bincount(label * n_subsets + subsets[Y.indices], minlength=n_labels * n_subsets)
    return cells.reshape(n_labels, n_subsets)


def label_distribution(counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the LD of each label, NaN for labels of every sample.

    `sizes` are those of the subsets, of shape (n_subsets,), or the samples of each subset that have
    truth for a label, of shape (n_labels, n_subsets).
    """
    sizes = np.broadcast_to(sizes, counts.shape)
    n_samples, totals = sizes.sum(axis=1), counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = totals / (n_samples - totals)
        apart = np.abs(counts / (sizes - counts) - odds[:, None])
    # No negatives: infinite odds, also where an empty subset gives 0/0.
    apart[sizes == counts] = np.inf
    by_label: np.ndarray = apart.mean(axis=1)
    by_label[totals == n_samples] = np.nan
    return by_label


def random_subsets(sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a random subset for each sample, with exact sizes."""
    subsets: np.ndarray = rng.permutation(np.repeat(np.arange(sizes.size), sizes))
    return subsets


def label_set_subsets(
    Y: sparse.csc_array, sizes: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return subsets that divide the samples of each label set evenly, with exact sizes.

    Samples in random order are sorted by label set, in the order of first occurrence; then the
    subsets take turns.
    """
    order = rng.permutation(Y.shape[0])
    _, first, number = np.unique(
        label_set_numbers(Y)[order], return_index=True, return_inverse=True
    )
    together = order[np.argsort(first[number], kind="stable")]
    subsets = np.empty(order.size, dtype=np.int64)
    subsets[together] = turns(sizes)
    return subsets


def rarest_label_subsets(
    Y: sparse.csc_array, sizes: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return subsets that divide the samples of each rarest label evenly, with exact sizes.

    Samples in random order are sorted by their rarest label, then by their second rarest one; then
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
