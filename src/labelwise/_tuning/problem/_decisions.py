"""Decisions on scores: at thresholds, with a limit for each sample, in the form of the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import columns_in_order, frame_like, is_frame, take_columns

# Stored scores that are compared at a time: their thresholds stay in the cache.
_TOGETHER = 2**16


def decisions_at(
    scores: Any,
    thresholds: np.ndarray,
    most_per_row: Any = None,
    top_per_row: int | None = None,
) -> Any:
    """Decide checked scores: dense int8, or boolean CSR if the scores are CSR.

    With `top_per_row`, only that many highest scores of a row can be decided. A row in which more
    than `most_per_row` scores reach their thresholds keeps the highest scores. Among equal scores,
    those of the first labels are the highest. `most_per_row` of CSR scores may be one for each row.
    """
    if not sparse.issparse(scores):
        decided = (scores >= thresholds).view(np.int8)
        if top_per_row is not None:
            decided &= top_of_each(scores, np.full(len(scores), top_per_row))
        return decided if most_per_row is None else _limited(scores, decided, most_per_row)
    rows = sparse.csr_array(scores) if top_per_row is None else highest_scores(scores, top_per_row)
    reached = np.empty(rows.nnz, dtype=bool)
    # Thresholds of all stored scores at once would be more memory than the scores.
    for start in range(0, rows.nnz, _TOGETHER):
        some = slice(start, start + _TOGETHER)
        np.greater_equal(rows.data[some], thresholds[rows.indices[some]], out=reached[some])
    if most_per_row is not None:
        reached = highest_of_each(rows, reached, most_per_row)
    decided = np.flatnonzero(reached)
    return _stored(rows, decided, np.ones(decided.size, dtype=bool))


def highest_scores(scores: Any, k: int) -> sparse.csr_array:
    """Return the k highest scores of each row as CSR; the first ones among equal scores."""
    if sparse.issparse(scores):
        rows = sparse.csr_array(scores)
        is_high = highest_of_each(rows, np.ones(rows.nnz, dtype=bool), k)
        return _stored(rows, np.flatnonzero(is_high), rows.data[is_high])
    is_high = top_of_each(scores, np.full(len(scores), k)).astype(bool)
    starts = np.concatenate(([0], np.cumsum(np.count_nonzero(is_high, axis=1))))
    cells = scores[is_high], np.nonzero(is_high)[1], starts
    return sparse.csr_array(cells, shape=scores.shape)


def _stored(rows: sparse.csr_array, kept: np.ndarray, data: np.ndarray) -> sparse.csr_array:
    """Return a CSR matrix of some stored cells, numbered upwards, with other data."""
    starts = np.searchsorted(kept, rows.indptr)
    return sparse.csr_array((data, rows.indices[kept], starts), shape=rows.shape)


def top_of_each(scores: Any, sizes: np.ndarray) -> Any:
    """Mark the highest scores of each row, as many as `sizes` has for it."""
    if sparse.issparse(scores):
        return _top_of_stored(sparse.csr_array(scores), sizes)
    order = np.argsort(-scores, axis=1, kind="stable")
    decided = np.zeros(scores.shape, dtype=np.int8)
    is_taken = np.arange(scores.shape[1]) < sizes[:, None]
    np.put_along_axis(decided, order, is_taken.astype(np.int8), axis=1)
    return decided


def _top_of_stored(scores: sparse.csr_array, sizes: np.ndarray) -> sparse.csr_array:
    """Mark the highest stored scores of each row."""
    scores.sort_indices()
    n_stored = np.diff(scores.indptr)
    rows = np.repeat(np.arange(scores.shape[0]), n_stored)
    order = np.lexsort((-scores.data, rows))
    place = np.arange(scores.nnz) - np.repeat(scores.indptr[:-1], n_stored)
    taken = order[place < sizes[rows]]
    cells = rows[taken], scores.indices[taken]
    return sparse.csr_array((np.ones(taken.size, dtype=bool), cells), shape=scores.shape)


def _limited(scores: np.ndarray, decided: np.ndarray, most: int) -> np.ndarray:
    """Keep the highest scores of the rows of a dense matrix with too many decisions."""
    crowded = np.flatnonzero(decided.sum(axis=1, dtype=np.int64) > most)
    keys = np.where(decided[crowded] > 0, -scores[crowded], np.inf)
    dropped = np.argsort(keys, axis=1, kind="stable")[:, most:]
    decided[crowded[:, None], dropped] = 0
    return decided


def highest_of_each(scores: sparse.csr_array, chosen: np.ndarray, most: Any) -> np.ndarray:
    """Keep the highest of the chosen stored scores of each row, at most `most` (of each row)."""
    places = np.flatnonzero(chosen)
    starts = np.searchsorted(places, scores.indptr)
    n_over = np.diff(starts) - most
    crowded = np.flatnonzero(n_over > 0)
    if not crowded.size:
        return chosen
    sizes = np.diff(starts)[crowded]
    rows = np.repeat(np.arange(crowded.size), sizes)
    ranks = np.arange(rows.size) - (np.cumsum(sizes) - sizes)[rows]
    mine = places[starts[crowded][rows] + ranks]
    order = np.lexsort((scores.indices[mine], -scores.data[mine], rows))
    kept = chosen.copy()
    kept[mine[order[ranks >= (sizes - n_over[crowded])[rows]]]] = False
    return kept


def columns_of_labels(
    rule: Any, names: Sequence[str] | None, n_columns: int, input_name: str = "scores"
) -> np.ndarray | None:
    """Return the column of each label of thresholds or bands; None if columns are in this order.

    Columns are matched by name if both have names, else by position.
    """
    if rule.label_names is not None and names is not None:
        columns = columns_in_order(rule.label_names, names, input_name)
        return None if np.array_equal(columns, np.arange(len(rule))) else columns
    if n_columns != len(rule):
        raise ValueError(
            f"{input_name} has {n_columns} labels, but there are {len(rule)} thresholds."
        )
    return None


def in_order(rule: Any, matrix: Any, names: Sequence[str] | None, input_name: str) -> Any:
    """Return the columns of a matrix in the order of the labels of thresholds or bands."""
    columns = columns_of_labels(rule, names, matrix.shape[1], input_name)
    return matrix if columns is None else take_columns(matrix, columns)


def decided_by_label(decide: Callable[[Any], Any], scores: Any, columns: np.ndarray | None) -> Any:
    """Decide scores whose columns are brought into the order of the labels of a rule, and back.

    Among equal scores of a row, a limit then keeps the first labels of the rule, whatever the
    order of the columns of the scores.
    """
    if columns is None:
        return decide(scores)
    return take_columns(decide(take_columns(scores, columns)), np.argsort(columns))


def as_given(decided: Any, scores: Any) -> Any:
    """Return decisions as a frame if the scores are a frame, else as they are."""
    is_array = isinstance(scores, np.ndarray) or sparse.issparse(scores)
    return decided if is_array or not is_frame(scores) else frame_like(scores, decided)
