"""Solve a checked problem: choose the search that a request asks for, and build the bands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelwise.decisions.bands._band_request import BandRequest
from labelwise.decisions.bands._bands import Bands
from labelwise.decisions.bands._certified_bands import certified_bands
from labelwise.decisions.bands._review_queue import band_curves
from labelwise.decisions.bands.search._band_choice import BandChoice, BandCut
from labelwise.decisions.bands.search._equal_rate import highest_equal_rate
from labelwise.decisions.bands.search._queue_search import QueueSearch
from labelwise.decisions.bands.search._review_cost import least_cost
from labelwise.decisions.bands.search._whole_hulls import whole_hulls
from labelwise.decisions.objectives._constraints import InfeasibleError
from labelwise.decisions.objectives._request import Certify
from labelwise.decisions.problem._problem import Problem


def solve_bands(
    problem: Problem,
    request: BandRequest,
    random_state: Any = None,
    calibration: Problem | None = None,
) -> Bands:
    """Find the bands of a checked problem for a checked request.

    `random_state` splits the samples for a guarantee, unless it is tested on `calibration`.

    Raises
    ------
    ValueError
        If the recall cannot be met, or not with a queue of the size that is allowed.
    """
    if request.cost is not None:
        return _bands(problem, least_cost(problem, request.cost))
    if request.certify is not None:
        return _guaranteed(problem, request, request.certify, random_state, calibration)
    search = QueueSearch(problem)
    most = request.most_reviewed(problem.n_samples)
    if most is None:
        return _bands(problem, search.smallest_queue(request.min_precision, request.min_recall))
    if request.min_precision is None and request.min_recall is None:
        return _bands(problem, highest_equal_rate(search, most))
    if request.min_recall is None:
        return _bands(problem, search.highest_recall(request.min_precision or 0.0, most))
    if request.min_precision is None:
        return _bands(problem, search.highest_precision(request.min_recall, most))
    choice = search.smallest_queue(request.min_precision, request.min_recall)
    _check_size(choice, request, most)
    return _bands(problem, choice)


def _check_size(choice: BandChoice, request: BandRequest, most: int) -> None:
    """Refuse a queue that is larger than allowed."""
    if choice.n_reviewed <= most:
        return
    least = int(choice.value - choice.gap)
    rates = f"min_precision={request.min_precision} and min_recall={request.min_recall}"
    limit = f"max_review={request.max_review} ({most:,} cells)"
    if least > most:
        raise InfeasibleError(
            f"{rates} cannot be met with {limit}: at least {least:,} cells need a review."
        )
    raise InfeasibleError(
        f"No bands were found for {rates} with {limit}: the smallest queue found has "
        f"{choice.n_reviewed:,} cells, and it is not proven that none has {most:,}."
    )


def _guaranteed(
    problem: Problem,
    request: BandRequest,
    certify: Certify,
    random_state: Any,
    calibration: Problem | None,
) -> Bands:
    """Return certified bands, with the counts of all given samples."""
    ends, guarantee = certified_bands(problem, request, certify, random_state, calibration)
    states = sparse.csr_array(ends.states(problem.scores))
    is_accepted, is_kept = states == 1, states != 0
    cuts = [
        BandCut(thresholds, _by_label(cells), _by_label(cells.multiply(problem.Y)))
        for thresholds, cells in ((ends.upper, is_accepted), (ends.lower, is_kept))
    ]
    choice = BandChoice(cuts[0], cuts[1], "review", 0.0, 0.0)
    found = _bands(problem, choice._replace(value=float(choice.n_reviewed)))
    upper = ends.upper if ends.most_per_row is None else np.full(problem.n_labels, np.inf)
    curves = band_curves(whole_hulls(problem), upper, ends.lower)
    return replace(
        found, gap=None, curves=curves, most_per_row=ends.most_per_row, guarantee=guarantee
    )


def _by_label(cells: Any) -> np.ndarray:
    return np.asarray(cells.sum(axis=0), dtype=np.int64).ravel()


def _bands(problem: Problem, choice: BandChoice) -> Bands:
    upper, lower = choice.upper, choice.lower
    value, gap = choice.value, choice.gap
    if choice.objective == "review":
        # The queue is counted in cells of 1,000 samples.
        value, gap = (1000 * (n_cells / problem.n_samples) for n_cells in (value, gap))
    return Bands(
        upper=upper.thresholds,
        lower=lower.thresholds,
        support=problem.support,
        accepted=upper.decided,
        accepted_positives=upper.hits,
        reviewed=lower.decided - upper.decided,
        reviewed_positives=lower.hits - upper.hits,
        n_samples=problem.n_samples,
        label_names=problem.names,
        objective=choice.objective,
        value=value,
        gap=gap,
        curves=band_curves(whole_hulls(problem), upper.thresholds, lower.thresholds),
    )
