"""FBR: what is done with labels whose tuned threshold is not worth much (Yang, 2001)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import counts_of
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.decisions.thresholds.curves._weighted_cuts_kernels import weighted_tops
from labelwise.decisions.thresholds.generalisation._held_out import held_out_means
from labelwise.decisions.thresholds.objectives._choice import Choice, first_best
from labelwise.measures import Measure, f_measure, macro, micro

AMOUNTS = tuple(step / 10 for step in range(10))


@dataclass(frozen=True)
class Fbr:
    """Raise the thresholds of labels whose F at their tuned threshold is below an amount.

    Under rule 0 such a label is not decided any more; under rule 1 its threshold becomes the
    highest score that any sample has for it.
    """

    problem: Problem
    tuner: Callable[[np.ndarray], Choice]
    measure: Measure
    average: str
    beta: float
    rule: int

    def raised(self, weights: np.ndarray, amounts: tuple[float, ...]) -> list[Choice]:
        """Return the choice for each amount if samples counted as often as their weights say."""
        tuned = self.tuner(weights)
        totals = self.problem.totals(weights)
        f = f_measure(counts_of(tuned.decided, tuned.hits, *totals), self.beta)
        tops = weighted_tops(self.problem.ranking, weights)
        highest, n_highest, hits_highest = tops if self.rule == 1 else (np.inf, 0, 0)
        average = micro if self.average == "micro" else macro
        found = []
        for amount in amounts:
            is_weak = f < amount
            thresholds = np.where(is_weak, highest, tuned.thresholds)
            decided = np.where(is_weak, n_highest, tuned.decided)
            hits = np.where(is_weak, hits_highest, tuned.hits)
            value = average(self.measure, counts_of(decided, hits, *totals))
            found.append(Choice(thresholds, decided, hits, float(value)))
        return found

    def best_amount(self, random: Any) -> float:
        """Return the amount with the highest mean over unseen folds, the least among equals."""
        means = held_out_means(
            self.problem,
            lambda weights: [chosen.thresholds for chosen in self.raised(weights, AMOUNTS)],
            self.measure,
            self.average,
            random,
        )
        return AMOUNTS[first_best(means)]
