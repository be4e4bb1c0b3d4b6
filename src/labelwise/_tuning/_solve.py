"""Solve a request on curves: choose the method that it asks for, and build the result.

The best cuts of the micro average, the macro average and costs need only the `Curves` of labels,
wherever the rows are. All other options need the rows in memory, a `Problem`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from labelwise._blocks import refuse_in_blocks
from labelwise._counts import Measure, counts_of, f_measure, macro_of, micro_of
from labelwise._curves import Curves, weighted_tops
from labelwise._tuning._evidence import Evidence
from labelwise._tuning._intervals import Bounds, Retuning, bootstrap
from labelwise._tuning._result import Thresholds
from labelwise._tuning.objectives._by_label import LabelObjective, MacroRule, best_by_label
from labelwise._tuning.objectives._choice import Choice, Objective, choice_with, first_best
from labelwise._tuning.objectives._micro import MicroRule, best_micro
from labelwise._tuning.objectives._off_frontier import OffFrontier
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.objectives._sample import ascend
from labelwise._tuning.objectives._shared import SharedTuner
from labelwise._tuning.problem._problem import Problem
from labelwise._tuning.shrinkage._shrinkage import Shrinkage, held_out_means
from labelwise._validation import check_n_bootstrap, check_random_state, check_share


class TuningMethod(NamedTuple):
    """How thresholds are tuned on all samples and under weights, and with which amounts."""

    on_all: Callable[[], Choice]
    under: Callable[[np.ndarray], Choice]
    shrink: float = 0.0
    fbr: float | None = None


def solve(
    curves: Curves, request: Request, random_state: Any, calibration: Problem | None = None
) -> Thresholds:
    """Find the thresholds of checked curves for a checked request.

    For curves of rows that are not in memory, options that need all scores together are refused.
    The random state draws folds, and the samples for calibration unless `calibration` has them. A
    ValueError says if no thresholds meet the constraints, or if an amount is "auto" and there is
    one unit.
    """
    if not isinstance(curves, Problem):
        _refuse_without_rows(request)
        return thresholds_of(best_cuts(curves, request), request, curves)
    problem = curves
    if request.certify is not None:
        # Guarantees import scipy.special, which is slow, and kernels of their own.
        from labelwise._tuning.guarantees._certify import certify

        found = certify(problem, request, request.certify, random_state, calibration)
        return thresholds_with_guarantee(problem, request, *found)
    problem = problem.with_top(request.max_rank)
    known = problem.labels_with_truth()
    if known is not None:
        tuned = solve(problem.labels(known), request.for_labels(known), random_state)
        # Labels without truth for any sample are never decided.
        places = np.full(problem.n_labels, -1)
        places[known] = np.arange(known.size)
        return tuned._of_labels(places, problem.names, n_missing=problem.n_missing, request=request)
    method = _method(problem, request, check_random_state(random_state))
    how = {"shrink": method.shrink, "fbr": method.fbr, **_frequencies(problem)}
    return thresholds_of(method.on_all(), request, problem, **how)


def check_bootstrap(n_bootstrap: Any, confidence: Any, request: Request) -> None:
    """Refuse wrong numbers of draws, and intervals of values that the bootstrap does not cover."""
    check_share(confidence, "confidence")
    if not check_n_bootstrap(n_bootstrap):
        return
    if request.limits.are_set:
        limits = "min_precision, min_recall or max_decisions"
        raise ValueError(f"n_bootstrap does not go together with {limits}.")
    if request.average == "sample":
        raise ValueError('n_bootstrap does not go together with average="sample".')


def bootstrap_bounds(
    problem: Problem, request: Request, n_bootstrap: int, confidence: float, random_state: Any
) -> Bounds:
    """Compute an interval of the value on new samples, and the spread of each threshold.

    The request has no constraints and is not for the sample average. With the seed that `solve` was
    called with, "auto" means the same amounts. `confidence` is the share of the draws within the
    interval and the spreads.
    """
    problem = problem.with_top(request.max_rank)
    known = problem.labels_with_truth()
    if known is not None:
        part = problem.labels(known), request.for_labels(known)
        found = bootstrap_bounds(*part, n_bootstrap, confidence, random_state)
        thresholds = np.full((2, problem.n_labels), np.inf)
        thresholds[:, known] = found.thresholds
        return found._replace(thresholds=thresholds)
    random = check_random_state(random_state)
    method = _method(problem, request, random)
    retuning = Retuning(
        method.under,
        lambda rows: _method(problem.rows(rows), request, random).on_all(),
        request.value,
        n_bootstrap,
        confidence,
        random,
    )
    return bootstrap(problem, retuning, counts_empty=request.average == "macro")


def _frequencies(problem: Problem) -> dict[str, np.ndarray]:
    """Return the share of positives of each label, and its number of samples, if these differ."""
    if problem.weights is None and problem.missing is None:
        return {}
    totals, squares = problem.totals(problem.everyone), problem.totals(problem.everyone**2)
    known = np.broadcast_to(totals.n_samples, problem.n_labels)
    n_effective = known.astype(np.float64) ** 2 / squares.n_samples
    return {"priors": totals.positives / known, "n_effective": n_effective}


def _refuse_without_rows(request: Request) -> None:
    """Refuse options that need all scores together, for scores that are not in memory."""
    needs_rows = {
        "shared=True": request.shared,
        "shrink": request.shrink != 0,
        "fbr": request.fbr is not None,
        "guarantee": request.certify is not None,
        'average="sample"': request.average == "sample",
        "max_decisions per sample": request.max_rank is not None,
    }
    refuse_in_blocks(**needs_rows)


def thresholds_of(chosen: Choice, request: Request, tuned_on: Curves, **how: Any) -> Thresholds:
    """Return the result of a choice; `how` are further fields of the evidence."""
    groups = tuned_on.groups if isinstance(tuned_on, Problem) else None
    evidence = Evidence(
        value=chosen.value,
        measure=request.measure_name,
        average=request.average,
        support=tuned_on.support,
        decided=chosen.decided,
        n_samples=tuned_on.n_samples,
        beta=request.beta,
        # A value that is not defined is not proven to be the highest.
        gap=None if np.isnan(chosen.value) else chosen.gap,
        certificate=chosen.certificate,
        shared=request.shared,
        n_missing=tuned_on.n_missing if isinstance(tuned_on, Problem) else 0,
        weighted=tuned_on.weights is not None,
        n_groups=None if groups is None else int(groups.max()) + 1,
        true_positives=chosen.hits,
        request=request,
        **how,
    )
    return Thresholds(chosen.thresholds, evidence, tuned_on.names, max_rank=request.max_rank)


def thresholds_with_guarantee(
    problem: Problem, request: Request, values: np.ndarray, most: Any, guarantee: Any
) -> Thresholds:
    """Measure certified thresholds on all samples of the problem.

    `most` limits the decisions of a sample, or is an array with the limit of each slice.
    """
    known = problem.labels_with_truth()
    if known is not None:
        # Labels without truth for any sample are never decided.
        values = np.where(np.isin(np.arange(values.size), known), values, np.inf)
    by_label = problem.decision_counts(values, most, "label")
    counts = by_label
    if request.counts_by == "sample":
        counts = problem.decision_counts(values, most, "sample")
    weights = problem.weights if request.counts_by == "sample" else None
    chosen = choice_with(values, by_label, request.value(counts, weights))
    known_of_it = {"guarantee": guarantee, "corrected_value": guarantee.value}
    return replace(thresholds_of(chosen, request, problem, **known_of_it), max_decided=most)


def _method(problem: Problem, request: Request, random: np.random.RandomState) -> TuningMethod:
    """Choose the method of a request, and find the amounts that are "auto"."""
    plain = _plain(problem, request)
    if request.average == "sample":
        return plain._replace(on_all=lambda: _by_ascent(problem, request.measure))
    if request.shared:
        return _shared(problem, request)
    if request.shrink != 0:
        return _shrunk(problem, request, plain, random)
    if request.fbr_amount is not None:
        return _with_fbr(problem, request, plain, random)
    return plain


def _plain(problem: Problem, request: Request) -> TuningMethod:
    """Return the method for the micro average, the macro average or costs, without more."""
    rule: Objective = _label_objective(problem, request) or MicroRule(request.measure)
    return TuningMethod(
        lambda: best_cuts(problem, request),
        lambda weights: rule(problem.cuts(weights, rule.needs_every_cut)),
    )


def best_cuts(curves: Curves, request: Request) -> Choice:
    """Find the best cuts for the micro average, the macro average or costs, within the limits."""
    by_label = _label_objective(curves, request)
    if by_label is not None:
        return best_by_label(curves, by_label)
    if request.limits.are_set:
        limits = request.limits.in_total(curves.total_weight)
        return OffFrontier(curves, curves.cuts_of_all(), request.measure, limits).best()
    return best_micro(curves, MicroRule(request.measure))


def _label_objective(curves: Curves, request: Request) -> LabelObjective | None:
    """Return the objective that chooses label by label; None if the micro average is maximised."""
    if request.costs is not None or request.average != "macro":
        return request.costs
    return MacroRule(request.measure, request.limits.in_total(curves.total_weight))


def _shared(problem: Problem, request: Request) -> TuningMethod:
    limits = request.limits.in_total(problem.total_weight)
    tuner = SharedTuner(problem, request.measure, request.average, limits)
    return TuningMethod(lambda: tuner(problem.everyone), tuner)


def _shrunk(
    problem: Problem, request: Request, plain: TuningMethod, random: np.random.RandomState
) -> TuningMethod:
    shrinkage = Shrinkage(problem, request.measure, request.average)
    _check_units(problem, "shrink", request.shrink)
    automatic = request.shrink == "auto"
    amount = shrinkage.best_amount(random) if automatic else float(request.shrink)
    if amount == 0 or not problem.support.any():
        return plain
    if amount == 1:
        shared = _shared(problem, request)
        # The best common threshold is not proven to be the best of all thresholds.
        return shared._replace(on_all=lambda: shared.on_all()._replace(gap=None), shrink=1.0)

    def under(weights: np.ndarray) -> Choice:
        return shrinkage.tuned(weights, amount)

    return TuningMethod(lambda: under(problem.everyone), under, shrink=amount)


def _with_fbr(
    problem: Problem, request: Request, plain: TuningMethod, random: np.random.RandomState
) -> TuningMethod:
    fbr = Fbr(problem, plain.under, request)
    _check_units(problem, "fbr", request.fbr_amount)
    automatic = request.fbr_amount == "auto"
    amount = fbr.best_amount(random) if automatic else float(request.fbr_amount or 0.0)
    if amount == 0:
        return plain._replace(fbr=0.0)

    def under(weights: np.ndarray) -> Choice:
        return fbr.raised(weights, (amount,))[0]

    return TuningMethod(lambda: under(problem.everyone), under, fbr=amount)


def _by_ascent(problem: Problem, measure: Measure) -> Choice:
    """Find a local optimum of the mean over samples, from the micro, macro and shared optimum."""
    starts = [
        best_micro(problem, MicroRule(measure)),
        best_by_label(problem, MacroRule(measure)),
        SharedTuner(problem, measure, "micro")(problem.everyone),
    ]
    return ascend(problem, measure, [start.thresholds for start in starts])


def _check_units(problem: Problem, name: str, amount: Any) -> None:
    """Refuse cross-validation over a single row or group."""
    if amount == "auto" and problem.n_fold_units < 2:
        kind = "rows" if problem.groups is None else "groups"
        raise ValueError(f'{name}="auto" needs at least 2 {kind} for cross-validation, got 1.')


# Amounts from which "auto" chooses.
AMOUNTS = tuple(step / 10 for step in range(10))


@dataclass(frozen=True)
class Fbr:
    """Raise the thresholds of labels whose F at their tuned threshold is below an amount.

    Under rule 0 such a label is never decided; under rule 1 its threshold is the highest score
    that any sample has for the label.

    References
    ----------
    Y. Yang, "A Study of Thresholding Strategies for Text Categorization", SIGIR 2001.
    """

    problem: Problem
    tuner: Callable[[np.ndarray], Choice]  # thresholds under weights of the samples
    request: Request

    def raised(self, weights: np.ndarray, amounts: tuple[float, ...]) -> list[Choice]:
        """Tune thresholds under weights of the samples, and raise them for each amount."""
        tuned, high = self.tuner(weights), self._high(weights)
        totals = self.problem.totals(weights)
        f = f_measure(counts_of(tuned.decided, tuned.hits, *totals), self.request.beta)
        average = micro_of if self.request.average == "micro" else macro_of
        found = []
        for amount in amounts:
            is_low = f < amount
            decided = np.where(is_low, high.decided, tuned.decided)
            hits = np.where(is_low, high.hits, tuned.hits)
            value = average(self.request.measure, counts_of(decided, hits, *totals))
            thresholds = np.where(is_low, high.thresholds, tuned.thresholds)
            found.append(Choice(thresholds, decided, hits, float(value)))
        return found

    def _high(self, weights: np.ndarray) -> Choice:
        """Return the raised thresholds of all labels, and their decisions and hits."""
        if self.request.fbr_rule == 1:
            thresholds, decided, hits = weighted_tops(self.problem.ranking, weights)
            return Choice(thresholds, decided, hits, float("nan"))
        nobody = np.zeros(self.problem.n_labels, dtype=np.int64)
        return Choice(np.full(nobody.size, np.inf), nobody, nobody, float("nan"))

    def best_amount(self, random: Any) -> float:
        """Find the amount with the highest mean over held-out folds, the least among equals."""
        means = held_out_means(
            self.problem,
            lambda weights: [chosen.thresholds for chosen in self.raised(weights, AMOUNTS)],
            self.request.measure,
            self.request.average,
            random,
        )
        return AMOUNTS[first_best(means)]
