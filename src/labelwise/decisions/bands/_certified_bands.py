"""Bands whose precision and recall are guaranteed on new samples."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import check_random_state
from labelwise.decisions.bands._band_guarantee import BandGuarantee
from labelwise.decisions.bands._band_request import BandRequest
from labelwise.decisions.bands._review_measures import count_states
from labelwise.decisions.bands._three_states import BandEnds
from labelwise.decisions.guarantees._certified_path import (
    CertifiedPoint,
    certified_point,
    shortfall,
)
from labelwise.decisions.guarantees._certify import Parts, split_parts
from labelwise.decisions.guarantees._paths import choose_paths
from labelwise.decisions.objectives._constraints import InfeasibleError
from labelwise.decisions.objectives._request import Certify, Request
from labelwise.decisions.problem._problem import Problem
from labelwise.measures import precision, recall


class CertifiedBands(NamedTuple):
    """Certified ends of the bands, and what is guaranteed."""

    ends: BandEnds
    guarantee: BandGuarantee


def certified_bands(
    problem: Problem,
    request: BandRequest,
    certify: Certify,
    random_state: Any,
    calibration: Problem | None,
) -> CertifiedBands:
    """Find bands whose precision and recall hold on new samples with a probability.

    The upper thresholds are certified for the precision of the accepted cells, the lower ones for
    the recall of the cells that are not rejected, each by tests along a path of its own on the same
    samples. With both rates, each may fail with half of the probability that is left, so that both
    hold together (Bonferroni). Lowering a lower threshold to the upper one only raises the recall.
    Where no point of a path can be certified, no cell is accepted, or none is rejected.

    Raises
    ------
    ValueError
        If there are too few samples, or if the recall cannot be guaranteed because samples lack
        scores.
    """
    rates = (request.min_precision, request.min_recall)
    alpha = certify.alpha / sum(rate is not None for rate in rates)
    options = replace(certify, level=1 - alpha)
    random = check_random_state(0 if random_state is None else random_state)
    parts = split_parts(problem, options, random, calibration)
    upper, most = np.full(problem.n_labels, np.inf), None
    lower = np.full(problem.n_labels, -np.inf)
    if request.min_precision is not None:
        point = _certified(parts, "min_precision", request.min_precision, options)
        if point is not None:
            upper, most = point.thresholds, point.most_per_row
    if request.min_recall is not None:
        point = _certified(parts, "min_recall", request.min_recall, options)
        if point is not None:
            lower = np.minimum(point.thresholds, upper)
        elif sparse.issparse(problem.scores):
            raise InfeasibleError(
                f"min_recall={request.min_recall} cannot be guaranteed with probability "
                f"{certify.level:g}: cells without a score are always rejected."
            )
    ends = BandEnds(lower, upper, most)
    return CertifiedBands(ends, _guarantee(ends, parts, request, float(certify.level)))


def _certified(parts: Parts, name: str, rate: float, options: Certify) -> CertifiedPoint | None:
    """Return the last point of a path that passes the tests of one rate; None if none does.

    Among the points that pass, the one with the highest value of the other rate is taken.
    """
    measure = recall if name == "min_precision" else precision
    rates: dict[str, Any] = {name: rate}
    request = Request(maximize=measure, **rates)
    tuning, calibration = parts
    choices = choose_paths(tuning, request, calibration.n_units, options.alpha)
    point = certified_point(choices, calibration, request, options.alpha)
    if point is None:
        done = "accepted" if name == "min_precision" else "rejected"
        warnings.warn(
            f"{name}={rate} cannot be guaranteed by {calibration.problem.n_samples} samples "
            f"for calibration, so that no cell is {done}: "
            f"{shortfall(choices, calibration, request, options.alpha)}.",
            stacklevel=5,
        )
    return point


def _guarantee(ends: BandEnds, parts: Parts, request: BandRequest, level: float) -> BandGuarantee:
    """Build the guarantee, with what the bands reach on the calibration samples."""
    tested = parts.calibration.problem
    found = count_states(tested.Y, sparse.csr_array(ends.states(tested.scores)))
    return BandGuarantee(
        level=level,
        min_precision=request.min_precision,
        min_recall=request.min_recall,
        precision=found.precision,
        recall=found.recall,
        review_per_1000=found.review_per_1000,
        n_tuning=parts.tuning.problem.n_samples,
        n_calibration=tested.n_samples,
    )
