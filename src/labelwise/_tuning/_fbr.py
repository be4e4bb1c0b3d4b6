"""FBR: raise the thresholds of labels with a low F at their tuned threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._counts import counts_of, f_measure, macro_of, micro_of
from labelwise._curves import weighted_tops
from labelwise._tuning.objectives._choice import Choice, first_best
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.problem._problem import Problem
from labelwise._tuning.shrinkage._shrinkage import held_out_means

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
