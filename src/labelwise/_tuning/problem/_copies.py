"""Exact copies of rows, which cross-validation and resampling must keep together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._curves import label_rankings


def copy_groups(scores: Any, Y: sparse.csc_array) -> np.ndarray | None:
    """Return a group number for each row, the same for copies; None if there are no copies.

    Rows are copies if they have the same labels and the same score of every label, and if no other
    row has any of these scores. The last condition excludes coarse scores, which different samples
    share. None is also returned for a single label, where copies look like ties, and if all rows
    are equal, where no other row can show whether scores are coarse.
    """
    if Y.shape[1] == 1:
        return None
    rows, labels = sparse.csr_array(scores) if sparse.issparse(scores) else scores, Y.tocsr()
    alike = _first_equal_rows(rows, labels, _candidates(rows, labels))
    is_copy = (np.bincount(alike) > 1)[alike] & _are_scored(rows)
    if not is_copy.any() or alike.max() == 0:
        return None
    is_copy = _own_their_scores(label_rankings(scores, Y), alike, is_copy)
    return None if not is_copy.any() else _numbered(alike, is_copy)


def _candidates(scores: Any, Y: sparse.csr_array) -> np.ndarray:
    """Return the rows that may equal another row, because a cheap summary is the same."""
    if not sparse.issparse(scores):
        summary = scores[:, 0]
    else:
        random = np.random.default_rng(0)
        # Equal rows have equal sums, since the entries of each row are added in the same order.
        summary = scores @ random.random(Y.shape[1]) + Y @ random.random(Y.shape[1])
    _, number, times = np.unique(summary, return_inverse=True, return_counts=True)
    return np.flatnonzero(times[number] > 1)


def _first_equal_rows(scores: Any, Y: sparse.csr_array, candidates: np.ndarray) -> np.ndarray:
    """Return, for each row, the first row with equal scores and labels."""
    first: dict[tuple[bytes, ...], int] = {}
    Y.sort_indices()
    parts = [(Y.indptr, Y.indices)]
    if sparse.issparse(scores):
        scores.sort_indices()
        parts += [(scores.indptr, scores.indices), (scores.indptr, scores.data)]
    else:
        starts = np.arange(scores.shape[0] + 1) * scores.shape[1]
        parts.append((starts, np.ascontiguousarray(scores).ravel()))
    found = np.arange(Y.shape[0])
    for i in candidates.tolist():
        key = tuple(values[starts[i] : starts[i + 1]].tobytes() for starts, values in parts)
        found[i] = first.setdefault(key, i)
    return found


def _are_scored(scores: Any) -> np.ndarray:
    """Return which rows have at least one score."""
    if sparse.issparse(scores):
        return np.asarray(np.diff(scores.indptr) > 0)
    return np.ones(scores.shape[0], dtype=bool)


def _own_their_scores(ranking: Any, alike: np.ndarray, is_copy: np.ndarray) -> np.ndarray:
    """Return which copies share none of their scores with a row that is not a copy of them."""
    rows = ranking.cells >> 1
    is_first = np.append(True, ranking.scores[1:] != ranking.scores[:-1])
    is_first[ranking.starts[:-1][np.diff(ranking.starts) > 0]] = True
    places = np.flatnonzero(is_first)
    times = np.diff(places, append=rows.size)
    n_alike = np.bincount(alike)[alike]
    is_shared = np.repeat(times, times) != n_alike[rows]
    is_copy = is_copy.copy()
    is_copy[rows[is_shared]] = False
    return is_copy


def _numbered(alike: np.ndarray, is_copy: np.ndarray) -> np.ndarray:
    """Return a group number for each row; rows that are not copies are groups of one row."""
    own = alike.max() + 1 + np.arange(alike.size)
    return np.unique(np.where(is_copy, alike, own), return_inverse=True)[1]
