"""The highest micro average under constraints, or of measures without a certificate.

The micro frontier bounds the value of all thresholds; those that may be better than its best vertex
are searched for the fewest decisions of every total number of hits.

Choosing one cut of each label with a given total number of hits is a multiple-choice knapsack
problem, solved by a table over labels and hits. The table becomes small by leaving out cuts that no
wanted solution has. For any slope λ, call the shortfall of a cut the difference between the highest
``hits - λ·decisions`` of its label and its own. If a solution has ``hits - λ·decisions`` of at
least g in total, the sum of the shortfalls of its cuts is at most the sum of the highest values
less g, and so is the shortfall of each cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import Counts, Measure, counts_of
from labelwise._curves import ROUNDING, Curves, Cuts, FrontierSteps, frontier_steps, hulls_of
from labelwise._tuning.objectives._choice import Choice, choice_at, first_best, first_best_of_each
from labelwise._tuning.objectives._constraints import (
    NO_LIMITS,
    InfeasibleError,
    Limits,
    why_not,
    within,
)
from labelwise._tuning.objectives._linear_fractional import gains_from_hits
from labelwise._tuning.objectives._off_frontier_kernels import UNREACHED, fewest_by_hits

# Most steps of successive searches: what a short search finds leaves less for the next one. The
# last one takes less than a second.
_MOST_STEPS = (10**6, 10**7, 10**8)
# Largest sum of the weights of positives that is searched.
_MOST_HITS = 10**7


@dataclass(frozen=True, eq=False)
class OffFrontier:
    """Find the highest micro average within limits; among equals, the fewest decisions.

    The vertices of the micro frontier are tried first. For each number of hits, no thresholds have
    fewer decisions than the frontier, rounded up. For a measure that rises with hits and falls with
    other decisions, this bounds the value of all other thresholds; those that may be better than
    the best vertex are searched.
    """

    curves: Curves
    cuts: Cuts  # at the positives of each label
    measure: Measure
    limits: Limits = NO_LIMITS

    def best(self) -> Choice:
        """Choose thresholds; the gap is None if the measure is not known to rise with hits."""
        best, is_complete = self._best_vertex(), False
        for most_steps in _MOST_STEPS if self._can_search else ():
            wanted = self._wanted(best)
            is_complete = wanted.hits.size == 0 or self._steps.slopes.size == 0
            if is_complete:
                break
            found, is_complete = self._searched(wanted, most_steps)
            best = found if _is_better(found, best) else best
            # For a measure of unknown form, further searches prove nothing.
            if is_complete or not (best is None or self.can_prove):
                break
        if best is None:
            raise InfeasibleError(self._refusal(is_proven=is_complete))
        top = self._top_of_a_label(best)
        best = top if top is not None and _is_better(top, best) else best
        return best._replace(gap=self._gap(best, is_complete))

    @cached_property
    def _steps(self) -> FrontierSteps:
        return frontier_steps(hulls_of(self.cuts))

    @property
    def _can_search(self) -> bool:
        """Whether hits are whole numbers, and few enough for a table of all of them."""
        is_whole = self.cuts.hits.dtype.kind == "i"
        return self.curves.weights is None or (is_whole and self._steps.n_positive <= _MOST_HITS)

    @cached_property
    def _fewest_decided(self) -> np.ndarray:
        return self._steps.fewest_decided()

    @cached_property
    def can_prove(self) -> bool:
        """Whether the measure is known to rise with hits and not with other decisions."""
        return gains_from_hits(self.measure, self._steps.n_positive, self._steps.n_cells)

    def _counts(self, decided: Any, hits: Any) -> Counts:
        return counts_of(decided, hits, self._steps.n_positive, self._steps.n_cells)

    def _values(self, counts: Counts) -> np.ndarray:
        return np.asarray(self.measure(counts), dtype=np.float64)

    def _first_best(self, decided: np.ndarray, hits: np.ndarray) -> tuple[int, float] | None:
        """Return the index and value of the best point within the limits, or None."""
        order = np.argsort(decided, kind="stable")
        counts = self._counts(decided[order], hits[order])
        allowed = within(self.limits, counts)
        if not allowed.any():
            return None
        values = self._values(counts)
        place = first_best(values, allowed)
        return int(order[place]), float(values[place])

    def _best_vertex(self) -> Choice | None:
        """Return the best vertex of the frontier, or None if none is within the limits."""
        found = self._first_best(self._steps.decided, self._steps.hits)
        if found is None:
            return None
        return choice_at(self._steps.hulls, self._steps.places(found[0]), found[1])

    def _searched(self, wanted: Wanted, most_steps: int) -> tuple[Choice | None, bool]:
        """Return the best result of a search, and whether the search was complete."""
        reached = search_hits(self.cuts, self._steps, wanted, most_steps)
        found = self._first_best(reached.decided, reached.hits)
        if found is None:
            return None, reached.is_complete
        return choice_at(self.cuts, reached.places(found[0]), found[1]), reached.is_complete

    def _improves(self, decided: np.ndarray, hits: np.ndarray, best: Choice | None) -> np.ndarray:
        """Return which points are within the limits and may be better than the best so far."""
        counts = self._counts(decided, hits)
        allowed = within(self.limits, counts)
        if best is None or not self.can_prove:
            return allowed
        values = self._values(counts)
        if np.isnan(best.value):
            return np.asarray(allowed & ~np.isnan(values))
        slack = ROUNDING * abs(best.value)
        is_equal = (values >= best.value - slack) & (decided < best.decided.sum())
        return np.asarray(allowed & ((values > best.value + slack) | is_equal))

    def _wanted(self, best: Choice | None) -> Wanted:
        """Return the numbers of hits and decisions that would be better than the best so far.

        With the hits fixed, more decisions never make a point better, so that the largest number of
        decisions is found by bisection.
        """
        low = self._fewest_decided
        hits = np.flatnonzero(self._improves(low, np.arange(low.size), best))
        low = low[hits]
        high = hits + self._steps.n_cells - self._steps.n_positive + 1
        while (high - low > 1).any():
            middle = (low + high) // 2
            is_wanted = self._improves(middle, hits, best)
            low, high = np.where(is_wanted, middle, low), np.where(is_wanted, high, middle)
        return Wanted(hits, low)

    def _top_may_be_better(self, best: Choice) -> bool:
        """Return whether one wrong decision may be better, as if no decision has no value."""
        weights = self.curves.weights
        least = 1 if weights is None or weights.dtype.kind == "i" else weights.min()
        counts = self._counts(np.array([least]), np.array([0]))
        value = self._values(counts)[0]
        if not within(self.limits, counts)[0] or np.isnan(value):
            return False
        is_fewer = bool(best.decided.sum() > counts.fp[0])
        return not best.value > value if is_fewer else not best.value >= value

    def _top_of_a_label(self, best: Choice) -> Choice | None:
        """Return the choice with the fewest decisions of a single label, none of them a hit."""
        # Without positives no label is decided, whatever the value of no decision is.
        if not (self._top_may_be_better(best) and self._steps.n_positive):
            return None
        tops = [
            (cuts.decided[1].item(), j, float(cuts.thresholds[1]))
            for j, cuts in enumerate(self.curves.every_cut())
            if cuts.decided.size > 1 and cuts.hits[1] == 0
        ]
        if not tops:
            return None
        n_decided, label, threshold = min(tops)
        found = self._first_best(np.array([n_decided]), np.array([0]))
        if found is None:
            return None
        decided, thresholds = np.zeros_like(best.decided), np.full(best.decided.size, np.inf)
        decided[label], thresholds[label] = n_decided, threshold
        return Choice(thresholds, decided, np.zeros_like(decided), found[1])

    def _gap(self, best: Choice, is_complete: bool) -> float | None:
        """Return a bound of how much higher the value of thresholds within the limits can be."""
        if np.isnan(best.value) or not (self.can_prove and self._can_search):
            return None
        if not self._steps.n_positive and self._top_may_be_better(best):
            return None
        if is_complete:
            return 0.0
        counts = self._counts(self._fewest_decided, np.arange(self._fewest_decided.size))
        bounds = self._values(counts)[within(self.limits, counts)]
        gap = float(np.fmax.reduce(bounds, initial=best.value) - best.value)
        return gap if gap > ROUNDING * abs(best.value) else 0.0

    def _refusal(self, *, is_proven: bool) -> str:
        if is_proven:
            return why_not(self._steps, self.limits)
        why = "too many thresholds come close to be tried"
        if not self._can_search:
            why = "with weights that are large or not whole, only the micro frontier is tried"
        return (
            f"No thresholds were found that meet {self.limits}; it is not proven that there are "
            f"none, because {why}."
        )


def _is_better(one: Choice | None, other: Choice | None) -> bool:
    """Return whether one choice has a higher value, or an equal value with fewer decisions."""
    if one is None or other is None:
        return one is not None
    if np.isnan(one.value) or np.isnan(other.value):
        return not np.isnan(one.value)
    n_decided = [other.decided.sum(), one.decided.sum()]
    order = np.argsort(n_decided, kind="stable")
    return bool(order[first_best(np.array([other.value, one.value])[order])] == 1)


# Largest number of table entries, of 8 bytes each.
_MOST_ENTRIES = 10**7
# Number of slopes that are tried; the one that leaves out most cuts is used.
_N_SLOPES = 16
# Larger than the rounding error of any sum of ``hits - λ·decisions``.
_SLACK = 1e-6


class Wanted(NamedTuple):
    """Numbers of hits in rising order, and the most decisions that would improve on the best."""

    hits: np.ndarray
    most: np.ndarray


class Core(NamedTuple):
    """The cuts that a search chooses from, and the size of its table.

    Labels are in the order of the difference in hits between their cuts, smallest first, so that
    the table becomes wide only at the last labels.
    """

    starts: np.ndarray  # the k-th label with several cuts has those from ``starts[k]`` on
    places: np.ndarray  # of these cuts among all cuts
    more_hits: np.ndarray  # hits in addition to the label's cut with the fewest
    spans: np.ndarray  # largest number of additional hits of each label
    fixed: np.ndarray  # places of the cuts of labels with a single cut
    fewest_hits: int  # total hits with each label at its cut with the fewest
    width: int  # of the table

    def fits(self, most_steps: int) -> bool:
        """Return whether `most_steps` additions and the allowed memory suffice for the table."""
        before = np.minimum(1 + np.cumsum(self.spans) - self.spans, self.width)
        n_steps = float(before @ np.diff(self.starts))
        return n_steps <= most_steps and self.width * self.starts.size <= _MOST_ENTRIES


class FewestDecisions(NamedTuple):
    """Numbers of hits, and the fewest decisions found for each of them."""

    hits: np.ndarray
    decided: np.ndarray
    is_complete: bool  # whether no wanted solution has fewer decisions
    cuts: Cuts
    core: Core
    table: np.ndarray

    def places(self, number: int) -> np.ndarray:
        """Return the places of the cuts of one solution, one for each label."""
        core, found = self.core, [self.core.fixed]
        rest = int(self.hits[number]) - core.fewest_hits
        for k in range(core.starts.size - 2, -1, -1):
            mine = slice(core.starts[k], core.starts[k + 1])
            before = rest - core.more_hits[mine]
            decided = self.table[k, np.maximum(before, 0)] + self.cuts.decided[core.places[mine]]
            best = int(np.argmin(np.where(before < 0, UNREACHED, decided)))
            found.append(core.places[mine][best : best + 1])
            rest = int(before[best])
        return np.sort(np.concatenate(found))


def search_hits(
    cuts: Cuts, steps: FrontierSteps, wanted: Wanted, most_steps: int
) -> FewestDecisions:
    """Return solutions with the fewest decisions for each number of hits.

    The search is complete unless it would take more than `most_steps` additions; then only the
    cuts with the smallest shortfall are tried.
    """
    order, n_needed = _in_order(cuts, steps, wanted)
    most_hits = int(wanted.hits[-1])
    n_taken, too_many = n_needed, n_needed + 1
    if not _core_of(cuts, order[:n_taken], most_hits).fits(most_steps):
        n_taken, too_many = cuts.positives.size, n_needed
    while too_many - n_taken > 1:
        middle = (n_taken + too_many) // 2
        fits = _core_of(cuts, order[:middle], most_hits).fits(most_steps)
        n_taken, too_many = (middle, too_many) if fits else (n_taken, middle)
    core = _core_of(cuts, order[:n_taken], most_hits)
    table = fewest_by_hits(core.starts, cuts.decided[core.places], core.more_hits, core.width)
    found = np.flatnonzero(table[-1] < UNREACHED)
    decided = table[-1, found] + cuts.decided[core.fixed].sum()
    return FewestDecisions(
        found + core.fewest_hits, decided, n_taken == n_needed, cuts, core, table
    )


def _in_order(cuts: Cuts, steps: FrontierSteps, wanted: Wanted) -> tuple[np.ndarray, int]:
    """Return the cuts by rising shortfall, and how many of them wanted solutions may have.

    For each label, one cut without shortfall precedes all other cuts.
    """
    is_usable = (cuts.decided <= wanted.most.max()) & (cuts.hits <= wanted.hits[-1])
    firsts, sizes = cuts.starts[:-1], np.diff(cuts.starts)
    edges = np.searchsorted(steps.hits[1:], np.quantile(wanted.hits, np.linspace(0, 1, _N_SLOPES)))
    best_allowance, shortfall = np.inf, np.zeros(cuts.hits.size)
    for slope in np.unique(steps.slopes[np.minimum(edges, steps.slopes.size - 1)]):
        gains = np.where(is_usable, cuts.hits - slope * cuts.decided, -np.inf)
        highest = np.maximum.reduceat(gains, firsts)
        allowance = highest.sum() - (wanted.hits - slope * wanted.most).min()
        if allowance < best_allowance:
            best_allowance, shortfall = allowance, np.repeat(highest, sizes) - gains
    tops = first_best_of_each(-shortfall, cuts.starts)
    n_needed = max(tops.size, int((shortfall <= best_allowance + _SLACK).sum()))
    shortfall[tops] = -1.0
    return np.argsort(shortfall, kind="stable"), n_needed


def _core_of(cuts: Cuts, chosen: np.ndarray, most_hits: int) -> Core:
    """Return chosen cuts, at least one of each label, as the core of a search."""
    places = np.sort(chosen)
    labels = np.searchsorted(cuts.starts, places, side="right") - 1
    firsts = np.searchsorted(labels, np.arange(cuts.positives.size))
    hits = cuts.hits[places]
    # Both hits and decisions rise from cut to cut of a label.
    fewest, most = hits[firsts], hits[np.append(firsts[1:], hits.size) - 1]
    spans = (most - fewest)[labels]
    order = np.lexsort((places, spans))
    order = order[spans[order] > 0]
    starts = np.append(np.flatnonzero(np.diff(labels[order], prepend=-1)), order.size)
    fewest_hits = int(fewest.sum())
    return Core(
        starts,
        places[order],
        (hits - fewest[labels])[order],
        spans[order][starts[:-1]],
        places[spans == 0],
        fewest_hits,
        max(1, min(1 + int((most - fewest).sum()), most_hits - fewest_hits + 1)),
    )
