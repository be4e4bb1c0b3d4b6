"""Tune thresholds, and estimate by cross-fitting what they and the constraints reach elsewhere.

`tune_and_correct` tunes on all samples, and decides each sample by thresholds of other folds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import Counts, counts_of, micro_of, precision, recall
from labelwise._curves import Curves, Cuts, frontier_steps, hulls_of
from labelwise._tuning._result import Thresholds
from labelwise._tuning._solve import solve
from labelwise._tuning.objectives._constraints import ConstraintCheck
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import Problem, check_problem, random_folds
from labelwise._validation import columns_in_order


def tune_and_correct(
    curves: Curves,
    request: Request,
    random_state: Any,
    *,
    folds: np.ndarray | None = None,
    calibration: Problem | None = None,
) -> tuple[Thresholds, sparse.csc_array | None]:
    """Tune thresholds, and estimate the value and the constraints on other samples.

    `folds` is as in `cross_fitted`, `calibration` as in `solve`. With a guarantee, the
    calibration samples give the value, and the guarantee states the constraints. The decisions by
    thresholds of other folds are returned, too, of the labels that have truth; None if they are
    not known.
    """
    if not isinstance(curves, Problem):
        # Thresholds of rows that are not in memory are not cross-fitted.
        tuned = solve(curves, request, random_state)
        checks = constraint_checks(curves, request, tuned, None)
        return _with(tuned, constraints=checks), None
    problem = curves.with_top(request.max_rank)
    tuned = solve(problem, request, random_state, calibration)
    if tuned.evidence.guarantee is not None:
        return tuned, None
    unseen = cross_fitted(problem, request, random_state, folds)
    checks = constraint_checks(problem, request, tuned, None if unseen is None else unseen.counts)
    if unseen is None:
        return _with(tuned, constraints=checks), None
    value = value_of_counts(problem, request, unseen.counts)
    return _with(tuned, constraints=checks, corrected_value=value), unseen.decided


def _with(tuned: Thresholds, **evidence: Any) -> Thresholds:
    return replace(tuned, evidence=replace(tuned.evidence, **evidence))


def value_of_counts(problem: Problem, request: Request, counts: Counts) -> float:
    """Compute the value from counts of the samples, or of the labels that have truth."""
    known = problem.labels_with_truth()
    if known is not None:
        request = request.for_labels(known)
    return float(request.value(counts, problem.weights if request.counts_by == "sample" else None))


def check_calibration(problem: Problem, certify: Certify | None, ids: Any) -> Problem | None:
    """Check the samples that a guarantee is tested on; their labels are those of the problem.

    If `ids` names a column, these samples have it, too.
    """
    if certify is None or certify.calibration is None:
        return None
    try:
        scores, Y, *groups = certify.calibration
        (given_groups,) = groups or [None]
    except (TypeError, ValueError) as error:
        raise ValueError(
            "calibration must be a pair of scores and labels, or these and groups."
        ) from error
    if problem.groups is not None and given_groups is None:
        raise ValueError("calibration must contain groups if groups are given.")
    column = ids if isinstance(ids, str | bool) else None
    tested = check_problem(scores, Y, problem.names, given_groups, allow_missing=True, ids=column)
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
        return ()
    limits = request.limits.in_total(curves.total_weight)
    names = curves.names or tuple(map(str, range(curves.n_labels)))
    evidence, with_truth = tuned.evidence, names
    # Precision and recall need no true negatives, so that missing labels may count as negative.
    seen = counts_of(
        evidence.decided, evidence.true_positives, evidence.support, curves.total_weight
    )
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
        return float(micro_of(measure, counts)), None
    decided = np.flatnonzero(counts.tp + counts.fp > 0)
    if not decided.size:
        return float("nan"), None
    rates = measure(counts)[decided]
    lowest = int(np.argmin(rates))  # the first NaN if there is one
    rate = float(rates[lowest])
    return rate, None if np.isnan(rate) else names[decided[lowest]]


class CrossFitted(NamedTuple):
    """Decisions of samples by thresholds that were tuned on other samples, and their counts."""

    decided: sparse.csc_array  # bool, of the labels that have truth
    counts: Counts  # by label or by sample, as `Request.value` takes them
    thresholds: np.ndarray  # without each fold, of shape (n_folds, n_labels)


def cross_fitted(
    problem: Problem,
    request: Request,
    random_state: Any = None,
    folds: np.ndarray | None = None,
    calibration: Problem | None = None,
) -> CrossFitted | None:
    """Decide and count samples by thresholds that were tuned on other samples.

    Each fold is decided by thresholds that are tuned on the scores of the other folds, without all
    units (`Problem.fold_units`) that occur in the fold; a total of `max_decisions` is shared out
    among samples. The decisions of all folds are counted together, as those behind the tuned value
    are. No model is fitted. Without `folds`, or with a single one, samples are assigned to five
    random folds. A guarantee is tested on `calibration` if it is given. Return None if other folds
    have no sample, or give no thresholds.
    """
    known = problem.labels_with_truth()
    if known is not None:
        problem, request = problem.labels(known), request.for_labels(known)
        calibration = None if calibration is None else calibration.labels(known)
    if folds is None or np.unique(folds).size == 1:
        folds = random_folds(problem, random_state)
    part_request = request.for_parts(problem.total_weight)
    places, parts, thresholds = [], [], []
    for here, others in _left_out(problem, folds):
        if not others.size:
            return None
        try:
            found = solve(problem.rows(others), part_request, random_state, calibration)
        except ValueError:
            # The other folds may have too few units, or no cuts that meet the constraints.
            return None
        places.append(here)
        thresholds.append(found.values)
        decided = problem.decided_at(found.values, found.max_decided, here)
        parts.append(sparse.csr_array(decided))
    in_order = sparse.vstack(parts, format="csr")[np.argsort(np.concatenate(places))]
    decided = sparse.csc_array(in_order, dtype=bool)
    decided.sort_indices()
    counts = problem.counts_of_decisions(decided, request.counts_by)
    return CrossFitted(decided, counts, np.stack(thresholds))


class HeldOutFrontier(NamedTuple):
    """The micro frontier of all folds but one, and what its thresholds decide in that fold.

    All arrays have the shape (n_vertices,), from no decision on.
    """

    slopes: np.ndarray  # true positives per decision of the edge before each vertex; inf first
    decided: np.ndarray  # decisions in the other folds
    hits: np.ndarray  # true positives among them
    held_out_decided: np.ndarray  # decisions in the fold that was left out
    held_out_hits: np.ndarray
    n_samples: int  # of the other folds
    n_positive: int
    n_held_out: int  # samples of the fold that was left out
    n_held_out_positive: int


def held_out_frontiers(problem: Problem, folds: np.ndarray) -> list[HeldOutFrontier]:
    """Find the micro frontier without each fold, and count its decisions in that fold.

    A choice among the vertices that looks only at the other folds, made for each fold, and the
    sums of its held-out counts are what `cross_fitted` gives for the same choice. The problem has
    no missing labels. The list is empty if there is a single fold, or if a fold
    has all units.
    """
    parts = list(_left_out(problem, folds))
    if any(others.size == 0 for _, others in parts):
        return []
    return [_held_out_frontier(problem.rows(others), problem.rows(here)) for here, others in parts]


def _held_out_frontier(others: Problem, here: Problem) -> HeldOutFrontier:
    steps = frontier_steps(hulls_of(others.cuts_of_all()))
    n_edges = steps.vertices
    # Edges of a label are taken in the order of its hull: sorted by label, steps are hull vertices.
    in_hulls = np.argsort(steps.labels, kind="stable")

    def at_vertices(counted: np.ndarray) -> np.ndarray:
        added = np.empty(in_hulls.size, dtype=np.int64)
        added[in_hulls] = np.diff(counted, prepend=0)[steps.hulls.edge_ends]
        return np.asarray(np.concatenate(([0], np.cumsum(added)))[n_edges])

    held_out_decided, held_out_hits = _counts_at(steps.hulls, here)
    return HeldOutFrontier(
        np.concatenate(([np.inf], steps.slopes))[n_edges],
        steps.decided[n_edges],
        steps.hits[n_edges],
        at_vertices(held_out_decided),
        at_vertices(held_out_hits),
        others.total_weight,
        int(others.support.sum()),
        here.total_weight,
        int(here.support.sum()),
    )


def _counts_at(cuts: Cuts, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Count the decisions and true positives of each label on other samples, at every cut."""
    ranking, labels = problem.ranking, cuts.labels
    first = ranking.starts[labels]
    low, high = first.copy(), ranking.starts[labels + 1].copy()
    # Bisection for all cuts at once: the scores of a label fall.
    while (is_open := low < high).any():
        middle = (low + high) // 2
        scores = ranking.scores[np.minimum(middle, ranking.scores.size - 1)]
        is_reached = is_open & (scores >= cuts.thresholds)
        low = np.where(is_reached, middle + 1, low)
        high = np.where(is_open & ~is_reached, middle, high)
    weights = problem.everyone[ranking.cells >> 1]
    decided, hits = (
        np.concatenate(([0], np.cumsum(part))) for part in (weights, weights * (ranking.cells & 1))
    )
    return decided[low] - decided[first], hits[low] - hits[first]


def _left_out(problem: Problem, folds: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of each fold, and all rows of units that do not occur in it."""
    unit = np.arange(folds.size) if problem.fold_units is None else problem.fold_units
    for fold in np.unique(folds):
        here = folds == fold
        yield np.flatnonzero(here), np.flatnonzero(~np.isin(unit, unit[here]))
