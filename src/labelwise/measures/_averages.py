"""Count decisions, and average measures of counts: micro and macro."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelwise._counts import (
    Counts,
    Measure,
    count_matched,
    function_of,
    is_unchecked,
    macro_of,
    measured,
    pooled,
    wide,
    with_beta,
)
from labelwise._validation import check_outcome, check_undefined, refuse_sparse


def count(
    Y: Any,
    decided: Any,
    by: str = "label",
    *,
    label_names: Sequence[str] | None = None,
    ids: Any = None,
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
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

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
        Y, decided=decided, label_names=label_names, allow_missing=True, ids=ids
    )
    return count_matched(outcome.Y, outcome.decided, by, outcome.missing)


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
    refuse_sparse(counts, "counts", "Counts")
    function, sums = with_beta(function_of(measure), beta), pooled(counts)
    return measured(function, Counts(*wide(sums)) if is_unchecked(function) else sums)


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
        How labels without a value enter a mean: "nan" makes the mean NaN, "skip" leaves them out
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
    refuse_sparse(counts, "counts", "Counts")
    undefined = check_undefined(undefined)
    function = with_beta(function_of(measure), beta)
    cells = Counts(*wide(counts)) if is_unchecked(function) else counts
    return macro_of(function, cells, undefined)
