"""Counts of right and wrong decisions, and their averages over labels and samples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import check_beta, check_outcome, check_undefined
from labelwise.measures._count_measures import is_exact, precision, recall, wrong_share
from labelwise.measures._undefined import mean, ratio


class Counts(NamedTuple):
    """True positives, false positives, false negatives and true negatives.

    Each is a number or an array; the last axis runs over labels, or over samples. A measure of
    counts takes them cell by cell, `micro` adds them up first, `macro` averages afterwards.
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any


Measure = Callable[..., Any]


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


def with_beta(measure: Measure, beta: float) -> Measure:
    """Return the measure with its beta set; 1 leaves it as it is.

    Raises
    ------
    TypeError
        If the measure is not a function.
    ValueError
        For any other beta with a measure that has none.

    Examples
    --------
    >>> from labelwise.measures import Counts, f_measure, with_beta
    >>> round(float(with_beta(f_measure, 2.0)(Counts(tp=1, fp=0, fn=1, tn=0))), 3)
    0.556
    """
    check_beta(beta)
    if not callable(measure):
        raise TypeError(f"measure must be a function of counts, got {measure!r}.")
    if beta == 1:
        return measure
    if "beta" not in inspect.signature(measure).parameters:
        name = getattr(measure, "__name__", repr(measure))
        raise ValueError(f"beta must be 1 for {name}, which has none, got {beta}.")
    return partial(measure, beta=beta)


def measured(measure: Measure, counts: Counts) -> Any:
    """Return the measure of counts, cell by cell; refuse one that does not take arrays."""
    shape = np.broadcast_shapes(*map(np.shape, counts))
    name = getattr(measure, "__name__", repr(measure))
    rule = "measure must take Counts of arrays and return an array of numbers of their shape"
    try:
        values = np.asarray(measure(counts))
    except (TypeError, ValueError, IndexError) as error:
        raise TypeError(f"{rule}, but {name} raised {type(error).__name__}: {error}") from error
    if values.shape != shape or values.dtype.kind not in "biuf":
        raise TypeError(f"{rule}, but {name} returned {values!r} for counts of shape {shape}.")
    return values[()]


def micro(measure: Measure, counts: Counts, *, beta: float = 1.0) -> Any:
    """Return the measure of the summed counts: every decision weighs the same.

    Parameters
    ----------
    measure : callable
        A measure of counts such as `f_measure`, or your own: a function that takes `Counts` of
        numbers or arrays and returns a number or an array of their shape.
    counts : Counts
        From `count`; by label or by sample gives the same.
    beta : float
        For a measure that has a beta; other than 1 for any other is a ValueError.

    Examples
    --------
    >>> from labelwise.measures import count, f_measure, micro
    >>> round(float(micro(f_measure, count([[1, 0], [1, 1]], [[1, 1], [0, 1]]))), 3)
    0.667
    """
    pooled = Counts(*(np.sum(cells, axis=-1) for cells in counts))
    return measured(with_beta(measure, beta), pooled)


def macro(
    measure: Measure, counts: Counts, undefined: str | float = "nan", *, beta: float = 1.0
) -> Any:
    """Return the mean of the measure over labels, or over samples for ``count(by="sample")``.

    Parameters
    ----------
    measure, counts, beta
        As in `micro`.
    undefined : {"nan", "skip"} or float
        What a label without value does to the mean: "nan" makes it NaN, "skip" leaves the label
        out (NaN if none is left), a number stands for the missing value.

    Examples
    --------
    >>> from labelwise.measures import count, macro, recall
    >>> counts = count([[1, 0], [1, 0]], [[1, 1], [0, 0]])
    >>> float(macro(recall, counts)), float(macro(recall, counts, undefined="skip"))
    (nan, 0.5)
    """
    undefined = check_undefined(undefined)
    return mean(measured(with_beta(measure, beta), counts), undefined)


def f_of_means(counts: Counts, beta: float = 1.0, undefined: str | float = "nan") -> Any:
    """Return the F-measure of mean precision and mean recall, 0 where both are 0.

    With ``P`` and ``R`` the macro averages, ``(1 + beta²) P R / (beta² P + R)``. This is not the
    mean of the F-measures (`macro`), and always at least as large where all are defined.

    Examples
    --------
    >>> from labelwise.measures import count, f_of_means
    >>> round(float(f_of_means(count([[1, 0], [1, 1]], [[1, 1], [0, 1]]))), 3)
    0.75
    """
    check_beta(beta)
    return f_of(mean(both_rates(counts), check_undefined(undefined)), beta)


def both_rates(counts: Counts) -> np.ndarray:
    """Return precision and recall, stacked along a new first axis."""
    return np.stack([precision(counts), recall(counts)])


def f_of(rates: np.ndarray, beta: float) -> Any:
    """Return the F-measure of a precision and a recall; 0 where both are 0."""
    weighted = (1 + beta**2) * rates[0] * rates[1]
    return ratio(weighted, beta**2 * rates[0] + rates[1], when_empty=0.0)


def hamming_loss(Y: Any, decided: Any, *, label_names: Sequence[str] | None = None) -> float:
    """Return the share of wrong cells, ``(FP + FN) / (n_samples * n_labels)``.

    The arguments are those of `count`.

    Examples
    --------
    >>> from labelwise.measures import hamming_loss
    >>> hamming_loss([[1, 0], [1, 1]], [[1, 1], [0, 1]])
    0.5
    """
    return float(wrong_share(count(Y, decided, "sample", label_names=label_names)).mean())


def subset_accuracy(Y: Any, decided: Any, *, label_names: Sequence[str] | None = None) -> float:
    """Return the share of samples whose every label is decided rightly.

    The arguments are those of `count`.

    Examples
    --------
    >>> from labelwise.measures import subset_accuracy
    >>> subset_accuracy([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.5
    """
    return float(is_exact(count(Y, decided, "sample", label_names=label_names)).mean())
