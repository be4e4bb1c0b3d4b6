"""One threshold for all labels: the best of all, for any measure of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import counts_of, halfway
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.decisions.thresholds.curves._weighted_cuts import (
    HitPositions,
    LabelRankings,
    Totals,
    cuts_at_hits_under,
    every_cut_under,
    hit_positions,
)
from labelwise.decisions.thresholds.objectives._choice import ROUNDING, Choice, choice_with
from labelwise.decisions.thresholds.objectives._constraints import NO_LIMITS, Limits, within
from labelwise.decisions.thresholds.objectives._macro import MacroRule
from labelwise.measures import Counts, Measure, macro, micro

# So many thresholds with nearly the highest sum are valued again without rounding.
_N_LIKELY = 1000


@dataclass(frozen=True)
class SharedTuner:
    """Find the one threshold with the highest micro or macro average, fewest decisions first."""

    problem: Problem
    measure: Measure
    average: str
    limits: Limits = NO_LIMITS

    def __call__(self, weights: np.ndarray) -> Choice:
        """Return the choice if each sample counted as often as its weight says."""
        totals = self.problem.totals(weights)
        find = self._best_micro if self.average == "micro" else self._best_macro
        threshold = find(weights, totals)
        thresholds = np.full(self.problem.n_labels, threshold)
        found = self.problem.counts_under(weights, thresholds[None])
        counts = Counts(*(cells[0] for cells in found))
        average = micro if self.average == "micro" else macro
        return choice_with(thresholds, counts, average(self.measure, counts), gap=0.0)

    @cached_property
    def _order(self) -> np.ndarray:
        """The cells of all labels in the order of falling score."""
        return np.argsort(self.problem.ranking.scores)[::-1]

    @cached_property
    def _pool(self) -> tuple[LabelRankings, HitPositions]:
        """All labels ranked together as if they were one."""
        ranking, bounds = self.problem.ranking, np.array([0, self._order.size])
        pool = LabelRankings(bounds, ranking.cells[self._order], ranking.scores[self._order])
        return pool, hit_positions(pool)

    def _best_micro(self, weights: np.ndarray, totals: Totals) -> float:
        """Cut all labels as if they were one."""
        pool, hits = self._pool
        n_cells = totals.n_samples * totals.positives.size
        together = Totals(totals.positives.sum(keepdims=True), n_cells)
        rule = MacroRule(self.measure, self.limits)
        if rule.needs_every_cut:
            chosen = rule(every_cut_under(pool, weights, together))
        else:
            chosen = rule(cuts_at_hits_under(pool, hits, weights, together))
        if not within(self.limits, counts_of(chosen.decided, chosen.hits, *together)).all():
            raise ValueError(f"{self.limits} cannot be met by one threshold for all labels.")
        return float(chosen.thresholds[0])

    def _best_macro(self, weights: np.ndarray, totals: Totals) -> float:
        """Add up how each label's value changes as the threshold falls past each score."""
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
        exact = np.asarray(macro(self.measure, counts, undefined="skip"))
        # A mean near 0 is a difference of larger values, and rounded as they are.
        highest = np.fmax.reduce(exact)
        return float(thresholds[np.argmax(exact >= highest - ROUNDING * max(1.0, abs(highest)))])


def _sums_of_labels(
    ranking: LabelRankings, weights: np.ndarray, totals: Totals, measure: Measure, order: np.ndarray
) -> np.ndarray:
    """Return, as cells are decided in an order, the sum of the labels' values where they have one.

    The second row is how many have none; both begin with nothing decided.
    """
    weight = weights[ranking.cells >> 1].astype(np.int64)
    sizes = np.diff(ranking.starts)
    first = ranking.starts[:-1][sizes > 0]
    decided, hits = (
        _cumsum_of_each(each, ranking.starts) for each in (weight, weight * (ranking.cells & 1))
    )
    positives = np.repeat(totals.positives, sizes)
    after = np.asarray(measure(counts_of(decided, hits, positives, totals.n_samples)))
    nothing = np.zeros(sizes.size, dtype=np.int64)
    at_first = np.asarray(measure(counts_of(nothing, nothing, *totals)))
    found = []
    for start, reached in zip(_value_and_gap(at_first), _value_and_gap(after), strict=True):
        change = np.diff(reached, prepend=0.0)
        change[first] = reached[first] - start[sizes > 0]
        found.append(start.sum() + np.append(0.0, np.cumsum(change[order])))
    return np.stack(found)


def _value_and_gap(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values with 0 for the undefined ones, and 1 where they are undefined."""
    undefined = np.isnan(values)
    return np.where(undefined, 0.0, values), undefined.astype(np.float64)


def _cumsum_of_each(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the running sums within each piece."""
    sums = np.cumsum(values)
    before = np.append(0, sums)[starts[:-1]]
    return np.asarray(sums - np.repeat(before, np.diff(starts)))
