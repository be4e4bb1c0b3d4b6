"""The four counts of right and wrong decisions, which measures and thresholds are made from."""

from __future__ import annotations

from typing import Any, NamedTuple


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
