"""Tune thresholds, and estimate on other samples what they and the constraints reach."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves import Curves
from labelwise._validation import check_random_state, columns_in_order
from labelwise.decisions.objectives._request import Request
from labelwise.decisions.problem._problem import Problem, check_problem
from labelwise.decisions.thresholds._constraint_checks import ConstraintCheck
from labelwise.decisions.thresholds._cross_fitting import cross_fitted
from labelwise.decisions.thresholds._intervals import Bounds
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.decisions.thresholds._solve import bootstrap_bounds, check_bootstrap, solve
from labelwise.measures import Counts, micro, precision, recall


class TunedAndCorrected(NamedTuple):
    """Thresholds, with their value on samples that were not tuned on as evidence."""

    thresholds: Thresholds
    # bool, decided by thresholds of other folds, for the labels that have truth; None if unknown
    decided: sparse.csc_array | None = None

    @property
    def corrected_value(self) -> float:
        """The value on samples that were not tuned on; NaN if it is unknown."""
        return self.thresholds.evidence.corrected_value


def tune_and_correct(
    curves: Curves,
    request: Request,
    random_state: Any,
    *,
    folds: np.ndarray | None = None,
    calibration: Problem | None = None,
) -> TunedAndCorrected:
    """Tune thresholds, and estimate the value and the constraints on other samples.

    `folds` is as in `cross_fitted`, `calibration` as in `solve`. With a guarantee, the
    calibration samples give the value, and the guarantee states the constraints.
    """
    if not isinstance(curves, Problem):
        # Thresholds of rows that are not in memory are not cross-fitted.
        tuned = solve(curves, request, random_state)
        checks = constraint_checks(curves, request, tuned, None)
        return TunedAndCorrected(_with(tuned, constraints=checks))
    problem = curves.with_top(request.max_rank)
    tuned = solve(problem, request, random_state, calibration)
    if tuned.evidence.guarantee is not None:
        return TunedAndCorrected(tuned)
    unseen = cross_fitted(problem, request, random_state, folds)
    checks = constraint_checks(problem, request, tuned, None if unseen is None else unseen.counts)
    if unseen is None:
        return TunedAndCorrected(_with(tuned, constraints=checks))
    value = _value(problem, request, unseen.counts)
    return TunedAndCorrected(
        _with(tuned, constraints=checks, corrected_value=value), unseen.decided
    )


def _with(tuned: Thresholds, **evidence: Any) -> Thresholds:
    return replace(tuned, evidence=replace(tuned.evidence, **evidence))


def corrected_value(
    thresholds: Thresholds,
    scores: Any,
    Y: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
) -> float:
    """Estimate the value on new samples by cross-validation.

    Each of five random folds is decided by thresholds that are tuned on the other folds in the
    same way, and the decisions of all folds are measured together. No model is fitted.

    Parameters
    ----------
    thresholds : Thresholds
        Thresholds that `best_thresholds` returned.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those that the thresholds
        were tuned on.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. They are those that the thresholds were tuned on.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, in the same fold.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. Draws the folds behind
        "auto" amounts.

    Returns
    -------
    float
        The corrected value; NaN if other folds give no thresholds.

    Raises
    ------
    ValueError
        If the thresholds come from a file, which does not contain all options of the tuning.

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds, corrected_value
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> Y = [[1, 0], [0, 1], [1, 0], [0, 0]]
    >>> tuned = best_thresholds(scores, Y)
    >>> corrected_value(tuned, scores, Y) <= tuned.value
    True
    """
    problem, request = _tuned_on(thresholds, scores, Y, groups, sample_weight)
    check_random_state(random_state)
    unseen = cross_fitted(problem.with_top(request.max_rank), request, random_state)
    return float("nan") if unseen is None else _value(problem, request, unseen.counts)


def confidence_interval(
    thresholds: Thresholds,
    scores: Any,
    Y: Any,
    *,
    n_bootstrap: int = 200,
    confidence: float = 0.95,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
) -> Bounds:
    """Compute a bootstrap confidence interval of the value on new samples.

    Parameters
    ----------
    thresholds : Thresholds
        Thresholds that `best_thresholds` returned.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those that the thresholds
        were tuned on.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. They are those that the thresholds were tuned on.
    n_bootstrap : int, default=200
        Number of bootstrap draws.
    confidence : float, default=0.95
        Share of the draws within the interval and the spreads.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, and are drawn together.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. Draws samples
        and folds. With the seed of the tuning, "auto" means the same amounts.

    Returns
    -------
    Bounds
        A named tuple: `value` has the lower and the upper end of the interval, or is None with
        fewer than 20 samples or groups, and for a macro average if a label has no positives;
        `thresholds`, of shape (2, n_labels), has those of the spread of each threshold.

    Raises
    ------
    ValueError
        If the thresholds come from a file, which does not contain all options of the tuning,
        or if they were tuned with constraints or for the sample average.

    Warns
    -----
    UserWarning
        If no interval can be computed.

    Notes
    -----
    The value on the tuning samples is too high, and so are values of thresholds that are tuned
    and measured on resampled data. The interval is therefore centred on cross-fitted decisions:
    each sample is decided by thresholds tuned on four of five random folds, in four
    repetitions. Each draw is the value of these decisions under exponential weights of the
    samples (the Bayesian bootstrap), plus the deviation from their mean of the values on all
    samples of thresholds tuned on samples drawn with replacement. An "auto" amount is chosen
    again in each fold, but not in each draw. The user guide shows the measured coverage.

    The spread of a threshold is the middle share of its draws. It is not a confidence interval:
    the best threshold is the location of the maximum of a step function, for which the
    bootstrap is not consistent (Abrevaya and Huang, 2005).

    References
    ----------
    D. B. Rubin, "The Bayesian Bootstrap", 1981.

    P. Bayle, A. Bayle, L. Janson, L. Mackey, "Cross-validation Confidence Intervals for Test
    Error", 2020.

    J. Abrevaya, J. Huang, "On the Bootstrap of the Maximum Score Estimator", 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import best_thresholds, confidence_interval
    >>> random = np.random.default_rng(0)
    >>> Y = random.random((60, 2)) < 0.4
    >>> scores = Y + random.normal(size=Y.shape)
    >>> tuned = best_thresholds(scores, Y)
    >>> low, high = confidence_interval(tuned, scores, Y, n_bootstrap=20, random_state=0).value
    >>> low < high
    True
    """
    problem, request = _tuned_on(thresholds, scores, Y, groups, sample_weight)
    check_bootstrap(n_bootstrap, confidence, request)
    return bootstrap_bounds(problem, request, n_bootstrap, confidence, random_state)


def _tuned_on(
    thresholds: Thresholds, scores: Any, Y: Any, groups: Any, weights: Any
) -> tuple[Problem, Request]:
    """Check samples that thresholds were tuned on, and return them with the request."""
    if not isinstance(thresholds, Thresholds):
        raise TypeError(f"thresholds must be Thresholds, got {type(thresholds).__name__}.")
    request = thresholds.evidence.request
    if request is None:
        raise ValueError("thresholds from a file cannot be tuned again: call best_thresholds.")
    names = thresholds.label_names
    problem = check_problem(scores, Y, names, groups, weights, allow_missing=True)
    if problem.n_labels != len(thresholds):
        raise ValueError(
            f"scores must have the {len(thresholds)} labels of the thresholds, got "
            f"{problem.n_labels}."
        )
    return problem, request


def _value(problem: Problem, request: Request, counts: Counts) -> float:
    """Compute the value from counts of the samples, or of the labels that have truth."""
    known = problem.labels_with_truth()
    if known is not None:
        request = request.for_labels(np.isin(np.arange(problem.n_labels), known))
    return float(request.value(counts, problem.weights if request.counts_by == "sample" else None))


def check_calibration(
    problem: Problem,
    request: Any,
    *,
    ids: Any = None,
    by_position: bool | None = None,
) -> Problem | None:
    """Check the samples that a guarantee is tested on; their labels are those of the problem.

    `request` is that of thresholds or of bands. If `ids` names a column, these samples have it,
    too.
    """
    if request.certify is None or request.certify.calibration is None:
        return None
    try:
        scores, Y, *groups = request.certify.calibration
        (given_groups,) = groups or [None]
    except (TypeError, ValueError) as error:
        raise ValueError(
            "calibration must be a pair of scores and labels, or these and groups."
        ) from error
    if problem.groups is not None and given_groups is None:
        raise ValueError("calibration must contain groups if groups are given.")
    column = ids if isinstance(ids, str) else None
    tested = check_problem(
        scores, Y, problem.names, given_groups, ids=column, by_position=by_position
    )
    if tested.n_labels != problem.n_labels:
        raise ValueError(
            f"calibration has {tested.n_labels} labels, but scores have {problem.n_labels}."
        )
    if problem.names is not None and tested.names != problem.names:
        order = columns_in_order(problem.names, tested.names or (), "calibration")
        tested = tested.labels(order)
    return tested


def warn_of_broken_constraints(thresholds: Thresholds) -> None:
    """Warn of constraints that thresholds meet only on the samples that they were tuned on."""
    broken = [check for check in thresholds.evidence.constraints if check.is_broken]
    if broken:
        text = "; ".join(check.line() for check in broken)
        advice = (
            ""
            if all(check.name == "max_decisions" for check in broken)
            else " With guarantee=0.95 precision and recall hold on new samples too."
        )
        warnings.warn(f"Constraints that new samples may break: {text}.{advice}", stacklevel=3)


def constraint_checks(
    curves: Curves, request: Request, tuned: Thresholds, corrected: Counts | None
) -> tuple[ConstraintCheck, ...]:
    """Compute what each constraint reaches on the tuning samples and on other samples."""
    if not request.limits.are_set:
        return ()  # counting takes a pass over the samples, which may be in files
    limits = request.limits.in_total(curves.total_weight)
    names = curves.names or tuple(map(str, range(curves.n_labels)))
    seen, with_truth = curves.counts(tuned.values), names
    known = curves.labels_with_truth() if isinstance(curves, Problem) else None
    if corrected is not None and known is not None:
        with_truth = tuple(names[j] for j in known)
    checks = []
    for name, limit in limits._asdict().items():
        if limit is not None:
            value, label = _reached(name, seen, request.average, names)
            unseen, unseen_label = float("nan"), None
            if corrected is not None:
                unseen, unseen_label = _reached(name, corrected, request.average, with_truth)
            checks.append(ConstraintCheck(name, limit, value, unseen, label, unseen_label))
    return tuple(checks)


def _reached(
    name: str, counts: Counts, average: str, names: Sequence[str]
) -> tuple[float, str | None]:
    """Compute a rate or the number of decisions.

    If each label has a limit, the rate is the lowest one of a decided label, which is returned too.
    """
    if name == "max_decisions":
        return float(np.sum(counts.tp) + np.sum(counts.fp)), None
    measure = precision if name == "min_precision" else recall
    if average == "micro":
        return float(micro(measure, counts)), None
    decided = np.flatnonzero(counts.tp + counts.fp > 0)
    if not decided.size:
        return float("nan"), None
    rates = measure(counts)[decided]
    lowest = int(np.argmin(rates))  # the first NaN if there is one
    rate = float(rates[lowest])
    return rate, None if np.isnan(rate) else names[decided[lowest]]
