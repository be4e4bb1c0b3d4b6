"""Search off the micro frontier: the fewest decisions for every total number of hits.

Choosing one cut of each label with a given total number of hits is a multiple-choice knapsack
problem, solved by a table over labels and hits. The table becomes small by leaving out cuts that no
wanted solution has. For any slope λ, call the shortfall of a cut the difference between the highest
``hits - λ·decisions`` of its label and its own. If a solution has ``hits - λ·decisions`` of at
least g in total, the sum of the shortfalls of its cuts is at most the sum of the highest values
less g, and so is the shortfall of each cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise._curves import Cuts, FrontierSteps
from labelwise.decisions.thresholds.objectives._choice import first_best_of_each
from labelwise.decisions.thresholds.objectives._hit_search_kernels import UNREACHED, fewest_by_hits

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
