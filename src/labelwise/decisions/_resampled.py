"""What tuning rules do on other rows: held-out folds and resampled data, without a new sort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions._chosen import Chosen
from labelwise.decisions._problem import Problem
from labelwise.measures import macro, micro
from labelwise.measures._counts import Measure
from labelwise.splitting import assign

N_FOLDS = 5


class Bounds(NamedTuple):
    """Percentile intervals: of the value, and of each threshold in two rows."""

    value: tuple[float, float]
    thresholds: np.ndarray


def held_out_means(
    problem: Problem,
    candidates: Callable[[np.ndarray], Sequence[np.ndarray]],
    measure: Measure,
    average: str,
    random: Any,
) -> np.ndarray:
    """Return the mean value of each candidate over folds of the rows that it has not seen.

    `candidates` gives threshold vectors for weights that are 1 for seen rows and 0 for others. The
    rows of a unit (`Problem.units`) are in one fold.
    """
    n_folds = min(N_FOLDS, problem.n_units)
    fold = assign(problem.Y, n_folds, groups=problem.units, random_state=random)
    joined = micro if average == "micro" else partial(macro, undefined="skip")
    found = []
    for number in np.unique(fold):
        unseen = problem.rows(np.flatnonzero(fold == number))
        tuned = candidates((fold != number).astype(np.int32))
        found.append([joined(measure, unseen.counts(thresholds)) for thresholds in tuned])
    return np.asarray(np.mean(found, axis=0))


def bootstrap(
    problem: Problem,
    tuner: Callable[[np.ndarray], Chosen],
    n_draws: int,
    confidence: float,
    random: np.random.RandomState,
) -> Bounds:
    """Return the intervals of the value and the thresholds when units are drawn and replaced."""
    values = np.empty(n_draws)
    thresholds = np.empty((n_draws, problem.n_labels))
    for draw in range(n_draws):
        taken = random.randint(problem.n_units, size=problem.n_units)
        times = np.bincount(taken, minlength=problem.n_units).astype(np.int32)
        chosen = tuner(times if problem.units is None else times[problem.units])
        values[draw], thresholds[draw] = chosen.value, chosen.thresholds
    low, high = _percentiles(values, confidence)
    return Bounds((float(low), float(high)), _percentiles(thresholds, confidence))


def _percentiles(drawn: np.ndarray, confidence: float) -> np.ndarray:
    """Return the two order statistics that hold the middle; infinite ones are not averaged."""
    tail = (1 - confidence) / 2
    last = drawn.shape[0] - 1
    # 0.1 times 20 must be 2, whatever 1 - 0.8 rounds to.
    low = int(np.floor(tail * last + 1e-9))
    return np.sort(drawn, axis=0)[[low, last - low]]
