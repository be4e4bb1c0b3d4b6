"""The best thresholds for the measure that counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from labelwise.decisions.thresholds._request import check_request
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.decisions.thresholds._solve import solve
from labelwise.decisions.thresholds.curves._problem import (
    check_problem,
    warn_of_labels_without_positives,
)


def best_thresholds(
    scores: Any,
    Y: Any,
    *,
    maximize: str | None = None,
    measure: Callable[..., Any] | None = None,
    average: str | None = None,
    beta: float = 1.0,
    shared: bool = False,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_decisions: int | float | None = None,
    cost: Any = None,
    fbr: float | str | None = None,
    fbr_rule: int = 1,
    shrink: float | str = 0.0,
    n_bootstrap: int = 0,
    confidence: float = 0.95,
    random_state: Any = None,
    label_names: Sequence[str] | None = None,
    groups: Any = None,
) -> Thresholds:
    """Return the thresholds whose decisions ``score >= threshold`` have the highest value.

    Parameters
    ----------
    scores : array, CSR matrix or frame of shape (n_samples, n_labels)
        Finite scores of any model on samples it has not seen, float32 or float64; in a CSR
        matrix, absent means never decided.
    Y : array, sparse matrix, frame or list of sets
        The truth; columns with names are matched by name.
    measure : callable
        A measure of counts: one of `labelwise.measures`, a `LinearFractional`, or your own: a
        function that takes `Counts` of arrays and returns an array of numbers of their shape.
    average : {"micro", "macro", "sample"}
        "micro" takes the measure of all decisions together. The highest value of all threshold
        vectors is found, with a certificate, for F, Jaccard, precision, recall, accuracy, balanced
        accuracy and most `LinearFractional` measures. For the geometric mean, the Matthews
        correlation and other `LinearFractional` measures that gain by true positives and not by
        false positives, thresholds off the micro frontier are searched; `Thresholds.gap` is 0 if
        the search was complete, which it mostly is, and otherwise bounds what it missed. For any
        other measure the best point of the micro frontier is given, and the gap is None.

        "macro" takes each label by itself (SCut): exact for every measure of counts. Cuts where
        the measure is NaN are passed over where there are others.

        "sample" takes the mean over samples, by coordinate ascent from three starts: a local
        optimum, where no threshold can be moved alone to a higher value.
    beta : float
        For a measure that has a beta.
    shared : bool
        One threshold for all labels instead of one for each; exact for every measure.
    min_precision, min_recall : float, optional
        Least micro precision and micro recall on these data; with "macro", of every label, where
        a label that cannot keep to it is not decided. A least rate of 0 is no constraint; any
        other one is not met by a rate that is not defined, such as the precision of no decisions.
    max_decisions : int or float, optional
        Most decisions: an int in total, a float as mean per sample. With constraints, thresholds
        on the micro frontier and off it are searched, and `Thresholds.gap` says how much higher
        any others that keep to them could come: 0 if the search was complete, None for a measure
        of your own.
    cost : pair, optional
        Costs of a false positive and of a false negative, numbers or one for each label. The
        least total cost takes the place of the measure.
    fbr : float or "auto", optional
        Labels whose F at the tuned threshold is below this get another one: under ``fbr_rule=0``
        inf, under ``fbr_rule=1`` the highest score of any sample. "auto" takes the best of 0,
        0.1, …, 0.9 in cross-validation over the rows.
    fbr_rule : {0, 1}
        See `fbr`.
    shrink : float or "auto"
        Between 0, thresholds of each label by itself, and 1, one threshold for all labels. The
        exact optimum on few positives does not hold on new data; a label with `s` positives takes
        the share ``τ / (τ + s)`` of its curve from the curve of all labels, with τ the mean
        support times ``shrink / (1 - shrink)``. "auto" takes the best amount in
        cross-validation over the rows. For "micro" and "macro".
    n_bootstrap : int
        Draws of the rows for an interval of the value on new rows and for the spread of each
        threshold (see the notes); 0 for none. 200 or more are advised.
    confidence : float
        Share of the draws within the interval and the spreads.
    random_state : int, RandomState or None
        Draws folds and bootstrap samples. With None, folds are the same every time.
    label_names : sequence of str, optional
        Names of the columns. Without them, a list of sets beside scores without names must hold
        column numbers.
    groups : array of shape (n_samples,), optional
        Rows of the same group stay together in the folds behind "auto" and in bootstrap samples:
        the rows of one patient, or the scores of one row by several models. Without groups,
        copies of a row stay together: rows with the same labels and scores, in two labels or
        more, if no other row has any of these scores.

    Returns
    -------
    Thresholds
        Each halfway between two distinct scores (the upper one where no float lies between), inf
        where nobody is decided and -inf where everybody is. Among equal values the fewest
        decisions win.

    Raises
    ------
    ValueError
        If the constraints cannot be met by any thresholds. Where this is not proven, because too
        many thresholds come close to it, the message says that none were found.

    Notes
    -----
    With ``P`` positives, ``D`` decisions and ``TP`` hits in all, micro F is
    ``(1 + beta²) TP / (beta² P + D)``. At its maximum over all threshold vectors, with
    ``λ = TP / (beta² P + D)``, every label maximises ``tp - λ d`` by itself, and so stands on the
    concave hull of its curve of (decisions, hits). The hulls take one sort of each label's
    scores, O(nN log n); their edges are taken in the order of falling slope while the slope
    exceeds the current λ. pillai2012 reaches the same value in O(n²N²), see `scan_thresholds`.

    With `n_bootstrap`, `Thresholds.interval` is a confidence interval of the value that the
    returned thresholds have on new rows of the same distribution. The value on the tuning rows is
    too high, and so are values of thresholds tuned and measured on resampled rows. The interval is
    centred on cross-fitted decisions instead: each row is decided by thresholds tuned on four of
    five random folds, four times. Each draw is the value of these decisions under exponential
    weights of the rows (the Bayesian bootstrap), plus the deviation from their mean of the values
    on all rows of thresholds tuned on rows drawn with replacement. An amount given as "auto" is
    found anew in each fold, but not in each draw. No interval is given for fewer than 20 rows or
    groups, nor for a macro average if a label has no positives, whose value on new rows is
    unknown. The docs of this stage show the measured coverage.

    `Thresholds.intervals` holds the middle of the thresholds of these draws. It is a spread, not a
    confidence interval: the best threshold is the place of a maximum (of a step function), for
    which the bootstrap is not consistent (Abrevaya and Huang, 2005).

    References
    ----------
    Rubin, The Bayesian Bootstrap, 1981. Bayle et al., Cross-validation Confidence Intervals for
    Test Error, 2020. Abrevaya and Huang, On the Bootstrap of the Maximum Score Estimator, 2005.

    pillai2012, equation 3, Properties 1 and 2. SCut and FBR: Yang, A Study of Thresholding
    Strategies for Text Categorization, 2001.

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> tuned = best_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]])
    >>> tuned
    Thresholds of 2 labels: micro f_measure 0.8571 on 4 samples
    the highest of all, certificate 0.428571
    <BLANKLINE>
    label    threshold   support   decided
    0             0.25         2         3
    1             0.35         1         1
    >>> tuned.decide([[0.7, 0.1]])
    array([[1, 0]], dtype=int8)
    """
    problem = check_problem(scores, Y, label_names, groups)
    params = {
        "maximize": maximize,
        "measure": measure,
        "average": average,
        "beta": beta,
        "shared": shared,
        "shrink": shrink,
        "fbr": fbr,
        "fbr_rule": fbr_rule,
        "min_precision": min_precision,
        "min_recall": min_recall,
        "max_decisions": max_decisions,
        "cost": cost,
        "n_bootstrap": n_bootstrap,
        "confidence": confidence,
    }
    request = check_request(params, problem.n_labels)
    warn_of_labels_without_positives(problem)
    return solve(problem, request, random_state)
