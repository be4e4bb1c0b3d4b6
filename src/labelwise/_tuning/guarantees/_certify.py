"""Certified thresholds: split the samples, choose on one part, and test on the other."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelwise._tuning.guarantees._certified_labels import certified_labels
from labelwise._tuning.guarantees._certified_path import (
    certified_point,
    f_bound,
    first_controlled_point,
    shortfall,
)
from labelwise._tuning.guarantees._guarantee import Guarantee
from labelwise._tuning.guarantees._paths import choose_paths, has_path
from labelwise._tuning.guarantees._unit_statistics import (
    IndependentUnits,
    shuffled_units,
    split_units,
)
from labelwise._tuning.objectives._constraints import InfeasibleError
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import Problem
from labelwise._validation import check_random_state
from labelwise.measures import macro, micro, precision, recall


class Parts(NamedTuple):
    """The units that thresholds are chosen on, and those that they are tested on."""

    tuning: IndependentUnits
    calibration: IndependentUnits


def certify(
    problem: Problem,
    request: Request,
    options: Certify,
    random_state: Any,
    calibration: Problem | None,
) -> tuple[np.ndarray, int | None, Guarantee]:
    """Find thresholds whose constraints are guaranteed on new samples.

    Parameters
    ----------
    problem : Problem
        Checked scores and labels. A share of the units (samples or groups) is for tuning, the
        others are for calibration.
    request : Request
        What thresholds are tuned for, with a constraint on precision or recall.
    options : Certify
        The level of the guarantee, and how samples are split.
    random_state : int, RandomState or None
        Splits the samples. With None, the split is the same in every call.
    calibration : Problem or None
        Samples for calibration; then all samples of `problem` are for tuning.

    Returns
    -------
    thresholds : ndarray of shape (n_labels,)
        The certified thresholds.
    most_per_row : int or None
        The limit of decisions per sample that they are certified with.
    guarantee : Guarantee
        What is guaranteed.

    Raises
    ------
    ValueError
        If there are too few samples, or if no thresholds can be certified.
    """
    random = check_random_state(0 if random_state is None else random_state)
    parts = split_parts(problem, options, random, calibration)
    if request.average == "macro" or options.in_expectation:
        # Binomial tests and conformal risk control need samples that are independent.
        parts = parts._replace(calibration=parts.calibration.one_row_each())
    tested = parts.calibration.problem
    most_per_row: int | None = None
    bound: float | None = None
    needed: np.ndarray | None = None
    if request.average == "macro":
        thresholds, needed = certified_labels(parts.tuning.problem, tested, request, options)
    elif options.in_expectation:
        thresholds = _controlled(parts, request)
    else:
        thresholds, most_per_row, bound = _tested(parts, request, options)
    # What the thresholds reach on the calibration samples.
    counts = tested.decision_counts(thresholds, most_per_row, request.counts_by)
    rate = partial(macro, undefined="skip") if request.average == "sample" else micro
    guarantee = Guarantee(
        level=options.level,
        average=request.average,
        across=options.across,
        min_precision=request.limits.min_precision,
        min_recall=request.limits.min_recall,
        precision=float(rate(precision, counts)),
        recall=float(rate(recall, counts)),
        value=float(request.value(counts)),
        f_bound=bound,
        n_tuning=parts.tuning.problem.n_samples,
        n_calibration=tested.n_samples,
        needed=needed,
    )
    return thresholds, most_per_row, guarantee


def split_parts(
    problem: Problem,
    options: Certify,
    random: np.random.RandomState,
    calibration: Problem | None,
) -> Parts:
    """Split the units at random into those for tuning and those for calibration."""
    if problem.n_units < 2 and calibration is None:
        raise InfeasibleError("guarantee needs at least 2 samples or groups, got 1.")
    if calibration is None:
        parts = Parts(*split_units(problem, random, [options.tuning_share]))
    else:
        tuning, tested = shuffled_units(problem, random), shuffled_units(calibration, random)
        most_rows = max(tuning.most_rows, tested.most_rows)
        parts = Parts(tuning._replace(most_rows=most_rows), tested._replace(most_rows=most_rows))
    if not has_path(parts.tuning.problem):
        n_samples = parts.tuning.problem.n_samples
        raise InfeasibleError(
            f"guarantee needs positives that have scores among the {n_samples} samples for tuning."
        )
    return parts


def _tested(
    parts: Parts, request: Request, options: Certify
) -> tuple[np.ndarray, int | None, float | None]:
    """Certify a point of a path for the micro average or the mean over samples.

    Return the thresholds, the limit of decisions per sample, and the lower bound of micro F.
    """
    tuning, calibration = parts
    choices = choose_paths(tuning, request, calibration.n_units, options.alpha)
    point = certified_point(choices, calibration, request, options.alpha)
    if point is None:
        raise InfeasibleError(
            f"{request.limits} cannot be guaranteed with probability {options.level:g} by "
            f"{calibration.problem.n_samples} samples for calibration: "
            f"{shortfall(choices, calibration, request, options.alpha)}."
        )
    if request.average != "micro":
        return point.thresholds, None, None
    # Any of the tested points could have been chosen, so that each gets a share of alpha.
    alpha = options.alpha / point.n_tested
    bound = f_bound(*parts, request.beta, point.thresholds, point.most_per_row, alpha)
    return point.thresholds, point.most_per_row, bound


def _controlled(parts: Parts, request: Request) -> np.ndarray:
    """Find the point of a path whose expected mean recall is controlled."""
    tuning, calibration = parts
    # The level has no part in the choice of a path for an expected value.
    path, _, summary, _ = choose_paths(tuning, request, calibration.n_units, 0.5)[-1]
    # The last point decides everything. Without it, a path that is too short would be accepted
    # only on lucky calibration samples, and its expected recall on new samples would be too low.
    path = np.append(path, np.full((1, path.shape[1]), -np.inf), axis=0)
    first = first_controlled_point(calibration, path, request.limits.min_recall or 0.0)
    if first is None:
        raise InfeasibleError(
            f"{request.limits} cannot be guaranteed in expectation by "
            f"{calibration.problem.n_samples} samples for calibration: even if every label is "
            "decided, their corrected recall is lower."
        )
    # More decisions than those of the first controlled point can only raise the recall.
    return np.asarray(path[max(first, summary.best)])
