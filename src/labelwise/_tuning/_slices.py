"""Thresholds by slice: those of the labels in each slice, beside the pooled ones of all samples.

A label in a slice is a label of its own, so that every objective, constraint and guarantee is
solved on a problem whose columns are the labels in each slice (`in_slices`). This file turns the
solution into thresholds with one row for each slice; samples of other slices get those of all
samples together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from labelwise._tuning._result import Thresholds
from labelwise._tuning._slice_thresholds import SliceThresholds
from labelwise._tuning._solve import solve
from labelwise._tuning.objectives._constraints import InfeasibleError
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.problem._problem import Problem, without_slices


def request_in_slices(request: Request, problem: Problem) -> Request:
    """Return the request with the costs of each label for its column of every slice."""
    if problem.slicing is None:
        return request
    if request.shared:
        raise ValueError("shared does not go together with slices.")
    if request.certify is not None and request.certify.calibration is not None:
        raise ValueError("calibration does not go together with slices.")
    return request.for_labels(np.arange(problem.n_labels) // problem.n_slices)


def with_slices(
    tuned: Thresholds, problem: Problem, request: Request, random_state: Any
) -> Thresholds:
    """Return the thresholds of a problem in slices by slice; others unchanged.

    The thresholds for samples of other slices are tuned on all samples together. If these cannot
    meet the constraints, such samples get no decisions.
    """
    slicing = problem.slicing
    if slicing is None:
        return tuned
    n_slices = len(slicing.names)

    def by_slice(of_columns: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(of_columns.reshape(-1, n_slices).T)

    evidence = tuned.evidence
    hits: Any = evidence.true_positives
    slices = SliceThresholds(
        slicing.names,
        by_slice(tuned.values),
        by_slice(evidence.support),
        by_slice(evidence.decided),
        by_slice(hits),
        np.bincount(slicing.of_row, minlength=n_slices),
    )
    pool_values, pool_most = _pooled_rule(problem, request, random_state)
    # A certificate may need a limit of decisions, which differs by slice or from the pooled one.
    most: Any = tuned.max_decided
    if np.ndim(most) or most != pool_most:
        limits = np.full(n_slices, slices.values.shape[1] if most is None else most)
        slices = replace(slices, max_decided=limits)
    guarantee = evidence.guarantee
    if guarantee is not None and guarantee.needed is not None and request.average == "macro":
        guarantee = replace(guarantee, needed=by_slice(guarantee.needed).ravel())
    return replace(
        tuned,
        values=pool_values,
        max_decided=pool_most,
        label_names=slicing.label_names,
        slices=slices,
        evidence=replace(
            evidence,
            support=slices.support.sum(axis=0),
            decided=slices.decided.sum(axis=0),
            true_positives=slices.true_positives.sum(axis=0),
            guarantee=guarantee,
            priors=None,
            n_effective=None,
            request=request,
        ),
    )


def _pooled_rule(
    problem: Problem, request: Request, random_state: Any
) -> tuple[np.ndarray, int | None]:
    """Tune thresholds for samples of slices that were not seen, on all samples together.

    The limit of decisions per sample is returned, too.
    """
    together = without_slices(problem)
    try:
        found = solve(together, request.for_all_slices(), random_state)
    except InfeasibleError:
        return np.full(together.n_labels, np.inf), None
    return found.values, found.max_decided
