"""Measures of counts: functions of (tp, fp, fn, tn), numbers or arrays, applied cell by cell.

A quotient 0/0 is NaN, except that `f_measure` and `jaccard` are 1 without positives and decisions.
Means over labels or samples treat NaN by a policy, which `mean` computes.

Public functions accept counts of any type; small integer types, whose sums would overflow, are
converted to float64. The decorator `of_counts` does this once, and code behind a public function
calls the undecorated measures (`with_beta` returns them), which check nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any, TypeGuard, TypeVar, cast

import numpy as np

from labelwise._validation import check_beta, check_readable, refuse_sparse

Measure = Callable[..., Any]
F = TypeVar("F", bound=Measure)
# Measures that need no check: they work on int64 and float64 arrays, cell by cell.
_UNCHECKED: set[Measure] = set()


def of_counts(measure: F) -> F:
    """Return the public function of a measure, which checks its counts, and beta if it has one.

    The measure itself, which checks nothing, is its attribute ``__wrapped__``; see `unchecked`.
    """

    @wraps(measure)
    def checked(counts: Any, *beta: Any, **options: Any) -> Any:
        for value in (*beta, *options.values()):
            check_beta(value)
        return measure(tuple(wide(counts)), *beta, **options)

    # Pickle finds the measure by this name.
    measure.__qualname__ = f"{measure.__name__}.__wrapped__"
    _UNCHECKED.add(measure)
    return cast(F, checked)


def unchecked(measure: Measure) -> Measure:
    """Return the measure of a public function, which checks nothing."""
    return cast(Measure, getattr(measure, "__wrapped__", measure))


def is_unchecked(measure: Any) -> TypeGuard[Measure]:
    """Return whether a measure, perhaps with its beta set, checks nothing."""
    function = measure.func if isinstance(measure, partial) else measure
    return callable(function) and function in _UNCHECKED


def wide(counts: Any) -> Iterator[np.ndarray]:
    """Yield the four counts as int64 or float64, whose sums do not overflow.

    Counts of any other type become float64.
    """
    refuse_sparse(counts, "counts", "Counts, or four numbers or arrays (tp, fp, fn, tn)")
    for cells in counts:
        check_readable(cells, "counts")
        array = np.asarray(cells)
        is_wide = array.dtype in (np.int64, np.float64)
        yield array if is_wide else array.astype(np.float64)


def ratio(numerator: Any, denominator: Any, when_empty: float) -> Any:
    """Divide, with the value `when_empty` where the denominator is 0."""
    empty = np.equal(denominator, 0)
    quotient = np.divide(numerator, np.where(empty, 1, denominator))
    return np.where(empty, when_empty, quotient)[()]


def mean(values: Any, undefined: str | float = "nan", weights: np.ndarray | None = None) -> Any:
    """Average over the last axis (with weights), with NaN treated by the policy.

    "nan": one undefined value makes the mean NaN. "skip" and "defined": the mean of the defined
    values, NaN if there are none. A number replaces each undefined value.
    """
    filled, is_defined = filled_and_defined(values, undefined)
    if weights is None:
        return mean_of_sums(filled.sum(-1), is_defined.sum(-1), filled.shape[-1], undefined)
    n_defined = is_defined @ weights
    # As a sum of both, it equals n_defined exactly where nothing is undefined.
    n_all = n_defined + ~is_defined @ weights
    return mean_of_sums(filled @ weights, n_defined, n_all, undefined)


def filled_and_defined(values: Any, undefined: str | float) -> tuple[np.ndarray, np.ndarray]:
    """Replace undefined values, and return a mask of the defined values."""
    values = np.asarray(values, dtype=np.float64)
    is_defined = ~np.isnan(values)
    return np.where(is_defined, values, 0 if isinstance(undefined, str) else undefined), is_defined


def mean_of_sums(total: Any, n_defined: Any, n_all: Any, undefined: str | float) -> Any:
    """Compute the mean of `mean` from sums over `filled_and_defined`."""
    if undefined in ("skip", "defined"):
        return ratio(total, n_defined, np.nan)
    if undefined == "nan":
        return np.where(n_defined < n_all, np.nan, total / n_all)[()]
    return total / n_all


@of_counts
def precision(counts: Any) -> Any:
    r"""Compute precision, the share of decisions that are right.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.

    Returns
    -------
    float or ndarray
        Value of each cell; NaN where nothing was decided.

    Notes
    -----
    .. math:: \frac{TP}{TP + FP}

    Examples
    --------
    >>> from labelwise.measures import Counts, precision
    >>> float(precision(Counts(tp=3, fp=1, fn=0, tn=6)))
    0.75
    """
    tp, fp, _, _ = counts
    return ratio(tp, tp + fp, np.nan)


@of_counts
def recall(counts: Any) -> Any:
    r"""Compute recall, the share of positives that were decided.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.

    Returns
    -------
    float or ndarray
        Value of each cell; NaN where there are no positives.

    Notes
    -----
    .. math:: \frac{TP}{TP + FN}

    Examples
    --------
    >>> from labelwise.measures import Counts, recall
    >>> float(recall(Counts(tp=3, fp=0, fn=1, tn=6)))
    0.75
    """
    tp, _, fn, _ = counts
    return ratio(tp, tp + fn, np.nan)


@of_counts
def f_measure(counts: Any, beta: float = 1.0) -> Any:
    r"""Compute the F-measure, the weighted harmonic mean of precision and recall.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.

    Returns
    -------
    float or ndarray
        Value of each cell; 1 where there are neither positives nor decisions (dembczynski2013).

    Raises
    ------
    ValueError
        If beta is not a positive, finite number.

    Notes
    -----
    .. math:: F_\beta = \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization", ICML
    2013 (dembczynski2013).

    Examples
    --------
    >>> from labelwise.measures import Counts, f_measure
    >>> float(f_measure(Counts(tp=2, fp=2, fn=0, tn=6)))
    0.6666666666666666
    >>> float(f_measure(Counts(tp=0, fp=0, fn=0, tn=10)))
    1.0
    """
    tp, fp, fn, _ = counts
    weighted_hits = (1 + beta**2) * tp
    return ratio(weighted_hits, weighted_hits + beta**2 * fn + fp, 1.0)


@of_counts
def jaccard(counts: Any) -> Any:
    r"""Compute the Jaccard index, intersection over union.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.

    Returns
    -------
    float or ndarray
        Value of each cell; 1 where there are neither positives nor decisions.

    Notes
    -----
    .. math:: \frac{TP}{TP + FP + FN}

    Examples
    --------
    >>> from labelwise.measures import Counts, jaccard
    >>> float(jaccard(Counts(tp=2, fp=1, fn=1, tn=6)))
    0.5
    """
    tp, fp, fn, _ = counts
    return ratio(tp, tp + fp + fn, 1.0)


@of_counts
def accuracy(counts: Any) -> Any:
    r"""Compute accuracy, the share of cells that are decided rightly.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.

    Returns
    -------
    float or ndarray
        Value of each cell; NaN where all counts are 0.

    Notes
    -----
    .. math:: \frac{TP + TN}{TP + FP + FN + TN}

    Examples
    --------
    >>> from labelwise.measures import Counts, accuracy
    >>> float(accuracy(Counts(tp=2, fp=1, fn=1, tn=6)))
    0.8
    """
    tp, fp, fn, tn = counts
    return ratio(tp + tn, (tp + fp) + (fn + tn), np.nan)


@of_counts
def balanced_accuracy(counts: Any) -> Any:
    r"""Compute balanced accuracy, the mean of recall and specificity.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.

    Returns
    -------
    float or ndarray
        Value of each cell; NaN without positives or without negatives.

    Notes
    -----
    .. math:: \frac{1}{2} \left(\frac{TP}{TP + FN} + \frac{TN}{TN + FP}\right)

    Examples
    --------
    >>> from labelwise.measures import Counts, balanced_accuracy
    >>> float(balanced_accuracy(Counts(tp=1, fp=0, fn=1, tn=8)))
    0.75
    """
    of_positives, of_negatives = _shares_right(counts)
    return (of_positives + of_negatives) / 2


@of_counts
def g_mean(counts: Any) -> Any:
    r"""Compute the geometric mean of recall and specificity.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.

    Returns
    -------
    float or ndarray
        Value of each cell; NaN without positives or without negatives.

    Notes
    -----
    .. math:: \sqrt{\frac{TP}{TP + FN} \cdot \frac{TN}{TN + FP}}

    Examples
    --------
    >>> from labelwise.measures import Counts, g_mean
    >>> float(g_mean(Counts(tp=1, fp=3, fn=3, tn=1)))
    0.25
    """
    of_positives, of_negatives = _shares_right(counts)
    return np.sqrt(of_positives * of_negatives)


@of_counts
def matthews(counts: Any) -> Any:
    r"""Compute the Matthews correlation of truth and decisions.

    Parameters
    ----------
    counts : Counts or sequence of four numbers or arrays
        True positives, false positives, false negatives and true negatives.

    Returns
    -------
    float or ndarray
        Value of each cell, from -1 to 1; NaN where truth or decisions are constant.

    Notes
    -----
    .. math:: \frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    Examples
    --------
    >>> from labelwise.measures import Counts, matthews
    >>> float(matthews(Counts(tp=3, fp=1, fn=1, tn=3)))
    0.5
    """
    # Products of four counts leave the range of integers.
    tp, fp, fn, tn = (np.asarray(cells, dtype=np.float64) for cells in counts)
    scale = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    return ratio(tp * tn - fp * fn, scale, np.nan)


def wrong_share(counts: Any) -> Any:
    """Compute the share of wrong decisions: the Hamming loss of one sample."""
    tp, fp, fn, tn = counts
    return ratio(fp + fn, (tp + fp) + (fn + tn), np.nan)


def is_exact(counts: Any) -> Any:
    """Mark counts without a wrong decision by 1, others by 0.

    The mean over samples is the subset accuracy.
    """
    _, fp, fn, _ = counts
    return np.asarray(fp + fn == 0, dtype=np.float64)[()]


def precision_and_recall(counts: Any) -> np.ndarray:
    """Stack precision and recall along a new first axis."""
    tp, fp, fn, _ = counts
    return np.stack([ratio(tp, tp + fp, np.nan), ratio(tp, tp + fn, np.nan)])


def f_of_rates(rates: np.ndarray, beta: float) -> Any:
    """Compute the F-measure of a precision and a recall; 0 where both are 0."""
    weighted = (1 + beta**2) * rates[0] * rates[1]
    return ratio(weighted, beta**2 * rates[0] + rates[1], when_empty=0.0)


def _shares_right(counts: Any) -> tuple[Any, Any]:
    """Compute the shares of the positives (recall) and negatives (specificity) decided rightly."""
    tp, fp, fn, tn = counts
    return ratio(tp, tp + fn, np.nan), ratio(tn, tn + fp, np.nan)
