"""Exact copies of rows, which cross-validation and resampling must keep together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse


def copy_groups(scores: Any, Y: sparse.csc_array) -> np.ndarray | None:
    """Return a group number for each row, the same for copies; None if there are no copies.

    Rows are copies if they have the same labels and the same score of every label, and if no other
    row has any of these scores. The last condition excludes coarse scores, which different samples
    share. None is also returned for a single label, where copies look like ties, and if all rows
    are equal, where no other row can show whether scores are coarse.
    """
    if Y.shape[1] == 1 or _are_distinct(scores):
        return None
    rows = sparse.csr_array(scores) if sparse.issparse(scores) else scores
    alike = _equal_rows(rows, sparse.csr_array(Y))
    is_copy = (np.bincount(alike) > 1)[alike] & _are_scored(rows)
    if not is_copy.any() or alike.max() == 0:
        return None
    is_copy = _own_their_scores(rows, alike, is_copy)
    return None if not is_copy.any() else _numbered(alike, is_copy)


def _are_distinct(scores: Any) -> bool:
    """Return whether no two rows of dense scores share the score of the first label."""
    return not sparse.issparse(scores) and np.unique(scores[:, 0]).size == scores.shape[0]


def _equal_rows(scores: Any, Y: sparse.csr_array) -> np.ndarray:
    """Return a number for each row, the same for rows with equal scores and labels."""
    numbers: dict[tuple[bytes, ...], int] = {}
    Y.sort_indices()
    parts = [(Y.indptr, Y.indices)]
    if sparse.issparse(scores):
        scores.sort_indices()
        parts += [(scores.indptr, scores.indices), (scores.indptr, scores.data)]
    else:
        starts = np.arange(scores.shape[0] + 1) * scores.shape[1]
        parts.append((starts, np.ascontiguousarray(scores).ravel()))
    found = np.empty(Y.shape[0], dtype=np.int64)
    for i in range(found.size):
        key = tuple(values[starts[i] : starts[i + 1]].tobytes() for starts, values in parts)
        found[i] = numbers.setdefault(key, len(numbers))
    return found


def _are_scored(scores: Any) -> np.ndarray:
    """Return which rows have at least one score."""
    if sparse.issparse(scores):
        return np.asarray(np.diff(scores.indptr) > 0)
    return np.ones(scores.shape[0], dtype=bool)


def _own_their_scores(scores: Any, alike: np.ndarray, is_copy: np.ndarray) -> np.ndarray:
    """Return which copies share none of their scores with a row that is no copy of them."""
    n_alike = np.bincount(alike)[alike]
    is_copy = is_copy.copy()
    for rows, values in _columns(scores):
        _, value, times = np.unique(values, return_inverse=True, return_counts=True)
        is_copy[rows] &= times[value] == n_alike[rows]
        if not is_copy.any():
            break
    return is_copy


def _columns(scores: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, label by label, the rows that have a score, and these scores."""
    if not sparse.issparse(scores):
        all_rows = np.arange(scores.shape[0])
        yield from ((all_rows, column) for column in scores.T)
        return
    stored = sparse.csc_array(scores)
    for low, high in pairwise(stored.indptr):
        yield stored.indices[low:high], stored.data[low:high]


def _numbered(alike: np.ndarray, is_copy: np.ndarray) -> np.ndarray:
    """Return a group number for each row; rows that are no copies are groups of one row."""
    own = alike.max() + 1 + np.arange(alike.size)
    return np.unique(np.where(is_copy, alike, own), return_inverse=True)[1]
