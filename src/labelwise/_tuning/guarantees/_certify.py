"""Certified thresholds: split the samples, choose on one part, and test on the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._tuning.guarantees._certified_labels import certified_labels
from labelwise._tuning.guarantees._certified_path import (
    certified_point,
    f_bound,
    first_controlled_point,
    rates_reached,
    shortfall,
)
from labelwise._tuning.guarantees._certified_slices import certified_slices
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
) -> tuple[np.ndarray, Any, Guarantee]:
    """Find thresholds whose constraints are guaranteed on new samples.

    A share of the units (samples or groups) is for tuning, the others are for calibration, unless
    `calibration` has these. Return the thresholds, the limit of decisions per sample that they are
    certified with (of each slice with ``across="slices"``), and the guarantee. A ValueError says if
    there are too few samples, or if no thresholds can be certified.
    """
    random = check_random_state(random_state)
    parts = split_parts(problem, options, random, calibration)
    tested = parts.calibration.problem
    if options.across == "slices":
        return _in_slices(problem, parts, request, options)
    most_per_row: int | None = None
    bound: float | None = None
    needed: np.ndarray | None = None
    if request.average == "macro":
        thresholds, needed = certified_labels(*parts, request, options)
    elif options.in_expectation:
        thresholds = _controlled(parts, request)
    else:
        thresholds, most_per_row, bound = _tested(parts, request, options)
    counts = tested.decision_counts(thresholds, most_per_row, request.counts_by)
    weights = tested.weights if request.counts_by == "sample" else None
    reached = rates_reached(parts.calibration, thresholds, most_per_row, request.average)
    guarantee = Guarantee(
        level=options.level,
        average=request.average,
        across=options.across,
        min_precision=request.limits.min_precision,
        min_recall=request.limits.min_recall,
        precision=reached[0],
        recall=reached[1],
        value=float(request.value(counts, weights)),
        f_bound=bound,
        n_tuning=parts.tuning.problem.n_samples,
        n_calibration=tested.n_samples,
        needed=needed,
        weigh=options.weigh,
        n_groups=None if problem.groups is None else parts.calibration.n_units,
    )
    return thresholds, most_per_row, guarantee


def _in_slices(
    problem: Problem, parts: Parts, request: Request, options: Certify
) -> tuple[np.ndarray, np.ndarray, Guarantee]:
    """Certify thresholds in every slice."""
    found = certified_slices(*parts, request, options)
    guarantee = Guarantee(
        level=options.level,
        average=request.average,
        across=options.across,
        min_precision=request.limits.min_precision,
        min_recall=request.limits.min_recall,
        precision=found.precision,
        recall=found.recall,
        value=found.value,
        f_bound=None,
        n_tuning=parts.tuning.problem.n_samples,
        n_calibration=parts.calibration.problem.n_samples,
        needed=found.needed,
        weigh=options.weigh,
        n_groups=None if problem.groups is None else parts.calibration.n_units,
    )
    return found.thresholds, found.most_per_row, guarantee


def split_parts(
    problem: Problem,
    options: Certify,
    random: np.random.RandomState,
    calibration: Problem | None,
) -> Parts:
    """Split the units at random into those for tuning and those for calibration."""
    if options.across == "slices" and problem.slicing is None:
        raise ValueError('across="slices" needs slices, got None.')
    if options.weigh == "group" and problem.groups is None:
        raise ValueError('weigh="group" needs groups, got None.')
    if problem.weights is not None and calibration is not None:
        raise ValueError("sample_weight does not go together with calibration.")
    if problem.n_units < 2 and calibration is None:
        raise InfeasibleError("guarantee needs at least 2 samples or groups, got 1.")
    if calibration is None:
        parts = Parts(*split_units(problem, random, [options.tuning_share]))
    else:
        tuning, tested = shuffled_units(problem, random), shuffled_units(calibration, random)
        most = max(tuning.most_weight, tested.most_weight)
        parts = Parts(tuning._replace(most_weight=most), tested._replace(most_weight=most))
    if options.weigh == "group":
        parts = Parts(*(part.counted_alike() for part in parts))
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
            f"{_advice_on_groups(parts, request, options)}"
        )
    if request.average != "micro":
        return point.thresholds, None, None
    # Any of the tested points could have been chosen, so that each gets a share of alpha.
    alpha = options.alpha / point.n_tested
    bound = f_bound(*parts, request.beta, point.thresholds, point.most_per_row, alpha)
    return point.thresholds, point.most_per_row, bound


def _advice_on_groups(parts: Parts, request: Request, options: Certify) -> str:
    """Say what large groups cost, and whether the rates hold if every group counts the same."""
    if options.weigh == "group" or parts.tuning.problem.groups is None:
        return ""
    tuning, calibration = (part.counted_alike() for part in parts)
    choices = choose_paths(tuning, request, calibration.n_units, options.alpha)
    said = (
        f" A test must stand the errors of the largest group, which counts as "
        f"{parts.calibration.most_weight:,.4g} samples"
    )
    alike = 'with weigh="group", where every group counts the same'
    if certified_point(choices, calibration, request, options.alpha) is not None:
        return f"{said}; {alike}, it is guaranteed."
    return f"{said}; {alike}, {shortfall(choices, calibration, request, options.alpha)}."


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
