"""Tune thresholds, and estimate on other samples what they and the constraints reach."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import counts_of
from labelwise._curves import Curves
from labelwise._tuning._constraint_checks import ConstraintCheck
from labelwise._tuning._cross_fitting import cross_fitted
from labelwise._tuning._result import Thresholds
from labelwise._tuning._solve import solve
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import Problem, check_problem
from labelwise._validation import columns_in_order
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
    value = value_of_counts(problem, request, unseen.counts)
    return TunedAndCorrected(
        _with(tuned, constraints=checks, corrected_value=value), unseen.decided
    )


def _with(tuned: Thresholds, **evidence: Any) -> Thresholds:
    return replace(tuned, evidence=replace(tuned.evidence, **evidence))


def value_of_counts(problem: Problem, request: Request, counts: Counts) -> float:
    """Compute the value from counts of the samples, or of the labels that have truth."""
    known = problem.labels_with_truth()
    if known is not None:
        request = request.for_labels(np.isin(np.arange(problem.n_labels), known))
    return float(request.value(counts, problem.weights if request.counts_by == "sample" else None))


def check_calibration(
    problem: Problem,
    certify: Certify | None,
    *,
    allow_missing: bool = True,
    ids: Any = None,
    by_position: bool | None = None,
) -> Problem | None:
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
    column = ids if isinstance(ids, str) else None
    tested = check_problem(
        scores,
        Y,
        problem.names,
        given_groups,
        allow_missing=allow_missing,
        ids=column,
        by_position=by_position,
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
        return float(micro(measure, counts)), None
    decided = np.flatnonzero(counts.tp + counts.fp > 0)
    if not decided.size:
        return float("nan"), None
    rates = measure(counts)[decided]
    lowest = int(np.argmin(rates))  # the first NaN if there is one
    rate = float(rates[lowest])
    return rate, None if np.isnan(rate) else names[decided[lowest]]
