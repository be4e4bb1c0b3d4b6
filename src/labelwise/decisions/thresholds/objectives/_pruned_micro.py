"""The best micro average from few of the scores.

Any thresholds reach some value, and with it a λ that the best value's λ cannot fall below. A label
that decides d at the best thresholds has ``hits - λ·d >= 0``, so that d is at most its positives
over λ: scores of lower rank do not matter, and are never sorted. If some threshold of the label
gives it more than 0, d is still less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import Cuts, counts_of, cuts_of, halfway, joined
from labelwise.decisions.thresholds.curves._cuts_kernels import (
    count_reaching,
    cuts_at_hits,
    gather_reaching,
    hit_scores,
)
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.decisions.thresholds.objectives._choice import Choice
from labelwise.decisions.thresholds.objectives._linear_fractional import least_certificate
from labelwise.decisions.thresholds.objectives._micro import MicroRule

# Rows that are looked at to guess where scores of some rank lie.
_N_GUESSED = 1024
# Fewer scores are sorted before this has begun.
_FEW = 2**16


class Hits(NamedTuple):
    """The scores of the positives, label after label."""

    scores: np.ndarray
    starts: np.ndarray

    def of(self, j: int) -> np.ndarray:
        """Return those of one label."""
        return self.scores[self.starts[j] : self.starts[j + 1]]


class Reached(NamedTuple):
    """A λ that the best one cannot fall below, and the ``hits - λ·decisions`` of each label."""

    slope: float
    gains: np.ndarray


def best_of_few(problem: Problem, rule: MicroRule) -> Choice | None:
    """Return the choice of the rule, None where this way does not lead to it or is longer."""
    scores, Y = problem.scores, problem.Y
    is_plain = isinstance(scores, np.ndarray) and scores.flags.c_contiguous
    is_large = problem.n_samples >= 4 * _N_GUESSED and scores.size >= _FEW
    if not (is_plain and is_large and problem.support.any()):
        return None
    hits = Hits(hit_scores(scores, Y.indptr, Y.indices)[0], Y.indptr)
    guess = np.sort(scores[:: problem.n_samples // _N_GUESSED].T, axis=1)
    reached = _reached(problem, rule, hits, guess)
    if reached is None:
        return None
    chosen = rule(_cuts_that_matter(problem, hits, guess, reached))
    # Without a proof, what was left out may be better.
    return None if chosen.certificate is None else _with_thresholds(problem, chosen)


def _reached(problem: Problem, rule: MicroRule, hits: Hits, guess: np.ndarray) -> Reached | None:
    """Return what is reached by deciding each label about as often as it is positive."""
    share = problem.support / problem.n_samples
    thresholds = _ranked_scores(guess, np.round(share * guess.shape[1]))
    decided = count_reaching(problem.scores, thresholds)
    labels = np.repeat(np.arange(problem.n_labels), problem.support)
    n_hits = np.bincount(labels[hits.scores >= thresholds[labels]], minlength=problem.n_labels)
    n_positive, n_cells = int(problem.support.sum()), problem.n_samples * problem.n_labels
    value = rule.measure(counts_of(decided.sum(), n_hits.sum(), n_positive, n_cells))
    slope = least_certificate(rule.measure, float(value), n_positive, n_cells)
    if slope is None:
        return None
    return Reached(slope, np.maximum(0.0, n_hits - slope * decided))


def _ranked_scores(guess: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Return each label's score of some rank: inf for rank 0, -inf beyond the last."""
    n_labels, n_rows = guess.shape
    place = n_rows - np.clip(ranks, 1, n_rows).astype(np.int64)
    found = guess[np.arange(n_labels), place]
    return np.where(ranks < 1, np.inf, np.where(ranks > n_rows, -np.inf, found)).astype(guess.dtype)


def _cuts_that_matter(problem: Problem, hits: Hits, guess: np.ndarray, least: Reached) -> Cuts:
    """Return cuts that hold those of the best thresholds, for all λ from the least on."""
    most = (problem.support - least.gains) / least.slope
    expected = most * guess.shape[1] / problem.n_samples
    # Three standard deviations more than expected: seldom is a label looked at again.
    floors = _ranked_scores(guess, np.ceil(expected + 3 * np.sqrt(expected) + 3))
    floors[problem.support == 0] = np.inf
    sizes = count_reaching(problem.scores, floors)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    kept = gather_reaching(problem.scores, floors, starts)
    found = []
    for j in range(problem.n_labels):
        column, mine = kept[starts[j] : starts[j + 1]], hits.of(j)
        column.sort()
        mine.sort()
        found.append(cuts_at_hits(column, mine[np.searchsorted(mine, floors[j]) :], -np.inf))
    cuts = joined(found, problem.support, problem.n_samples)
    gains = np.maximum.reduceat(cuts.hits - least.slope * cuts.decided, cuts.starts[:-1])
    # A cut further down has more decisions than were kept, and at most all positives.
    is_enough = problem.support - least.slope * (sizes + 1) < gains - 1e-9
    for j in np.flatnonzero(~is_enough & (sizes < problem.n_samples)).tolist():
        found[j] = cuts_of(problem.scores[:, [j]], problem.Y[:, [j]])[1:5]
    return joined(found, problem.support, problem.n_samples)


def _with_thresholds(problem: Problem, chosen: Choice) -> Choice:
    """Put in the thresholds of labels that decide all that was kept: what lies below was not."""
    thresholds = chosen.thresholds.copy()
    n_samples = problem.n_samples
    for j in np.flatnonzero(np.isneginf(thresholds) & (chosen.decided < n_samples)):
        column = np.sort(problem.scores[:, j])
        place = n_samples - chosen.decided[j]
        thresholds[j] = halfway(column[place : place + 1], column[place - 1 : place])[0]
    return chosen._replace(thresholds=thresholds)
