"""Certify thresholds in every slice of the samples at once, by Holm's method over slices.

Each slice has a path of thresholds and an order of tests of its own, from its tuning samples. The
alpha is shared equally among slices; a slice that has passed all its tests leaves its share to the
others. So no slice is certified wrongly, with a probability of at least ``1 - alpha``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import mean, measured, micro_of, precision, recall
from labelwise._tuning.guarantees._certified_labels import holm_level
from labelwise._tuning.guarantees._certified_path import (
    MOST_TIMES,
    PointTests,
    samples_factor,
    tested_points,
)
from labelwise._tuning.guarantees._paths import choose_paths, has_path
from labelwise._tuning.guarantees._unit_statistics import IndependentUnits
from labelwise._tuning.objectives._constraints import InfeasibleError
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import pooled

# The number of further samples if no number of them is enough.
_UNKNOWN = 2**31


class CertifiedSlices(NamedTuple):
    """Thresholds of the labels in slices, and the evidence of all slices together."""

    thresholds: np.ndarray  # of the columns of the problem; inf in slices without a certificate
    most_per_row: np.ndarray  # most decisions of a sample of each slice
    needed: np.ndarray  # about how many more samples each slice needs; 0 if it is certified
    precision: float  # on the calibration samples
    recall: float
    value: float


def certified_slices(
    tuning: IndependentUnits, calibration: IndependentUnits, request: Request, options: Certify
) -> CertifiedSlices:
    """Certify the best point of each slice that passes its tests; raise an error if none does."""
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
    values = thresholds.ravel()
    reached = _on_calibration(calibration, values, most, request)
    return CertifiedSlices(values, most, needed, *reached)


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
            problem=pooled(units.problem, rows),
            ends=np.flatnonzero(np.diff(unit, append=-1)) + 1,
            weights=None if units.weights is None else units.weights[rows],
        )
        found.append(mine.counted_alike() if options.weigh == "group" else mine)
    heaviest = max(float(units.summed(np.ones(units.problem.n_samples)).max()) for units in found)
    one, other = (units._replace(most_weight=heaviest) for units in found)
    return one, other


def _on_calibration(
    calibration: IndependentUnits, values: np.ndarray, most: np.ndarray, request: Request
) -> tuple[float, float, float]:
    """Return precision, recall and the value on the calibration samples of all slices."""
    problem = calibration.problem
    slicing: Any = problem.slicing
    counts = problem.decision_counts(values, most[slicing.of_row], request.counts_by)
    if request.counts_by == "label":
        weights, rates = None, [float(micro_of(rate, counts)) for rate in (precision, recall)]
    else:
        weights = problem.weights
        means = (mean(measured(rate, counts), "skip", weights) for rate in (precision, recall))
        rates = [float(one) for one in means]
    return rates[0], rates[1], float(request.value(counts, weights))


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
