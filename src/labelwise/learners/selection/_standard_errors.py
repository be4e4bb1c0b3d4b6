"""Standard errors of values, and of their differences, by leaving out groups of samples."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labelwise.decisions import Problem, Request
from labelwise.measures import Counts

N_GROUPS = 50


def leave_out_values(problem: Problem, decided: sparse.csc_array, request: Request) -> np.ndarray:
    """Return the value of decisions without each of at most 50 groups of samples.

    Samples of one group of the problem are left out together. Groups, or samples without groups,
    are left out in turn, so that different decisions of the same samples have the same groups.
    """
    units = np.arange(problem.n_samples) if problem.groups is None else problem.groups
    n_groups = min(N_GROUPS, problem.n_units)
    group = units % n_groups
    if request.counts_by == "sample":
        by_row = problem.counts_of_decisions(decided, "sample")
        weights = problem.weights
        values = [
            request.value(
                Counts(*(cells[group != k] for cells in by_row)),
                None if weights is None else weights[group != k],
            )
            for k in range(n_groups)
        ]
    else:
        without = _counts_without(problem, decided, group, n_groups)
        values = [request.value(counts) for counts in without]
    return np.array(values, dtype=np.float64)


def standard_error(values: np.ndarray) -> float:
    """Return the jackknife standard error of a value from its values without each group."""
    if values.size < 2:
        return float("nan")
    deviations = values - values.mean()
    return float(np.sqrt((values.size - 1) / values.size * (deviations**2).sum()))


def _counts_without(
    problem: Problem, decided: sparse.csc_array, group: np.ndarray, n_groups: int
) -> list[Counts]:
    """Return the counts of each label without each group."""
    rows = np.arange(group.size)
    cells_of_groups = (problem.everyone.astype(np.float64), (group, rows))
    members = sparse.csr_array(cells_of_groups, shape=(n_groups, group.size))
    hits, n_decided, positives = (
        (members @ part.astype(np.float64)).toarray()
        for part in (decided.multiply(problem.Y), decided, problem.Y)
    )
    n_known = np.repeat(members.sum(axis=1)[:, None], problem.n_labels, axis=1)
    if problem.missing is not None:
        n_known = n_known - (members @ problem.missing.astype(np.float64)).toarray()
    tp, fp, fn = hits, n_decided - hits, positives - hits
    cells = (part.sum(axis=0) - part for part in (tp, fp, fn, n_known - tp - fp - fn))
    return [Counts(*counts) for counts in zip(*cells, strict=True)]
