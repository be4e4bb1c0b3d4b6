"""Averages of measures of counts: micro, macro, and means over whole samples."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from labelwise._counts import Counts
from labelwise._text import did_you_mean
from labelwise._validation import check_beta, check_undefined, refuse_sparse
from labelwise.measures._count_measures import (
    Measure,
    is_exact,
    is_unchecked,
    mean,
    unchecked,
    wide,
    wrong_share,
)
from labelwise.measures._counts import count_samples
from labelwise.measures._register import averaged_records, record_of


def with_beta(measure: Measure, beta: float) -> Measure:
    """Set the beta of a measure, and check both once.

    Code behind a public function calls the result as often as it needs: measures of the register
    are returned unchecked. A function of the user's own is returned as it is, or as a partial.
    """
    check_beta(beta)
    if not callable(measure):
        raise TypeError(f"measure must be a function of counts, got {measure!r}.")
    found = record_of(measure)
    if found is not None:
        record, own_beta = found
        beta = own_beta if beta == 1 else beta
        check_beta(beta)
        if beta == 1:
            return unchecked(record.function)
        if record.takes_beta:
            return partial(unchecked(record.function), beta=beta)
    elif beta == 1:
        return measure
    elif "beta" in inspect.signature(measure).parameters:
        return partial(measure, beta=beta)
    name = getattr(measure, "__name__", repr(measure))
    raise ValueError(f"beta must be 1 for {name}, which has none, got {beta}.")


def function_of(measure: Measure | str) -> Measure:
    """Return a measure of counts that is given as its function or by its name, such as "f"."""
    if not isinstance(measure, str):
        return measure
    records = averaged_records()
    if measure not in records:
        meant = did_you_mean(measure, records)
        raise ValueError(f"measure must be one of {', '.join(records)}, got {measure!r}{meant}")
    return records[measure].function


def measured(measure: Measure, counts: Counts) -> Any:
    """Compute a measure cell by cell, refusing a function that does not work on arrays."""
    if is_unchecked(measure):
        return measure(counts)
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


def micro(measure: Measure | str, counts: Counts, *, beta: float = 1.0) -> Any:
    """Compute the micro average: the measure of the summed counts.

    Every cell has the same weight.

    Parameters
    ----------
    measure : callable or str
        A measure of counts such as `f_measure`, its name such as "f", or a function of your own
        that takes `Counts` of arrays and returns an array of the same shape.
    counts : Counts
        Counts of labels or samples, from `count`; both give the same value.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any other
        measure allows only 1.

    Returns
    -------
    float or ndarray
        The average over the last axis of the counts.

    Raises
    ------
    TypeError
        If the measure is neither a function nor a name, or does not return an array of the shape of
        its counts.
    ValueError
        If the name of the measure is unknown, or if beta does not fit the measure.

    See Also
    --------
    macro : Mean over labels or samples.

    Examples
    --------
    >>> from labelwise.measures import count, f_measure, micro
    >>> round(float(micro(f_measure, count([[1, 0], [1, 1]], [[1, 1], [0, 1]]))), 3)
    0.667
    """
    if is_unchecked(measure) and beta == 1:  # behind another public function
        return measure(_pooled(counts))
    refuse_sparse(counts, "counts", "Counts")
    function, pooled = with_beta(function_of(measure), beta), _pooled(counts)
    return measured(function, Counts(*wide(pooled)) if is_unchecked(function) else pooled)


def macro(
    measure: Measure | str, counts: Counts, undefined: str | float = "nan", *, beta: float = 1.0
) -> Any:
    """Compute the macro average: the mean of the measure over labels.

    With ``count(..., by="sample")``, compute the mean over samples.

    Parameters
    ----------
    measure : callable or str
        A measure of counts such as `f_measure`, its name such as "f", or a function of your own
        that takes `Counts` of arrays and returns an array of the same shape.
    counts : Counts
        Counts of each label or sample, from `count`.
    undefined : {"nan", "skip"} or float, default="nan"
        How labels without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Any other
        measure allows only 1.

    Returns
    -------
    float or ndarray
        The average over the last axis of the counts.

    Raises
    ------
    TypeError
        If the measure is neither a function nor a name, or does not return an array of the shape of
        its counts.
    ValueError
        If the name of the measure is unknown, or if beta does not fit the measure.

    See Also
    --------
    micro : Measure of the summed counts.

    Examples
    --------
    >>> from labelwise.measures import count, macro, recall
    >>> counts = count([[1, 0], [1, 0]], [[1, 1], [0, 0]])
    >>> float(macro(recall, counts)), float(macro(recall, counts, undefined="skip"))
    (nan, 0.5)
    """
    if is_unchecked(measure) and beta == 1:  # behind another public function
        return mean(measure(counts), undefined)
    refuse_sparse(counts, "counts", "Counts")
    undefined = check_undefined(undefined)
    function = with_beta(function_of(measure), beta)
    cells = Counts(*wide(counts)) if is_unchecked(function) else counts
    return mean(measured(function, cells), undefined)


def _pooled(counts: Counts) -> Counts:
    return Counts(*(np.sum(cells, axis=-1) for cells in counts))


def hamming_loss(Y: Any, decided: Any, *, label_names: Sequence[str] | None = None) -> float:
    r"""Compute the Hamming loss, the share of wrong cells.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    decided : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Decisions, 0 or 1. Columns with names are matched by name.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Loss from 0 to 1; lower is better.

    Raises
    ------
    TypeError
        If there are no decisions.
    ValueError
        If a matrix has other values than 0 and 1, or if Y and decided do not match.

    Notes
    -----
    .. math:: \frac{FP + FN}{n_\mathrm{samples} \cdot n_\mathrm{labels}}

    With missing labels (NaN), the mean over samples of the share of wrong cells among the cells
    with truth; samples without truth are left out.

    Examples
    --------
    >>> from labelwise.measures import hamming_loss
    >>> hamming_loss([[1, 0], [1, 1]], [[1, 1], [0, 1]])
    0.5
    """
    return float(wrong_share(count_samples(Y, decided, label_names)).mean())


def subset_accuracy(Y: Any, decided: Any, *, label_names: Sequence[str] | None = None) -> float:
    """Compute subset accuracy, the share of samples without a wrong decision.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    decided : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Decisions, 0 or 1. Columns with names are matched by name.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Share from 0 to 1.

    Raises
    ------
    TypeError
        If there are no decisions.
    ValueError
        If a matrix has other values than 0 and 1, or if Y and decided do not match.

    Notes
    -----
    Also called exact match ratio. Missing labels (NaN) cannot be wrong; samples without truth are
    left out.

    Examples
    --------
    >>> from labelwise.measures import subset_accuracy
    >>> subset_accuracy([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.5
    """
    return float(is_exact(count_samples(Y, decided, label_names)).mean())
