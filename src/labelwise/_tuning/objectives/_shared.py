"""The best single threshold for all labels, for any measure of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from labelwise._counts import Measure, counts_of, macro_of, micro_of
from labelwise._curves import (
    ROUNDING,
    Cuts,
    HitPositions,
    LabelRankings,
    SortedHits,
    Totals,
    cuts_at_hits_under,
    cuts_of_columns,
    every_cut_under,
    halfway,
    hit_positions,
    n_cells,
)
from labelwise._tuning.objectives._by_label import MacroRule
from labelwise._tuning.objectives._choice import Choice, choice_with
from labelwise._tuning.objectives._constraints import NO_LIMITS, InfeasibleError, Limits, within
from labelwise._tuning.problem._problem import Problem

# So many thresholds with nearly the highest sum are evaluated again without summing changes.
_N_LIKELY = 1000
# Number of scores from which sorting all of them takes longer than compiling more kernels.
_MANY_SCORES = 2**20


@dataclass(frozen=True)
class SharedTuner:
    """Find the common threshold with the highest micro or macro average.

    Among equal values the threshold with the fewest decisions is chosen.
    """

    problem: Problem
    measure: Measure
    average: str
    limits: Limits = NO_LIMITS

    def __call__(self, weights: np.ndarray) -> Choice:
        """Choose the threshold, with samples counted by weight."""
        totals = self.problem.totals(weights)
        find = self._best_micro if self.average == "micro" else self._best_macro
        threshold = find(weights, totals)
        thresholds = np.full(self.problem.n_labels, threshold)
        counts = self.problem.counts_at(weights, thresholds)
        average = micro_of if self.average == "micro" else macro_of
        return choice_with(thresholds, counts, average(self.measure, counts), gap=0.0)

    def _cuts_of_all(self, weights: np.ndarray, together: Totals) -> Cuts:
        """Return the cuts at positives of all labels as if they were one label."""
        problem = self.problem
        if problem.scores.size < _MANY_SCORES or not problem.counts_once(weights):
            return cuts_at_hits_under(*self._pool, weights, together)
        # Without weights, scores are sorted without their cells.
        scores = problem.scores.data if sparse.issparse(problem.scores) else problem.scores.ravel()
        hits = np.sort(problem.hit_scores[1])
        only = SortedHits(np.array([0, hits.size]), hits)
        return cuts_of_columns(np.sort(scores), np.array([0, scores.size]), only, *together)

    @cached_property
    def _order(self) -> np.ndarray:
        """Cells of all labels in the order of falling score."""
        return np.argsort(self.problem.ranking.scores)[::-1]

    @cached_property
    def _pool(self) -> tuple[LabelRankings, HitPositions]:
        """Ranking of the cells of all labels as if they were one label."""
        ranking, bounds = self.problem.ranking, np.array([0, self._order.size])
        pool = LabelRankings(bounds, ranking.cells[self._order], ranking.scores[self._order])
        return pool, hit_positions(pool)

    def _best_micro(self, weights: np.ndarray, totals: Totals) -> float:
        """Return the best cut of all labels as if they were one label."""
        together = Totals(totals.positives.sum(keepdims=True), n_cells(*totals))
        rule = MacroRule(self.measure, self.limits)
        if rule.needs_every_cut:
            chosen = rule(every_cut_under(self._pool[0], weights, together))
        else:
            chosen = rule(self._cuts_of_all(weights, together))
        if not within(self.limits, counts_of(chosen.decided, chosen.hits, *together)).all():
            raise InfeasibleError(f"{self.limits} cannot be met by one threshold for all labels.")
        return float(chosen.thresholds[0])

    def _best_macro(self, weights: np.ndarray, totals: Totals) -> float:
        """Return the best threshold by summing the changes of the labels' values at each score."""
        ranking = self.problem.ranking
        order = self._order[weights[ranking.cells[self._order] >> 1] > 0]
        lows = ranking.scores[order]
        is_cut = np.append(lows[1:] < lows[:-1], True)[: lows.size]
        sums = _sums_of_labels(ranking, weights, totals, self.measure, order)
        value, undefined = sums[:, np.concatenate(([True], is_cut))]
        lows = np.concatenate(([np.inf], lows[is_cut])).astype(lows.dtype)
        value[undefined > undefined.min()] = -np.inf
        likely = np.sort(np.argsort(-value, kind="stable")[:_N_LIKELY])
        likely = likely[value[likely] >= value.max() - 1e-9 * totals.positives.size]
        thresholds = halfway(lows[likely], np.append(lows[1:], -np.inf)[likely])
        counts = self.problem.counts_under(weights, thresholds[:, None])
        exact = np.asarray(macro_of(self.measure, counts, undefined="skip"))
        # A mean near 0 may be a difference of larger values, with their rounding errors.
        highest = np.fmax.reduce(exact)
        return float(thresholds[np.argmax(exact >= highest - ROUNDING * max(1.0, abs(highest)))])


def _sums_of_labels(
    ranking: LabelRankings, weights: np.ndarray, totals: Totals, measure: Measure, order: np.ndarray
) -> np.ndarray:
    """Return the sum of the labels' values after each decided cell, in a given order.

    The first row is the sum of the defined values, the second the number of labels without one.
    Both begin with no decided cell.
    """
    weight = weights[ranking.cells >> 1]
    sizes = np.diff(ranking.starts)
    first = ranking.starts[:-1][sizes > 0]
    decided, hits = (
        _cumsum_of_each(each, ranking.starts) for each in (weight, weight * (ranking.cells & 1))
    )
    of_label = (np.repeat(np.broadcast_to(total, sizes.shape), sizes) for total in totals)
    after = np.asarray(measure(counts_of(decided, hits, *of_label)))
    nothing = np.zeros(sizes.size, dtype=weights.dtype)
    at_first = np.asarray(measure(counts_of(nothing, nothing, *totals)))
    found = []
    for start, reached in zip(
        _filled_and_undefined(at_first), _filled_and_undefined(after), strict=True
    ):
        change = np.diff(reached, prepend=0.0)
        change[first] = reached[first] - start[sizes > 0]
        found.append(start.sum() + np.append(0.0, np.cumsum(change[order])))
    return np.stack(found)


def _filled_and_undefined(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values with 0 in place of NaN, and 1 where they are NaN."""
    undefined = np.isnan(values)
    return np.where(undefined, 0.0, values), undefined.astype(np.float64)


def _cumsum_of_each(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the cumulative sums within each piece of an array."""
    sums = np.cumsum(values)
    before = np.append(0, sums)[starts[:-1]]
    return np.asarray(sums - np.repeat(before, np.diff(starts)))
