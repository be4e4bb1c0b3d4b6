"""Counts of right and wrong decisions, by label, by sample, of all cells or of drawn samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import Outcome

# Number of weights of drawn samples in memory at a time.
_BLOCK = 2**21


class Counts(NamedTuple):
    """True positives, false positives, false negatives and true negatives.

    Measures of counts work cell by cell; `micro` adds the counts up first, `macro` averages the
    values afterwards.

    Parameters
    ----------
    tp, fp, fn, tn : number or array
        The four counts, of the same shape. The last axis runs over labels or samples.

    See Also
    --------
    count : Count the decisions of labels or samples.

    Examples
    --------
    >>> from labelwise.measures import Counts, precision
    >>> precision(Counts(tp=3, fp=1, fn=0, tn=6)).item()
    0.75
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any


def counts_of(decided: Any, hits: Any, positives: Any, n: Any) -> Counts:
    """Return the four counts from decisions, true positives, positives and the number of cells."""
    return Counts(hits, decided - hits, positives - hits, n - positives - decided + hits)


def pooled(counts: Counts) -> Counts:
    """Sum the counts over the last axis."""
    return Counts(*(np.sum(cells, axis=-1) for cells in counts))


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


def micro_draws(by_sample: Counts, n_draws: int, random: np.random.RandomState) -> Counts:
    """Return the counts of all labels together in each draw, arrays of shape (n_draws,).

    `by_sample` has the counts of each sample. Two calls with generators of the same seed draw the
    same samples, so that differences of their measures are paired.
    """
    cells = np.stack([np.asarray(part, dtype=np.float64) for part in by_sample])
    n_samples = cells.shape[1]
    return Counts(*np.hstack([cells @ times for times in draws(n_samples, n_draws, random)]))


def draws(n_samples: int, n_draws: int, random: np.random.RandomState) -> Iterator[np.ndarray]:
    """Yield how often each sample (row) is in each draw (column), in blocks."""
    n_together = max(1, _BLOCK // n_samples)
    for start in range(0, n_draws, n_together):
        n_columns = min(n_together, n_draws - start)
        weights = np.empty((n_samples, n_columns))
        for j in range(n_columns):
            taken = random.randint(n_samples, size=n_samples)
            weights[:, j] = np.bincount(taken, minlength=n_samples)
        yield weights
