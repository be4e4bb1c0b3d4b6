"""Counts of right and wrong decisions, by label, by sample or of all cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import Counts, counts_of
from labelwise._validation import Outcome, check_outcome


def count(
    Y: Any,
    decided: Any,
    by: str = "label",
    *,
    label_names: Sequence[str] | None = None,
    by_position: bool = False,
) -> Counts:
    """Count right and wrong decisions of each label or each sample.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. NaN, null or a masked cell is a missing label: the cell is not counted,
        whether it is decided or not.
    decided : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Decisions, 0 or 1. Columns with names are matched by name.
    by : {"label", "sample"}, default="label"
        Whether each label or each sample has its own counts.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    by_position : bool, default=False
        Whether samples are matched by position if only one argument has ids. This is refused
        otherwise, unless the other one is an array, which has no ids.

    Returns
    -------
    Counts
        Four int64 arrays of shape (n_labels,) or (n_samples,).

    Raises
    ------
    TypeError
        If there are no decisions.
    ValueError
        If `by` is unknown, a matrix has other values than 0 and 1, or Y and decided do not match.

    Notes
    -----
    Sparse matrices stay sparse: time and memory are O(nnz).

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
    outcome = check_outcome(
        Y, decided=decided, label_names=label_names, allow_missing=True, by_position=by_position
    )
    return count_matched(outcome.Y, outcome.decided, by, outcome.missing)


def count_samples(Y: Any, decided: Any, label_names: Sequence[str] | None) -> Counts:
    """Count each sample that has truth for a label."""
    counts = count(Y, decided, "sample", label_names=label_names)
    has_truth = sum(counts) > 0
    return counts if has_truth.all() else Counts(*(cells[has_truth] for cells in counts))


def count_matched(
    Y: sparse.csc_array,
    decided: sparse.csc_array,
    by: str,
    missing: sparse.csc_array | None = None,
) -> Counts:
    """Count the decisions of checked matrices; by="all" gives arrays of length 1.

    Cells without truth (`missing`) are not counted, and must be neither positive nor decided.
    """
    hits = Y.multiply(decided)
    tp, n_positive, n_decided = (_totals(matrix, by) for matrix in (hits, Y, decided))
    return counts_of(n_decided, tp, n_positive, cells_of_each(Y, by, missing))


def cells_of_each(Y: sparse.csc_array, by: str, missing: sparse.csc_array | None) -> Any:
    """Return the number of cells with truth of each label or sample, or in all."""
    n_samples, n_labels = Y.shape
    n_cells = {"label": n_samples, "sample": n_labels, "all": n_samples * n_labels}[by]
    return n_cells if missing is None else n_cells - _totals(missing, by)


def weighted_counts(
    Y: sparse.csc_array,
    decided: sparse.csc_array,
    by: str,
    weights: np.ndarray,
    missing: sparse.csc_array | None = None,
) -> Counts:
    """Sum the weights of samples instead of counting them, by "label" or "all"."""
    tp, n_positive, n_decided = (
        weights @ sparse.csc_array(matrix, dtype=np.float64)
        for matrix in (Y.multiply(decided), Y, decided)
    )
    n_samples = weights.sum()
    if missing is not None:
        n_samples = n_samples - weights @ missing.astype(np.float64)
    sums = counts_of(n_decided, tp, n_positive, n_samples)
    by_label = exactly_empty(sums, count_matched(Y, decided, "label", missing))
    return by_label if by == "label" else Counts(*(np.sum(c, keepdims=True) for c in by_label))


def exactly_empty(weighted: Counts, counted: Counts) -> Counts:
    """Set weighted counts to exactly 0 where nothing was counted."""
    pairs = zip(weighted, counted, strict=True)
    return Counts(*(np.where(number == 0, 0.0, np.abs(weight)) for weight, number in pairs))


def _totals(matrix: sparse.sparray, by: str) -> np.ndarray:
    """Count the ones in each column, in each row or in the whole matrix."""
    if by == "all":
        return np.array([matrix.nnz], dtype=np.int64)
    # Checked matrices store no zeros, so entries are ones.
    if by == "label":
        return np.asarray(np.diff(sparse.csc_array(matrix).indptr), dtype=np.int64)
    rows = sparse.csc_array(matrix).indices
    return np.bincount(rows, minlength=matrix.shape[0])


def count_empty_samples(outcome: Outcome) -> int:
    """Count the samples without positives and decisions; 0 without `decided`."""
    if outcome.decided is None:
        return 0
    is_empty = np.ones(outcome.Y.shape[0], dtype=bool)
    is_empty[outcome.Y.indices] = False
    is_empty[outcome.decided.indices] = False
    return int(is_empty.sum())
