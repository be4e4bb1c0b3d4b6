"""Counts of right and wrong decisions, by label, by sample or of all cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import check_outcome


class Counts(NamedTuple):
    """True positives, false positives, false negatives and true negatives.

    Each is a number or an array; the last axis runs over labels, or over samples. A measure of
    counts takes them cell by cell, `micro` adds them up first, `macro` averages afterwards.
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any


def count(
    Y: Any, decided: Any, by: str = "label", *, label_names: Sequence[str] | None = None
) -> Counts:
    """Return the four counts of each label, or of each sample.

    Parameters
    ----------
    Y, decided : array, sparse matrix, frame or list of sets
        The truth and the decisions, 0/1 of shape (n_samples, n_labels). Columns with names are
        matched by name.
    by : {"label", "sample"}
        What is counted by itself.
    label_names : sequence of str, optional
        Names of the columns; for lists of sets, the columns.

    Returns
    -------
    Counts
        int64 arrays of length n_labels or n_samples.

    Notes
    -----
    Sparse input stays sparse: O(nnz) time and memory.

    Examples
    --------
    >>> from labelwise.measures import count
    >>> count([[1, 0], [1, 1]], [[1, 1], [0, 1]]).tp
    array([1, 1])
    >>> count([{"sea"}, {"sea", "sky"}], [{"sea", "sky"}, {"sky"}], by="sample").fn
    array([0, 1])
    """
    if by not in ("label", "sample"):
        raise ValueError(f'by must be "label" or "sample", got {by!r}.')
    if decided is None:
        raise TypeError("decided must be an array, a matrix, a frame or sets, got None.")
    outcome = check_outcome(Y, decided=decided, label_names=label_names)
    return count_matched(outcome.Y, outcome.decided, by)


def count_matched(Y: sparse.csc_array, decided: sparse.csc_array, by: str) -> Counts:
    """Return the counts of checked matrices; by="all" pools them into arrays of length 1."""
    hits = Y.multiply(decided)
    tp, n_positive, n_decided = (_totals(matrix, by) for matrix in (hits, Y, decided))
    n_cells = Y.shape[0] * Y.shape[1] // tp.size
    return counts_from(tp, n_positive, n_decided, n_cells)


def weighted_counts(
    Y: sparse.csc_array, decided: sparse.csc_array, by: str, weights: np.ndarray
) -> Counts:
    """Return the sums of the samples' weights in the place of the counts, by label or of all."""
    tp, n_positive, n_decided = (
        weights @ sparse.csc_array(matrix, dtype=np.float64)
        for matrix in (Y.multiply(decided), Y, decided)
    )
    sums = counts_from(tp, n_positive, n_decided, weights.sum())
    by_label = exactly_empty(sums, count_matched(Y, decided, "label"))
    return by_label if by == "label" else Counts(*(np.sum(c, keepdims=True) for c in by_label))


def counts_from(tp: Any, n_positive: Any, n_decided: Any, n_samples: Any) -> Counts:
    """Return the four counts from hits, positives, decisions and samples."""
    return Counts(tp, n_decided - tp, n_positive - tp, n_samples - n_positive - n_decided + tp)


def exactly_empty(weighted: Counts, counted: Counts) -> Counts:
    """Return weighted counts that are 0 where nothing was counted, in spite of rounding."""
    pairs = zip(weighted, counted, strict=True)
    return Counts(*(np.where(number == 0, 0.0, np.abs(weight)) for weight, number in pairs))


def _totals(matrix: sparse.sparray, by: str) -> np.ndarray:
    """Return the number of ones in each column, in each row or in all."""
    if by == "all":
        return np.array([matrix.nnz], dtype=np.int64)
    # Checked matrices store no zeros, so entries are ones.
    if by == "label":
        return np.asarray(np.diff(sparse.csc_array(matrix).indptr), dtype=np.int64)
    rows = sparse.csc_array(matrix).indices
    return np.bincount(rows, minlength=matrix.shape[0])
