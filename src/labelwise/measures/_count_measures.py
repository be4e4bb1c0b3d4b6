"""Measures of counts: each takes (tp, fp, fn, tn), numbers or arrays, and works cell by cell.

Where a quotient is 0/0 the value is NaN, never silently a number; only `f_measure` and `jaccard`
of an empty truth met by an empty decision are 1 (dembczynski2013). Counts may be of any type;
small integer types, whose sums would overflow, are taken as float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from labelwise._validation import check_beta
from labelwise.measures._undefined import ratio


def precision(counts: Any) -> Any:
    """Return ``TP / (TP + FP)``; NaN where nothing was decided.

    Examples
    --------
    >>> from labelwise.measures import Counts, precision
    >>> float(precision(Counts(tp=3, fp=1, fn=0, tn=6)))
    0.75
    """
    tp, fp, _, _ = wide(counts)
    return ratio(tp, tp + fp, np.nan)


def recall(counts: Any) -> Any:
    """Return ``TP / (TP + FN)``; NaN where there are no positives.

    Examples
    --------
    >>> from labelwise.measures import Counts, recall
    >>> float(recall(Counts(tp=3, fp=0, fn=1, tn=6)))
    0.75
    """
    tp, _, fn, _ = wide(counts)
    return ratio(tp, tp + fn, np.nan)


def f_measure(counts: Any, beta: float = 1.0) -> Any:
    """Return F-beta, ``(1 + beta²) TP / ((1 + beta²) TP + beta² FN + FP)``.

    It is the harmonic mean of precision and recall, recall weighing ``beta²`` times as much; an
    empty truth met by an empty decision scores 1 (dembczynski2013).

    Examples
    --------
    >>> from labelwise.measures import Counts, f_measure
    >>> float(f_measure(Counts(tp=2, fp=2, fn=0, tn=6)))
    0.6666666666666666
    >>> float(f_measure(Counts(tp=0, fp=0, fn=0, tn=10)))
    1.0
    """
    check_beta(beta)
    tp, fp, fn, _ = wide(counts)
    weighted_hits = (1 + beta**2) * tp
    return ratio(weighted_hits, weighted_hits + beta**2 * fn + fp, 1.0)


def jaccard(counts: Any) -> Any:
    """Return ``TP / (TP + FP + FN)``, intersection over union; 1 where both sets are empty.

    Examples
    --------
    >>> from labelwise.measures import Counts, jaccard
    >>> float(jaccard(Counts(tp=2, fp=1, fn=1, tn=6)))
    0.5
    """
    tp, fp, fn, _ = wide(counts)
    return ratio(tp, tp + fp + fn, 1.0)


def accuracy(counts: Any) -> Any:
    """Return the share of right decisions, ``(TP + TN) / (TP + FP + FN + TN)``.

    Examples
    --------
    >>> from labelwise.measures import Counts, accuracy
    >>> float(accuracy(Counts(tp=2, fp=1, fn=1, tn=6)))
    0.8
    """
    tp, fp, fn, tn = wide(counts)
    return ratio(tp + tn, (tp + fp) + (fn + tn), np.nan)


def balanced_accuracy(counts: Any) -> Any:
    """Return the mean of recall and specificity; NaN without positives or without negatives.

    Examples
    --------
    >>> from labelwise.measures import Counts, balanced_accuracy
    >>> float(balanced_accuracy(Counts(tp=1, fp=0, fn=1, tn=8)))
    0.75
    """
    return (recall(counts) + _specificity(counts)) / 2


def g_mean(counts: Any) -> Any:
    """Return the geometric mean of recall and specificity; NaN as for `balanced_accuracy`.

    Examples
    --------
    >>> from labelwise.measures import Counts, g_mean
    >>> float(g_mean(Counts(tp=1, fp=3, fn=3, tn=1)))
    0.25
    """
    return np.sqrt(recall(counts) * _specificity(counts))


def matthews(counts: Any) -> Any:
    """Return the correlation of truth and decision (Matthews); NaN where either is constant.

    ``(TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))``, between -1 and 1.

    Examples
    --------
    >>> from labelwise.measures import Counts, matthews
    >>> float(matthews(Counts(tp=3, fp=1, fn=1, tn=3)))
    0.5
    """
    # Products of four counts leave the range of integers.
    tp, fp, fn, tn = (cells.astype(np.float64) for cells in wide(counts))
    scale = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    return ratio(tp * tn - fp * fn, scale, np.nan)


def wrong_share(counts: Any) -> Any:
    """Return the share of wrong decisions; its mean over samples is the Hamming loss."""
    tp, fp, fn, tn = wide(counts)
    return ratio(fp + fn, (tp + fp) + (fn + tn), np.nan)


def is_exact(counts: Any) -> Any:
    """Return 1 where no decision is wrong, else 0; its mean over samples is subset accuracy."""
    _, fp, fn, _ = wide(counts)
    return np.asarray(fp + fn == 0, dtype=np.float64)[()]


def precision_and_recall(counts: Any) -> np.ndarray:
    """Stack precision and recall along a new first axis."""
    return np.stack([precision(counts), recall(counts)])


def f_of_rates(rates: np.ndarray, beta: float) -> Any:
    """Compute the F-measure of a precision and a recall; 0 where both are 0."""
    weighted = (1 + beta**2) * rates[0] * rates[1]
    return ratio(weighted, beta**2 * rates[0] + rates[1], when_empty=0.0)


def _specificity(counts: Any) -> Any:
    _, fp, _, tn = wide(counts)
    return ratio(tn, tn + fp, np.nan)


def wide(counts: Any) -> Iterator[np.ndarray]:
    """Yield the four counts as int64 or float64, whose sums do not overflow.

    Counts that are neither become float64.
    """
    for cells in counts:
        array = np.asarray(cells)
        is_wide = array.dtype in (np.int64, np.float64)
        yield array if is_wide else array.astype(np.float64)
