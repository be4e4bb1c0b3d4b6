"""Averages of measures of counts: micro, macro, and means over whole samples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from labelwise._validation import check_beta, check_undefined
from labelwise.measures._count_measures import (
    f_of_rates,
    is_exact,
    precision_and_recall,
    wrong_share,
)
from labelwise.measures._counts import Counts, count
from labelwise.measures._register import averaged_records
from labelwise.measures._undefined import mean

Measure = Callable[..., Any]


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


def function_of(measure: Measure | str) -> Measure:
    """Return a measure of counts that is given as its function or by its name, such as "f"."""
    if not isinstance(measure, str):
        return measure
    records = averaged_records()
    if measure not in records:
        raise ValueError(f"measure must be one of {', '.join(records)}, got {measure!r}.")
    return records[measure].function


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


def micro(measure: Measure | str, counts: Counts, *, beta: float = 1.0) -> Any:
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
    return measured(with_beta(function_of(measure), beta), pooled)


def macro(
    measure: Measure | str, counts: Counts, undefined: str | float = "nan", *, beta: float = 1.0
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
    return mean(measured(with_beta(function_of(measure), beta), counts), undefined)


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
    return f_of_rates(mean(precision_and_recall(counts), check_undefined(undefined)), beta)


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
