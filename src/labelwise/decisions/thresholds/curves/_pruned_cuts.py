"""Cuts of the highest scores only, found without sorting the scores that cannot matter.

At the micro optimum every label maximises ``hits - λ·decisions``. If a lower bound of λ is known, a
label with P positives that decides d has ``P - λ·d >= 0``, so that d is at most P / λ: lower scores
do not matter. If some threshold of the label has a positive ``hits - λ·decisions``, d is smaller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import Cuts, joined
from labelwise.decisions.thresholds.curves._cuts_kernels import (
    count_reaching,
    gather_reaching,
    hit_scores,
)
from labelwise.decisions.thresholds.curves._hit_gaps import cuts_of, cuts_of_scores
from labelwise.decisions.thresholds.curves._problem import Problem


class ScoreSample(NamedTuple):
    """The scores of all positives, and those of some rows sorted upwards for each label."""

    hits: np.ndarray  # scores of the positives, label after label
    hit_starts: np.ndarray
    rows: np.ndarray  # of shape (n_labels, n_sampled_rows)

    def hits_of(self, j: int) -> np.ndarray:
        """Return the scores of the positives of one label."""
        return self.hits[self.hit_starts[j] : self.hit_starts[j + 1]]

    def scores_at(self, ranks: np.ndarray) -> np.ndarray:
        """Return the sampled score at a rank of each label: inf at rank 0, -inf beyond the last."""
        n_labels, n_rows = self.rows.shape
        place = n_rows - np.clip(ranks, 1, n_rows).astype(np.int64)
        found = self.rows[np.arange(n_labels), place]
        found = np.where(ranks < 1, np.inf, np.where(ranks > n_rows, -np.inf, found))
        return found.astype(self.rows.dtype)


class SlopeBound(NamedTuple):
    """A lower bound of the optimal λ, and a reached ``hits - λ·decisions`` of each label."""

    slope: float
    gains: np.ndarray


def sample_scores(problem: Problem, n_rows: int) -> ScoreSample:
    """Return the scores of all positives and of at least `n_rows` evenly spaced rows."""
    hits, _ = hit_scores(problem.scores, problem.Y.indptr, problem.Y.indices)
    rows = np.sort(problem.scores[:: problem.n_samples // n_rows].T, axis=1)
    return ScoreSample(hits, problem.Y.indptr, rows)


def pruned_cuts(problem: Problem, sample: ScoreSample, bound: SlopeBound) -> Cuts:
    """Return cuts that contain the optimal ones for every λ that is not below the bound."""
    most = (problem.support - bound.gains) / bound.slope
    expected = most * sample.rows.shape[1] / problem.n_samples
    # Three standard deviations more than expected: few labels have to be sorted as a whole.
    floors = sample.scores_at(np.ceil(expected + 3 * np.sqrt(expected) + 3))
    floors[problem.support == 0] = np.inf
    sizes = count_reaching(problem.scores, floors)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    kept = gather_reaching(problem.scores, floors, starts)
    found = []
    for j in range(problem.n_labels):
        column, hits = kept[starts[j] : starts[j + 1]], sample.hits_of(j)
        hits.sort()
        found.append(cuts_of_scores(column, hits[np.searchsorted(hits, floors[j]) :]))
    cuts = joined(found, problem.support, problem.n_samples)
    gains = np.maximum.reduceat(cuts.hits - bound.slope * cuts.decided, cuts.starts[:-1])
    # A lower cut has more decisions than scores were kept, and at most all positives as hits.
    is_enough = problem.support - bound.slope * (sizes + 1) < gains - 1e-9
    for j in np.flatnonzero(~is_enough & (sizes < problem.n_samples)).tolist():
        every = cuts_of(problem.scores[:, [j]], problem.Y[:, [j]])
        found[j] = every.decided, every.hits, every.lows, every.thresholds
    return joined(found, problem.support, problem.n_samples)
