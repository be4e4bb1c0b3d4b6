"""From wishes to thresholds: which rule is asked, on which rows, and what is told about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from labelwise.decisions.thresholds._fbr import Fbr
from labelwise.decisions.thresholds._request import Options
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.decisions.thresholds.curves._cuts import cuts_of, every_cut
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.decisions.thresholds.generalisation._intervals import Bounds, Retuning, bootstrap
from labelwise.decisions.thresholds.objectives._choice import Choice, Objective, mean_choice
from labelwise.decisions.thresholds.objectives._cost import check_cost
from labelwise.decisions.thresholds.objectives._macro import MacroRule
from labelwise.decisions.thresholds.objectives._micro import MicroRule
from labelwise.decisions.thresholds.objectives._off_frontier import OffFrontier
from labelwise.decisions.thresholds.objectives._pruned_micro import best_of_few
from labelwise.decisions.thresholds.objectives._sample import ascend
from labelwise.decisions.thresholds.objectives._shared import SharedTuner
from labelwise.decisions.thresholds.shrinkage._shrinkage import Shrinkage
from labelwise.measures import Counts, macro, micro


class Plan(NamedTuple):
    """How the thresholds are found on all rows, how under weights, and with which amounts."""

    on_all: Callable[[], Choice]
    under: Callable[[np.ndarray], Choice]
    shrink: float = 0.0
    fbr: float | None = None


def tuned(problem: Problem, options: Options, random_state: Any) -> Thresholds:
    """Return the thresholds that the options ask for."""
    random = check_random_state(random_state)
    # Folds only serve the choice of an amount: without a seed they are the same every time.
    folds = random if random_state is not None else check_random_state(0)
    plan = _plan(problem, options, folds)
    chosen = plan.on_all()
    bounds = None
    if options.n_bootstrap:
        bounds = _bounds(problem, options, plan, random, folds)
    return Thresholds(
        values=chosen.thresholds,
        value=chosen.value,
        measure="cost" if options.cost is not None else options.name,
        average=options.average,
        support=problem.support,
        decided=chosen.decided,
        n_samples=problem.n_samples,
        beta=options.beta,
        label_names=problem.names,
        # A value that is not defined is not the highest, whatever else is.
        gap=None if np.isnan(chosen.value) else chosen.gap,
        certificate=chosen.certificate,
        shared=options.shared,
        shrink=plan.shrink,
        fbr=plan.fbr,
        interval=None if bounds is None else bounds.value,
        intervals=None if bounds is None else bounds.thresholds,
    )


def _bounds(
    problem: Problem,
    options: Options,
    plan: Plan,
    random: np.random.RandomState,
    folds: np.random.RandomState,
) -> Bounds:
    retuning = Retuning(
        plan.under,
        lambda rows: _plan(problem.rows(rows), options, folds).on_all(),
        lambda counts: _value(counts, options),
        options.n_bootstrap,
        options.confidence,
        random,
        folds,
    )
    return bootstrap(problem, retuning, counts_empty=options.average == "macro")


def _value(counts: Counts, options: Options) -> np.ndarray:
    """Return the value of each draw from its counts by label, of shape (n_draws, n_labels)."""
    if options.cost is not None:
        rule = check_cost(options.cost, counts.tp.shape[1])
        wrong = rule.false_positive * counts.fp + rule.false_negative * counts.fn
        return np.asarray(wrong.sum(axis=1))
    if options.average == "micro":
        return np.asarray(micro(options.measure, counts))
    return np.asarray(macro(options.measure, counts, "skip"))


def _plan(problem: Problem, options: Options, random: np.random.RandomState) -> Plan:
    """Return the plan of one of the ways of tuning, with amounts found where they are "auto"."""
    rule = _rule(problem, options)
    plain = Plan(lambda: by_rule(problem, rule), lambda weights: _under(problem, rule, weights))
    if options.average == "sample":
        return Plan(lambda: _by_ascent(problem, options), plain.under)
    if options.shared:
        return _shared(problem, options)
    if options.limits.are_set and options.average == "micro":
        cuts = cuts_of(problem.scores, problem.Y)
        search = OffFrontier(problem, cuts, options.measure, options.limits)
        return plain._replace(on_all=search.best)
    if options.shrink != 0:
        return _shrunk(problem, options, plain, random)
    if options.fbr is not None:
        return _with_fbr(problem, options, plain, random)
    return plain


def _rule(problem: Problem, options: Options) -> Objective:
    if options.cost is not None:
        return check_cost(options.cost, problem.n_labels)
    if options.average == "macro":
        return MacroRule(options.measure, options.limits)
    return MicroRule(options.measure)


def by_rule(problem: Problem, rule: Objective) -> Choice:
    """Return the choice of a rule on all rows; values are sorted without indices."""
    if isinstance(rule, MicroRule):
        chosen = best_of_few(problem, rule)
        if chosen is not None:
            return chosen
    if not rule.needs_every_cut:
        cuts = cuts_of(problem.scores, problem.Y)
        chosen = rule(cuts)
        if isinstance(rule, MicroRule) and chosen.gap is None:
            search = OffFrontier(problem, cuts, rule.measure)
            return search.best() if search.can_prove else chosen
        return chosen
    # Every cut of every label would be four times the size of the scores: one label at a time.
    found = [rule(cuts) for cuts in every_cut(problem.scores, problem.Y)]
    return mean_choice(found)


def _under(problem: Problem, rule: Objective, weights: np.ndarray) -> Choice:
    """Return the choice of a rule if each sample counted as often as its weight says."""
    return rule(problem.cuts(weights, rule.needs_every_cut))


def _shared(problem: Problem, options: Options) -> Plan:
    tuner = SharedTuner(problem, options.measure, options.average, options.limits)
    return Plan(lambda: tuner(problem.everyone), tuner)


def _shrunk(problem: Problem, options: Options, plain: Plan, random: Any) -> Plan:
    shrinkage = Shrinkage(problem, options.measure, options.average)
    _check_rows(problem, "shrink", options.shrink)
    automatic = options.shrink == "auto"
    amount = shrinkage.best_amount(random) if automatic else float(options.shrink)
    if amount == 0 or not problem.support.any():
        return plain
    if amount == 1:
        return _shared(problem, options)._replace(shrink=1.0)

    def under(weights: np.ndarray) -> Choice:
        return shrinkage.tuned(weights, amount)

    return Plan(lambda: under(problem.everyone), under, shrink=amount)


def _with_fbr(problem: Problem, options: Options, plain: Plan, random: Any) -> Plan:
    fbr = Fbr(
        problem, plain.under, options.measure, options.average, options.beta, options.fbr_rule
    )
    _check_rows(problem, "fbr", options.fbr)
    automatic = options.fbr == "auto"
    amount = fbr.best_amount(random) if automatic else float(options.fbr or 0.0)
    if amount == 0:
        return plain._replace(fbr=0.0)

    def under(weights: np.ndarray) -> Choice:
        return fbr.raised(weights, (amount,))[0]

    return Plan(lambda: under(problem.everyone), under, fbr=amount)


def _by_ascent(problem: Problem, options: Options) -> Choice:
    """Climb from the micro, the macro and the shared optimum."""
    measure = options.measure
    starts = [
        by_rule(problem, MicroRule(measure)),
        by_rule(problem, MacroRule(measure)),
        SharedTuner(problem, measure, "micro")(problem.everyone),
    ]
    return ascend(problem, measure, [start.thresholds for start in starts])


def _check_rows(problem: Problem, name: str, amount: Any) -> None:
    if amount == "auto" and problem.n_units < 2:
        kind = "rows" if problem.groups is None else "groups"
        raise ValueError(f'{name}="auto" needs at least 2 {kind} for cross-validation, got 1.')
