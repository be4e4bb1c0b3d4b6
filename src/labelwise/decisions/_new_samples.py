"""The value of thresholds or bands on new samples: an estimate, and a confidence interval."""

from __future__ import annotations

from typing import Any, overload

from labelwise._tuning._cross_fitting import check_calibration, cross_fitted, value_of_counts
from labelwise._tuning._intervals import Bounds
from labelwise._tuning._result import Thresholds
from labelwise._tuning._slices import request_in_slices
from labelwise._tuning._solve import bootstrap_bounds, check_bootstrap
from labelwise._tuning.objectives._request import BandRequest, Request
from labelwise._tuning.problem._problem import Problem, check_problem
from labelwise._validation import check_random_state
from labelwise.decisions.bands._bands import Bands
from labelwise.decisions.bands._review_bands import cross_fitted_review
from labelwise.decisions.bands._review_measures import ReviewMeasures


@overload
def corrected_value(
    thresholds: Thresholds,
    scores: Any,
    Y: Any,
    *,
    groups: Any = None,
    slices: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    ids: Any = None,
) -> float: ...


@overload
def corrected_value(
    thresholds: Bands,
    scores: Any,
    Y: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    ids: Any = None,
) -> ReviewMeasures | None: ...


def corrected_value(
    thresholds: Thresholds | Bands,
    scores: Any,
    Y: Any,
    *,
    groups: Any = None,
    slices: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    ids: Any = None,
) -> float | ReviewMeasures | None:
    """Estimate the value on new samples by cross-validation.

    Each of five random folds is decided by thresholds that are tuned on the other folds in the
    same way, and the decisions of all folds are measured together. No model is fitted.

    Parameters
    ----------
    thresholds : Thresholds or Bands
        Thresholds that `best_thresholds` returned, or bands that `review_bands` returned.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those that the thresholds
        were tuned on.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. They are those that the thresholds were tuned on.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, in the same fold.
    slices : array of shape (n_samples,), default=None
        Slice of each sample, for thresholds that were tuned with slices.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the five folds,
        and those behind "auto" amounts.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    float, ReviewMeasures or None
        The corrected value; NaN if other folds give no thresholds. For bands, the measures of all
        decisions, or None if other folds give no bands.

    Raises
    ------
    ValueError
        If it is not known what the thresholds were tuned for (`Evidence.request`).

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds, corrected_value
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> Y = [[1, 0], [0, 1], [1, 0], [0, 0]]
    >>> tuned = best_thresholds(scores, Y)
    >>> corrected_value(tuned, scores, Y) <= tuned.value
    True
    """
    problem, request = _tuned_on(thresholds, scores, Y, groups, slices, sample_weight, ids)
    check_random_state(random_state)
    tested = check_calibration(problem, request.certify, ids)
    if isinstance(request, BandRequest):
        return cross_fitted_review(problem, request, random_state, tested)
    problem = problem.with_top(request.max_rank)
    unseen = cross_fitted(problem, request, random_state, calibration=tested)
    return float("nan") if unseen is None else value_of_counts(problem, request, unseen.counts)


def confidence_interval(
    thresholds: Thresholds,
    scores: Any,
    Y: Any,
    *,
    n_bootstrap: int = 200,
    confidence: float = 0.95,
    groups: Any = None,
    slices: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    ids: Any = None,
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
        Share of the draws within the interval, and within the spreads.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, and are drawn together.
    slices : array of shape (n_samples,), default=None
        Slice of each sample, for thresholds that were tuned with slices.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws samples and folds.
        With the int that the thresholds were tuned with, "auto" means the same amounts.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    Bounds
        A named tuple: `value` has the lower and the upper end of the interval, or is None with
        fewer than 20 samples or groups, and for a macro average if a label has no positives;
        `thresholds`, of shape (2, n_labels), has those of the spread of each threshold; with
        slices its shape is (2, n_slices, n_labels).

    Raises
    ------
    ValueError
        If it is not known what the thresholds were tuned for (`Evidence.request`), or if they were
        tuned with constraints or for the sample average.

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
    if not isinstance(thresholds, Thresholds):
        raise TypeError(f"thresholds must be Thresholds, got {type(thresholds).__name__}.")
    problem, request = _tuned_on(thresholds, scores, Y, groups, slices, sample_weight, ids)
    check_bootstrap(n_bootstrap, confidence, request)
    found = bootstrap_bounds(problem, request, n_bootstrap, confidence, random_state)
    if problem.slicing is None:
        return found
    spread = found.thresholds.reshape(2, -1, problem.n_slices).transpose(0, 2, 1)
    return found._replace(thresholds=spread)


def _tuned_on(
    rule: Thresholds | Bands, scores: Any, Y: Any, groups: Any, slices: Any, weights: Any, ids: Any
) -> tuple[Problem, Any]:
    """Check samples that thresholds or bands were tuned on, and return them with the request."""
    if not isinstance(rule, Thresholds | Bands):
        raise TypeError(f"thresholds must be Thresholds or Bands, got {type(rule).__name__}.")
    is_bands = isinstance(rule, Bands)
    request = rule.evidence.request
    if request is None:
        again = "review_bands" if is_bands else "best_thresholds"
        raise ValueError(
            "thresholds must have a request to be tuned again, got none, as in files of earlier "
            f"releases: call {again}."
        )
    if is_bands and slices is not None:
        raise ValueError("slices must be None for bands.")
    if isinstance(rule, Thresholds):
        rule._check_slices_given(slices)
    problem = check_problem(
        scores, Y, rule.label_names, groups, weights, slices, allow_missing=True, ids=ids
    )
    n_labels = problem.n_labels // problem.n_slices
    if n_labels != len(rule):
        raise ValueError(
            f"scores must have the {len(rule)} labels of the thresholds, got {n_labels}."
        )
    if isinstance(request, Request):
        request = request_in_slices(request, problem)
    return problem, request
