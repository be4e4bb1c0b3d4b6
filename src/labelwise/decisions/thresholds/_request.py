"""The request: what thresholds are tuned for, and which options exclude each other.

`best_thresholds`, `TunedThresholds`, `BagPlugin` and ``labelwise tune`` all build their request by
`check_request`. A new option, or a new pair of options to refuse, belongs in this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelwise._validation import check_n_bootstrap, check_share, is_real
from labelwise.decisions.guarantees._options import (
    EXPECTATION,
    GuaranteeOptions,
    check_guarantee,
)
from labelwise.decisions.thresholds.objectives._constraints import (
    Limits,
    check_limits,
    check_most,
)
from labelwise.decisions.thresholds.objectives._cost import CostRule, check_cost
from labelwise.measures import (
    Counts,
    Measure,
    average_and_measure,
    f_measure,
    function_of,
    mean,
    measured,
    micro,
    with_beta,
)

AVERAGES = ("micro", "macro", "sample")
# Arguments that describe a request, with their defaults in `best_thresholds`.
DEFAULTS: Mapping[str, Any] = {
    "maximize": None,
    "measure": None,
    "average": None,
    "beta": 1.0,
    "shared": False,
    "shrink": 0.0,
    "fbr": None,
    "fbr_rule": 1,
    "min_precision": None,
    "min_recall": None,
    "max_decisions": None,
    "cost": None,
    "n_bootstrap": 0,
    "confidence": 0.95,
    "guarantee": None,
    "across": "each",
    "tuning_share": 0.5,
}
_LIMITS = "min_precision, min_recall or max_decisions"
_PER_ROW = "max_decisions per row"
_MACRO, _SAMPLE = 'average="macro"', 'average="sample"'
# The first option of each row excludes all others of the row.
_EXCLUDING = (
    ("shrink", "shared", "fbr", "cost", _LIMITS, _SAMPLE),
    ("fbr", "shared", "cost", _LIMITS, _SAMPLE),
    ("cost", "shared", _LIMITS, _MACRO, _SAMPLE),
    (_SAMPLE, "shared", "n_bootstrap"),
    (_LIMITS, "n_bootstrap"),
    ("max_decisions", _MACRO),
    ("guarantee", "max_decisions", _PER_ROW),
)
# Counts to find out, before any work, whether a measure accepts arrays.
_SOME_COUNTS = Counts(
    tp=np.array([3, 2, 1]), fp=np.array([1, 2, 1]), fn=np.array([2, 1, 1]), tn=np.array([4, 5, 6])
)


@dataclass(frozen=True)
class Request:
    """The checked options of one call: measure, average, constraints, costs and corrections.

    `check_request` checks the arguments of a caller and builds the request.
    """

    measure: Measure  # with its beta
    measure_name: str  # "cost" if costs are minimised
    average: str
    beta: float
    shared: bool
    shrink: float | str
    fbr: float | str | None
    fbr_rule: int
    limits: Limits
    cost: CostRule | None
    n_bootstrap: int
    confidence: float
    guarantee: GuaranteeOptions | None = None
    top_per_row: int | None = None  # the scores of a row that can be decided, the highest ones

    def for_labels(self, chosen: np.ndarray) -> Request:
        """Return the request for the labels that a boolean mask selects."""
        if self.cost is None:
            return self
        costs = CostRule(self.cost.false_positive[chosen], self.cost.false_negative[chosen])
        return replace(self, cost=costs)

    def for_parts(self, n_samples: float) -> Request:
        """Return the request for parts of `n_samples` samples: decisions are limited per sample."""
        if self.limits.max_decisions is None:
            return self
        return replace(self, limits=self.limits.per_sample(n_samples))

    def without_fbr(self) -> Request:
        """Return the request without the FBR correction."""
        return self if self.fbr is None else replace(self, fbr=None)

    @property
    def counts_by(self) -> str:
        """Whether `value` takes counts by "label" or by "sample"."""
        return "sample" if self.average == "sample" else "label"

    def value(self, counts: Counts, weights: np.ndarray | None = None) -> Any:
        """Compute the value of decisions from their counts; the last axis is averaged.

        Labels or samples for which the measure is not defined are left out of a mean. `weights` are
        those of the samples, for a mean over samples.
        """
        if self.cost is not None:
            wrong = self.cost.false_positive * counts.fp + self.cost.false_negative * counts.fn
            return wrong.sum(axis=-1)
        if self.average == "micro":
            return micro(self.measure, counts)
        return mean(measured(self.measure, counts), "skip", weights)


def check_request(
    params: Mapping[str, Any], n_labels: int, *, shrink_if_possible: bool = False
) -> Request:
    """Check the arguments of a caller, and build the request.

    Parameters
    ----------
    params : mapping of str to object
        Arguments of `best_thresholds` by name (the keys of `DEFAULTS`). A name that is missing
        has the default of `best_thresholds`.
    n_labels : int
        Number of labels, for costs by label.
    shrink_if_possible : bool, default=False
        Whether ``shrink="auto"`` means 0 beside options that exclude `shrink`. Otherwise such a
        pair is refused.

    Returns
    -------
    Request

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or value, or if two arguments exclude each other.
    """
    given = {**DEFAULTS, **params}
    average, measure = _average_and_measure(given)
    most, top_per_row = check_most(given["max_decisions"])
    limits = check_limits(given["min_precision"], given["min_recall"], most)
    name = getattr(measure, "__name__", repr(measure))
    request = Request(
        measure=with_beta(measure, given["beta"]),
        measure_name=name if given["cost"] is None else "cost",
        average=average,
        beta=float(given["beta"]),
        shared=bool(given["shared"]),
        shrink=_shrink(given, average, limits) if shrink_if_possible else given["shrink"],
        fbr=given["fbr"],
        fbr_rule=given["fbr_rule"],
        limits=limits,
        cost=None if given["cost"] is None else check_cost(given["cost"], n_labels),
        n_bootstrap=check_n_bootstrap(given["n_bootstrap"]),
        confidence=check_share(given["confidence"], "confidence"),
        guarantee=check_guarantee(given),
        top_per_row=top_per_row,
    )
    _check_values(request)
    _check_together(request)
    return request


def refuse_with_guarantee(is_weighted: bool, n_missing: int) -> None:
    """Refuse a guarantee for data that its tests do not cover."""
    # The tests need equally weighted, independent samples, each with all its labels.
    if is_weighted:
        raise ValueError("guarantee does not go together with sample_weight.")
    if n_missing:
        raise ValueError(
            f"guarantee does not go together with missing labels in Y, got {n_missing}."
        )


def _average_and_measure(given: Mapping[str, Any]) -> tuple[str, Measure]:
    """Return the average and the measure, from `maximize` or from `measure` and `average`."""
    measure, average = given["measure"], given["average"]
    if given["maximize"] is None:
        average = "micro" if average is None else average
        return average, f_measure if measure is None else function_of(measure)
    for name, value in (("measure", measure), ("average", average)):
        if value is not None:
            raise ValueError(
                f"maximize={given['maximize']!r} names both measure and average, "
                f"so {name} must be None, got {value!r}."
            )
    return average_and_measure(given["maximize"])


def _shrink(given: Mapping[str, Any], average: str, limits: Limits) -> Any:
    """Return the amount of shrinkage, 0 for "auto" beside options that exclude shrinkage."""
    shrink = given["shrink"]
    is_excluded = (
        given["shared"]
        or given["fbr"] is not None
        or given["cost"] is not None
        or limits.are_set
        or average not in ("micro", "macro")
    )
    return 0.0 if isinstance(shrink, str) and shrink == "auto" and is_excluded else shrink


def _check_values(request: Request) -> None:
    """Refuse options whose value is wrong by itself."""
    measured(request.measure, _SOME_COUNTS)
    if request.average not in AVERAGES:
        raise ValueError(f"average must be one of {', '.join(AVERAGES)}, got {request.average!r}.")
    _check_amount(request.shrink, "shrink")
    if request.fbr is not None:
        _check_amount(request.fbr, "fbr")
    if request.fbr_rule not in (0, 1):
        raise ValueError(f"fbr_rule must be 0 or 1, got {request.fbr_rule!r}.")


def _check_together(request: Request) -> None:
    """Refuse options that exclude each other."""
    is_given = {
        "shared": request.shared,
        "shrink": request.shrink != 0,
        "fbr": request.fbr is not None,
        "cost": request.cost is not None,
        "max_decisions": request.limits.max_decisions is not None,
        _PER_ROW: request.top_per_row is not None,
        _LIMITS: request.limits.are_set,
        _MACRO: request.average == "macro",
        _SAMPLE: request.average == "sample",
        "n_bootstrap": request.n_bootstrap > 0,
        "guarantee": request.guarantee is not None,
    }
    for first, *others in _EXCLUDING:
        for other in others:
            if is_given[first] and is_given[other]:
                raise ValueError(f"{first} does not go together with {other}.")
    if request.shared and request.limits.are_set and request.average != "micro":
        raise ValueError(f'{_LIMITS} with shared=True needs average="micro".')
    _check_guarantee(request)


def _check_guarantee(request: Request) -> None:
    """Refuse a guarantee of nothing, and constraints on the mean over samples without one."""
    limits, options = request.limits, request.guarantee
    if options is None:
        if limits.are_set and request.average == "sample":
            raise ValueError(f"{_SAMPLE} does not go together with {_LIMITS} without guarantee.")
        return
    if limits.min_precision is None and limits.min_recall is None:
        raise ValueError("guarantee needs min_precision or min_recall.")
    if options.across == "all" and request.average != "macro":
        raise ValueError(f'across="all" needs {_MACRO}, got "{request.average}".')
    is_of_recall = limits.min_recall is not None and limits.min_precision is None
    if options.in_expectation and not (request.average == "sample" and is_of_recall):
        raise ValueError(f'guarantee="{EXPECTATION}" needs {_SAMPLE} and only min_recall.')


def _check_amount(amount: Any, name: str) -> None:
    """Refuse an amount that is neither "auto" nor a number from 0 to 1."""
    if isinstance(amount, str):
        if amount == "auto":
            return
    elif is_real(amount) and 0 <= amount <= 1:
        return
    raise ValueError(f'{name} must be between 0 and 1, or "auto", got {amount!r}.')
