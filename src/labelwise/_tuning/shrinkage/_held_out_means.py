"""Mean values of several tuning rules on held-out folds, from one sort of the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from labelwise._counts import Measure
from labelwise._parallel import in_threads
from labelwise._tuning.problem._problem import Problem
from labelwise.measures import macro, micro
from labelwise.splitting import assign

N_FOLDS = 5
# Number of scores from which folds are computed in threads.
_MANY = 2**20


def held_out_means(
    problem: Problem,
    candidates: Callable[[np.ndarray], Sequence[np.ndarray]],
    measure: Measure,
    average: str,
    random: Any,
) -> np.ndarray:
    """Return the mean value of each candidate over folds that were not used to tune it.

    `candidates` returns threshold vectors for weights, which are those of the problem for the rows
    to tune on and 0 for the rows of the held-out fold. Folds divide the rows of each rarest label
    evenly: those of method "balanced" choose no better values, but need a search, and kernels that
    take seconds to compile; only groups need them.
    """
    n_folds, units = min(N_FOLDS, problem.n_fold_units), problem.fold_units
    method = "rarest-label" if units is None else "auto"
    fold = assign(problem.Y, n_folds, method=method, groups=units, random_state=random)
    joined = micro if average == "micro" else partial(macro, undefined="skip")

    def values(number: int) -> list[Any]:
        unseen = problem.rows(np.flatnonzero(fold == number))
        tuned = candidates(problem.everyone * (fold != number))
        return [joined(measure, unseen.counts(thresholds)) for thresholds in tuned]

    numbers = np.unique(fold).tolist()
    if problem.scores.size > _MANY:
        problem.compute_rankings()  # before threads would compute them twice
        found = list(in_threads(values, numbers))
    else:
        found = [values(number) for number in numbers]
    return np.asarray(np.mean(found, axis=0))
