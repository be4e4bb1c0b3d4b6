"""The pooled curve of all labels at common thresholds, which serves as prior of each label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise._curves import LabelRankings, count_at_common, hull_places, in_bytes
from labelwise._tuning.problem._problem import Problem

# Number of common thresholds: quantiles of the positives' scores.
N_COMMON = 256


class CommonSteps(NamedTuple):
    """Labels at those common thresholds that decide more of their samples than the one before.

    Steps are in the order of labels, then of falling thresholds. There are at most as many as
    scores: labels with few scores change at few thresholds.
    """

    labels: np.ndarray
    places: np.ndarray  # number of the threshold
    decided: np.ndarray  # decisions of the label at this threshold
    hits: np.ndarray
    totals: np.ndarray  # (number of thresholds, 2): decisions and hits of all labels together

    @property
    def n_places(self) -> int:
        """Number of thresholds."""
        return len(self.totals)

    @property
    def more(self) -> np.ndarray:
        """Decisions of each step that the step before does not have."""
        is_first = np.diff(self.labels, prepend=-1) > 0
        return np.where(is_first, self.decided, np.diff(self.decided, prepend=0))

    def last_at(self, labels: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return the last step of a label at a place or before it, -1 if there is none."""
        keys = self.labels * np.int64(self.n_places) + self.places
        found = np.searchsorted(keys, labels * self.n_places + places, side="right") - 1
        is_own = np.append(self.labels, -1)[found] == labels
        return np.where(is_own, found, -1)


class PooledCurve(NamedTuple):
    """Common thresholds in falling order from inf, with the curve of all labels together.

    `chances[k]` is the isotonic estimate, from all labels together, of the share of positives among
    the scores between thresholds k and k - 1; the last entry, 0, is for scores below all of them.
    """

    thresholds: np.ndarray
    chances: np.ndarray
    vertices: np.ndarray  # places of thresholds at which the chance changes
    steps: CommonSteps  # decisions and hits of each label


def pooled_curve(problem: Problem, weights: np.ndarray) -> PooledCurve:
    """Return the pooled curve, with samples counted by weight."""
    scores, rows = problem.pooled_hits
    seen = _quantiles(scores, weights[rows])
    thresholds = np.concatenate(([np.inf], np.unique(seen)[::-1])).astype(np.float64)
    steps = _common_steps(problem.ranking, weights, thresholds)
    curve = np.ascontiguousarray(steps.totals.T)
    vertices, _ = hull_places(np.array([0, thresholds.size]), *curve)
    run, rise = (np.diff(part[vertices]) for part in curve)
    # The last threshold is the score of a positive, and so a vertex of the hull.
    chances = np.concatenate(([1.0], np.repeat(rise / run, np.diff(vertices)), [0.0]))
    return PooledCurve(thresholds, chances, vertices, steps)


def _common_steps(
    ranking: LabelRankings, weights: np.ndarray, thresholds: np.ndarray
) -> CommonSteps:
    """Return the counts of the labels that more samples have at a threshold than at the last."""
    room = min(ranking.cells.size, (ranking.starts.size - 1) * thresholds.size)
    kinds = (np.int32, np.int16, weights.dtype, weights.dtype)
    found = [np.empty(room, dtype=kind) for kind in kinds]
    increments = np.zeros((thresholds.size, 2), dtype=weights.dtype)
    size = count_at_common(ranking, in_bytes(weights), thresholds, *found, increments)
    labels, places, decided, hits = (column[:size] for column in found)
    return CommonSteps(labels, places, decided, hits, np.cumsum(increments, axis=0))


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


def n_above(thresholds: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return how many of the falling thresholds are above each score."""
    return thresholds.size - np.searchsorted(thresholds[::-1], scores, side="right")


def n_at_or_above(thresholds: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return how many of the falling thresholds are not below each score."""
    return thresholds.size - np.searchsorted(thresholds[::-1], scores, side="left")
