"""Local optima of the mean of a measure over samples, by moving one threshold at a time."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import Measure, counts_of
from labelwise._curves import halfway
from labelwise._tuning.objectives._choice import Choice, first_best
from labelwise._tuning.problem._problem import Problem

# A move must add more than this to the sum over samples; otherwise rounding could repeat moves.
_LEAST_GAIN = 1e-9


class State(NamedTuple):
    """Thresholds, with the decisions and hits of each sample; moves change the arrays in place."""

    thresholds: np.ndarray
    decided: np.ndarray
    hits: np.ndarray
    sizes: np.ndarray  # positives of each sample


def ascend(problem: Problem, measure: Measure, starts: Iterable[np.ndarray]) -> Choice:
    """Return the best of the local optima of the mean over samples, one for each start."""
    climbed = (_climb(problem, measure, start) for start in starts)
    _, mean, thresholds = max(climbed, key=itemgetter(0))
    return Choice(thresholds, *problem.decided_and_hits(thresholds), mean)


def _climb(
    problem: Problem, measure: Measure, start: np.ndarray
) -> tuple[tuple[float, float], float, np.ndarray]:
    """Move one threshold after the other until no move raises the mean over samples.

    Return the rank of the result, its mean and its thresholds. Few samples without a value count
    first, then a high sum of the others.
    """
    state = _state(problem, start)
    moved = True
    while moved:
        moved = sum(_move(problem, measure, state, j) for j in range(problem.n_labels)) > 0
    values = measure(counts_of(state.decided, state.hits, state.sizes, problem.labels_of_each))
    undefined, total = (float(part @ problem.everyone) for part in _undefined_and_filled(values))
    mean = float("nan") if undefined else total / problem.total_weight
    return (-undefined, total), mean, state.thresholds


def _state(problem: Problem, thresholds: np.ndarray) -> State:
    """Return the decisions and hits of each sample under some thresholds."""
    ranking = problem.ranking
    reached = ranking.scores >= np.repeat(thresholds, np.diff(ranking.starts))
    cells = ranking.cells[reached]
    decided, hits, sizes = (
        np.bincount(rows, minlength=problem.n_samples)
        for rows in (cells >> 1, cells[cells & 1 == 1] >> 1, problem.Y.indices)
    )
    return State(thresholds.copy(), decided, hits, sizes)


def _move(problem: Problem, measure: Measure, state: State, j: int) -> bool:
    """Move the threshold of a label to its best cut; return whether this raised the value."""
    mine = slice(*problem.ranking.starts[j : j + 2])
    cells, scores = problem.ranking.cells[mine], problem.ranking.scores[mine]
    rows, positive = cells >> 1, cells & 1
    is_decided = scores >= state.thresholds[j]
    others = state.decided[rows] - is_decided, state.hits[rows] - is_decided * positive
    totals = state.sizes[rows], np.broadcast_to(problem.labels_of_each, state.sizes.size)[rows]
    without = measure(counts_of(*others, *totals))
    with_it = measure(counts_of(others[0] + 1, others[1] + positive, *totals))
    undefined, total = _running_sums(without, with_it, problem.everyone[rows])
    is_cut = np.concatenate(([True], scores[1:] < scores[:-1], [True]))[: undefined.size]
    now, best = int(is_decided.sum()), _best_cut(undefined, total, is_cut)
    # The best has no more undefined values than any other cut.
    is_better = bool(undefined[best] < undefined[now] or total[best] > total[now] + _LEAST_GAIN)
    if is_better:
        bounds = np.concatenate(([np.inf], scores, [-np.inf])).astype(scores.dtype)
        state.thresholds[j] = halfway(bounds[best : best + 1], bounds[best + 1 : best + 2])[0]
        state.decided[rows] = others[0] + (np.arange(rows.size) < best)
        state.hits[rows] = others[1] + (np.arange(rows.size) < best) * positive
    return is_better


def _undefined_and_filled(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return 1 where a value is undefined and else 0, and the values with 0 in these places."""
    return np.isnan(values).astype(np.int64), np.nan_to_num(values)


def _running_sums(without: Any, with_it: Any, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for k = 0, 1, ... decided rows, the undefined values and the sum of the others."""
    pairs = zip(_undefined_and_filled(without), _undefined_and_filled(with_it), strict=True)
    undefined, total = (
        before @ weights + np.concatenate(([0], np.cumsum((after - before) * weights)))
        for before, after in pairs
    )
    return undefined, total


def _best_cut(undefined: np.ndarray, total: np.ndarray, is_cut: np.ndarray) -> int:
    """Return the cut with the fewest undefined values, then the highest sum, then the earliest."""
    least = undefined[is_cut].min()
    return first_best(total, is_cut & (undefined == least))
