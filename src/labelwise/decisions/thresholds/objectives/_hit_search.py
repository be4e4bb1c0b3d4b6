"""Thresholds off the micro frontier: the fewest decisions for every number of hits.

To choose one cut of each label with so many hits in all is a knapsack problem with one item of
each class, solved by a table over labels and hits. The table is small once cuts are left out that
no wanted solution has. For any slope λ, each cut falls short of the highest ``hits - λ·decisions``
of its label by some amount. A solution whose ``hits - λ·decisions`` is at least g falls short of
the sum of the highest by no more than this sum less g, and so does each of its cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import Cuts
from labelwise.decisions.thresholds.curves._frontier_steps import FrontierSteps
from labelwise.decisions.thresholds.objectives._choice import first_best_of_each
from labelwise.decisions.thresholds.objectives._hit_search_kernels import UNREACHED, fewest_by_hits

# Entries of a table, of 8 bytes each.
_MOST_ENTRIES = 10**7
# Slopes that are tried for the one that leaves out most.
_N_SLOPES = 16
# Sums of hits less λ·decisions are rounded by much less than this.
_SLACK = 1e-6


class Wanted(NamedTuple):
    """Numbers of hits, rising, and the most decisions with which each of them is wanted."""

    hits: np.ndarray
    most: np.ndarray


class Core(NamedTuple):
    """The cuts to choose from, and the size of their table.

    Labels stand in the order of the hits between their cuts, so that the table grows late.
    """

    starts: np.ndarray  # the cuts of the k-th label that has a choice stand from ``starts[k]`` on
    places: np.ndarray
    more_hits: np.ndarray  # than the label's cut with the fewest
    spans: np.ndarray  # the most of these, by label
    fixed: np.ndarray  # the cuts of labels that have no choice
    fewest_hits: int  # of all labels at their cuts with the fewest
    width: int

    def fits(self, most_steps: int) -> bool:
        """Tell whether so many additions, and the memory, are enough to fill the table."""
        before = np.minimum(1 + np.cumsum(self.spans) - self.spans, self.width)
        n_steps = float(before @ np.diff(self.starts))
        return n_steps <= most_steps and self.width * self.starts.size <= _MOST_ENTRIES


class FewestDecisions(NamedTuple):
    """Numbers of hits, each with the fewest decisions found for it."""

    hits: np.ndarray
    decided: np.ndarray
    is_complete: bool  # no wanted solution has fewer decisions
    cuts: Cuts
    core: Core
    table: np.ndarray

    def places(self, number: int) -> np.ndarray:
        """Return the cut of each label in one of the solutions."""
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
    """Return solutions with the fewest decisions for each number of hits, wanted or not.

    The search is complete unless it takes too many steps: then only the cuts that fall short by
    least are tried.
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
    """Return the cuts that fall short by least first, and how many of them solutions may have.

    A cut of each label that does not fall short at all comes before the others.
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
    """Return some cuts, at least one of each label, as the core of a search."""
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
