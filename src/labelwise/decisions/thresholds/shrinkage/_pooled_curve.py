"""The pooled curve of all labels at common thresholds, which serves as prior of each label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import counts_of, hull_slack
from labelwise.decisions.thresholds.curves._cuts_kernels import hull_places
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.measures import Counts

# Number of common thresholds: quantiles of the positives' scores.
N_COMMON = 256


class PooledCurve(NamedTuple):
    """Decisions and hits of each label at common thresholds, in falling order from inf.

    `chances[k]` is the isotonic estimate, from all labels together, of the share of positives among
    the scores between thresholds k and k - 1; the last entry, 0, is for scores below all of them.
    """

    thresholds: np.ndarray
    decided: np.ndarray  # (n_thresholds, n_labels)
    hits: np.ndarray
    chances: np.ndarray
    vertices: np.ndarray  # places of thresholds at which the chance changes
    positives: np.ndarray
    n_samples: Any  # number of samples of all labels, or an array with that of each label

    @property
    def counts(self) -> Counts:
        """Counts of each label at each threshold."""
        return counts_of(self.decided, self.hits, self.positives, self.n_samples)

    @property
    def expected_hits(self) -> np.ndarray:
        """Expected hits of each label at each threshold, by the pooled chances."""
        steps = np.diff(self.decided, axis=0) * self.chances[1:-1, None]
        return np.concatenate((np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)))

    def next_below(self, lows: np.ndarray) -> np.ndarray:
        """Return the place of the first threshold at or below each score."""
        return np.searchsorted(-self.thresholds, -lows)


def pooled_curve(problem: Problem, weights: np.ndarray) -> PooledCurve:
    """Return the pooled curve, with samples counted by weight."""
    scores, rows = problem.pooled_hits
    seen = _quantiles(scores, weights[rows])
    thresholds = np.concatenate(([np.inf], np.unique(seen)[::-1])).astype(np.float64)
    counts = problem.counts_under(weights, thresholds[:, None])
    decided, hits = counts.tp + counts.fp, counts.tp
    curve = decided.sum(axis=1), hits.sum(axis=1)
    vertices, _ = hull_places(np.array([0, thresholds.size]), *curve, *hull_slack(curve[0]))
    run, rise = (np.diff(part[vertices]) for part in curve)
    # The last threshold is the score of a positive, and so a vertex of the hull.
    chances = np.concatenate(([1.0], np.repeat(rise / run, np.diff(vertices)), [0.0]))
    return PooledCurve(thresholds, decided, hits, chances, vertices, *problem.totals(weights))


def _quantiles(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return scores at `N_COMMON` evenly spaced positions among scores repeated by weight.

    If there are no more repeated scores than positions, all scores are returned.
    """
    ends = np.cumsum(weights)
    total = ends[-1] if ends.size else 0
    is_whole = weights.dtype.kind == "i"
    if total == 0 or (is_whole and total <= N_COMMON):
        return scores[weights > 0]
    places = np.linspace(0, total - 1, N_COMMON).round()
    if not is_whole:
        places = np.minimum(np.linspace(0, total, N_COMMON), np.nextafter(total, 0))
    return scores[np.searchsorted(ends, places, side="right")]
