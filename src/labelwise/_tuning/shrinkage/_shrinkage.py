"""Thresholds for an amount of shrinkage, and the amount that is best on held-out folds.

The fewer positives a label has, the more of the pooled curve of all labels is blended into its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from labelwise._counts import Counts, Measure, macro_of, micro_of
from labelwise._parallel import in_threads
from labelwise._tuning.objectives._by_label import MacroRule
from labelwise._tuning.objectives._choice import Choice, choice_with, first_best
from labelwise._tuning.objectives._micro import MicroRule
from labelwise._tuning.problem._problem import N_FOLDS, Problem
from labelwise._tuning.shrinkage._macro_path import macro_path
from labelwise._tuning.shrinkage._micro_path import micro_path
from labelwise._tuning.shrinkage._pooled_curve import pooled_curve
from labelwise.splitting import assign

# Amounts that "auto" chooses from.
AMOUNTS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 1.0)

# Number of scores from which folds are computed in threads.
_MANY = 2**20


@dataclass(frozen=True)
class Shrinkage:
    """Find thresholds for amounts of shrinkage from 0 (none) to 1 (one threshold for all)."""

    problem: Problem
    measure: Measure
    average: str

    def thresholds(self, weights: np.ndarray, amounts: tuple[float, ...]) -> list[np.ndarray]:
        """Return the thresholds of each amount, with samples counted by weight.

        Amount 1 gives the best of the pooled curve's thresholds, not the best of all.
        """
        is_micro = self.average == "micro"
        rule = (MicroRule if is_micro else MacroRule)(self.measure)
        cuts = self.problem.cuts(weights, rule.needs_every_cut)
        pool = pooled_curve(self.problem, weights)
        path = micro_path(cuts, pool) if is_micro else macro_path(cuts, pool, self.measure)
        return [
            rule(cuts).thresholds
            if amount == 0
            else path.at(_weights(cuts.positives, amount), self.measure)
            for amount in amounts
        ]

    def tuned(self, weights: np.ndarray, amount: float) -> Choice:
        """Return the choice for one amount, with samples counted by weight."""
        thresholds = self.thresholds(weights, (amount,))[0]
        counts = self.problem.counts_at(weights, thresholds)
        average = micro_of if self.average == "micro" else macro_of
        return choice_with(thresholds, counts, average(self.measure, counts))

    def best_amount(self, random: Any) -> float:
        """Return the amount with the highest mean over held-out folds; the least among equals."""
        _ = self.problem.pooled_hits  # before threads would compute it twice
        means = held_out_means(
            self.problem,
            lambda weights: self.thresholds(weights, AMOUNTS),
            self.measure,
            self.average,
            random,
        )
        return AMOUNTS[first_best(means)]


def _weights(support: np.ndarray, amount: float) -> np.ndarray:
    """Return the weight of the pooled curve in each label's blend, ``τ / (τ + support)``.

    ``τ = mean support · amount / (1 - amount)``, so that a label with the mean support has the
    weight `amount`.
    """
    if amount == 1 or not support.any():
        return np.ones(support.size)
    prior = support.mean() * amount / (1 - amount)
    return np.asarray(prior / (prior + support))


def held_out_means(
    problem: Problem,
    candidates: Callable[[np.ndarray], Sequence[np.ndarray]],
    measure: Measure,
    average: str,
    random: Any,
) -> np.ndarray:
    """Return the mean value of each candidate over folds that were not used to tune it.

    `candidates` returns threshold vectors for weights, which are those of the problem for the rows
    to tune on and 0 for the rows of the held-out fold. Folds divide the rows of each rarest label
    evenly: those of method "balanced" choose no better values, but need a search, and kernels that
    take seconds to compile; only groups need them.
    """
    n_folds, units = min(N_FOLDS, problem.n_fold_units), problem.fold_units
    method = "rarest-label" if units is None else "auto"
    fold = assign(problem.Y, n_folds, method=method, groups=units, random_state=random)
    joined = micro_of if average == "micro" else partial(macro_of, undefined="skip")

    def values(number: int) -> Any:
        unseen = problem.rows(np.flatnonzero(fold == number))
        tuned = candidates(problem.everyone * (fold != number))
        by_candidate = zip(*(unseen.counts(thresholds) for thresholds in tuned), strict=True)
        return joined(measure, Counts(*map(np.stack, by_candidate)))

    numbers = np.unique(fold).tolist()
    if problem.scores.size > _MANY:
        problem.compute_rankings()  # before threads would compute them twice
        found = list(in_threads(values, numbers))
    else:
        found = [values(number) for number in numbers]
    return np.asarray(np.mean(found, axis=0))
