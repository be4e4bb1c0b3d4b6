"""Certified thresholds: split the samples, choose on one part, and test on the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._tuning.guarantees._certified_labels import certified_labels, holm_level
from labelwise._tuning.guarantees._certified_path import (
    MOST_TIMES,
    PointTests,
    certified_point,
    f_bound,
    first_controlled_point,
    rates_reached,
    samples_factor,
    shortfall,
    tested_points,
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
from labelwise._tuning.problem._problem import Problem, without_slices
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
    most_per_row: Any = None
    bound: float | None = None
    needed: np.ndarray | None = None
    if options.across == "slices":
        thresholds, most_per_row, needed = certified_slices(*parts, request, options)
    elif request.average == "macro":
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
        n_groups=parts.calibration.n_groups,
    )
    return thresholds, most_per_row, guarantee


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
            f"{calibration.problem.n_samples:,} samples for calibration: "
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
            f"{calibration.problem.n_samples:,} samples for calibration: even if every label is "
            "decided, their corrected recall is lower."
        )
    # More decisions than those of the first controlled point can only raise the recall.
    return np.asarray(path[max(first, summary.best)])


# The number of further samples if no number of them is enough.
_UNKNOWN = 2**31


def certified_slices(
    tuning: IndependentUnits, calibration: IndependentUnits, request: Request, options: Certify
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Certify the best point of each slice that passes its tests; raise an error if none does.

    Return the thresholds of all columns, inf in slices without a certificate, the most decisions of
    a sample of each slice, and about how many more samples each slice needs, 0 if it is certified.
    """
    slicing: Any = tuning.problem.slicing
    n_slices = len(slicing.names)
    n_labels = tuning.problem.n_labels // n_slices
    # Which slices are tested does not depend on the truth of the calibration samples.
    parts = {}
    for number in range(n_slices):
        pair = _of_slice((tuning, calibration), number, options)
        if pair is not None and has_path(pair[0].problem):
            parts[number] = pair
    least = options.alpha / max(1, len(parts))
    points: dict[int, PointTests] = {}
    for number, (one, other) in parts.items():
        choices = choose_paths(one, request, other.n_units, least)
        points[number] = tested_points(choices, other, request, least, options.alpha)
    level = holm_level(np.array([one.passing[-1] for one in points.values()]), options.alpha)
    thresholds = np.full((n_labels, n_slices), np.inf)
    most = np.full(n_slices, n_labels)
    needed = np.full(n_slices, _UNKNOWN)
    for number, tests in points.items():
        found = tests.certified(level)
        if found is not None:
            thresholds[:, number], needed[number] = found.thresholds, 0
            most[number] = found.most_per_row or n_labels
            continue
        one, other = parts[number]
        times = samples_factor(tests, other, request, least)
        if times < MOST_TIMES:
            n_samples = one.problem.n_samples + other.problem.n_samples
            needed[number] = int(np.ceil((max(times, 1.5) - 1) * n_samples))
    if needed.all():
        raise InfeasibleError(_why(request, options, slicing.names, needed))
    return thresholds.ravel(), most, needed


def _of_slice(
    parts: tuple[IndependentUnits, IndependentUnits], number: int, options: Certify
) -> tuple[IndependentUnits, IndependentUnits] | None:
    """Return the units of one slice, with their rows in it; None if a part has none.

    No unit of the slice is heavier than its heaviest one.
    """
    found = []
    for units in parts:
        slicing: Any = units.problem.slicing
        rows = np.flatnonzero(slicing.of_row == number)
        if not rows.size:
            return None
        unit = np.searchsorted(units.ends, rows, "right")
        mine = units._replace(
            problem=without_slices(units.problem, rows),
            ends=np.flatnonzero(np.diff(unit, append=-1)) + 1,
            weights=None if units.weights is None else units.weights[rows],
        )
        found.append(mine.counted_alike() if options.weigh == "group" else mine)
    heaviest = max(float(units.summed(np.ones(units.problem.n_samples)).max()) for units in found)
    one, other = (units._replace(most_weight=heaviest) for units in found)
    return one, other


def _why(request: Request, options: Certify, names: tuple[str, ...], needed: np.ndarray) -> str:
    """Say that no slice can be certified, and about how many samples the nearest one needs."""
    said = f"{request.limits} cannot be guaranteed in any slice with probability {options.level:g}"
    nearest = int(np.argmin(needed))
    if needed[nearest] >= _UNKNOWN:
        return f"{said}: lower limits or a lower probability may pass, more samples alone will not."
    return (
        f"{said}: lower limits, a lower probability or about {needed[nearest]:,} more samples of "
        f"slice {names[nearest]!r} may pass."
    )
