"""Pairs of labels in calibrated label ranking, and the samples that each pair learns from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse


class LabelPairs(NamedTuple):
    """All pairs of labels; the virtual label has the number after the last label."""

    first: np.ndarray  # (n_pairs,)
    second: np.ndarray  # (n_pairs,), larger
    fixed: np.ndarray  # vote for `first` of a pair without a model: 0, 1/2 or 1; else NaN


def all_pairs(Y: sparse.csc_array) -> LabelPairs:
    """List all pairs, with fixed votes if their samples lack two classes."""
    n_samples, n_labels = Y.shape
    first, second = np.triu_indices(n_labels + 1, k=1)
    counts = sparse.csc_array(Y, dtype=np.int64)
    support = np.append(counts.sum(axis=0), 0)
    together = np.zeros((n_labels + 1, n_labels + 1), dtype=np.int64)
    together[:-1, :-1] = (counts.T @ counts).toarray()
    both = together[first, second]
    for_first, for_second = support[first] - both, support[second] - both
    is_virtual = second == n_labels
    for_second[is_virtual] = n_samples - support[:-1]
    fixed = np.where(for_first > 0, 1.0, np.where(for_second > 0, 0.0, 0.5))
    return LabelPairs(first, second, np.where((for_first > 0) & (for_second > 0), np.nan, fixed))


def pair_samples(
    Y: sparse.csc_array, first: int, second: int
) -> tuple[np.ndarray | None, np.ndarray]:
    """Find samples with exactly one of two labels; 1 if it is the first label.

    A sample prefers the virtual label to every label that it does not have, so that a pair with
    the virtual label learns from all samples: the rows are then None.
    """
    n_samples, n_labels = Y.shape
    with_first = _rows_with(Y, first)
    if second == n_labels:
        target = np.zeros(n_samples, dtype=np.int64)
        target[with_first] = 1
        return None, target
    rows = np.setxor1d(with_first, _rows_with(Y, second), assume_unique=True)
    # int64, since scikit-learn 1.9 may permute classes of smaller types.
    return rows, np.isin(rows, with_first, assume_unique=True).astype(np.int64)


def _rows_with(Y: sparse.csc_array, label: int) -> np.ndarray:
    return np.asarray(Y.indices[Y.indptr[label] : Y.indptr[label + 1]])
