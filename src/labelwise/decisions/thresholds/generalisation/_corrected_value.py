"""The cross-validated value of a request: samples decided by thresholds of other folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise.decisions.thresholds._request import Request
from labelwise.decisions.thresholds._result import decisions_at
from labelwise.decisions.thresholds._solve import solve
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.splitting import assign_checked

N_FOLDS = 5


def corrected_value(
    problem: Problem, request: Request, random_state: Any = None, folds: np.ndarray | None = None
) -> float:
    """Estimate the value of tuned thresholds on new samples, by cross-validation.

    Each fold is decided by thresholds that are tuned on the scores of the other folds. The
    decisions of all folds are measured together, as those behind the tuned value are. No model is
    fitted.

    Parameters
    ----------
    problem : Problem
        Checked scores and labels. All samples of a unit (`Problem.units`) that occur in a fold are
        left out when thresholds for the fold are tuned.
    request : Request
        What thresholds are tuned for. A total of `max_decisions` is shared out among samples.
    random_state : int, RandomState instance or None, default=None
        Draws the folds behind ``shrink="auto"`` and ``fbr="auto"``.
    folds : ndarray of int of shape (n_samples,), default=None
        The fold of each sample. With None or a single fold, samples are assigned to five random
        folds, always the same ones.

    Returns
    -------
    float
        The value; NaN if other folds have no sample, or give no thresholds.
    """
    known = problem.labels_with_truth()
    if known is not None:
        chosen = np.isin(np.arange(problem.n_labels), known)
        problem, request = problem.labels(known), request.for_labels(chosen)
    if folds is None or np.unique(folds).size == 1:
        folds = _random_folds(problem)
    unit = np.arange(folds.size) if problem.units is None else problem.units
    part_request = request.for_parts(problem.total_weight)
    decided = np.empty(problem.Y.shape, dtype=bool)
    for fold in np.unique(folds):
        here = folds == fold
        others = np.flatnonzero(~np.isin(unit, unit[here]))
        if not others.size:
            return float("nan")
        try:
            found = solve(problem.rows(others), part_request, random_state)
        except ValueError:
            # The other folds may have too few units, or no cuts that meet the constraints.
            return float("nan")
        fresh = decisions_at(problem.scores[here], found.values)
        decided[here] = fresh.toarray() if sparse.issparse(fresh) else fresh
    counts = problem.counts_of_decisions(sparse.csc_array(decided), request.counts_by)
    weights = problem.weights if request.counts_by == "sample" else None
    return float(request.value(counts, weights))


def _random_folds(problem: Problem) -> np.ndarray:
    """Return a fold for each sample, units together; a single fold if there is one unit.

    Folds are random: stratified ones have the label shares that were tuned for, which new samples
    need not have, and make the value too high.
    """
    if problem.n_units < 2:
        return np.zeros(problem.n_samples, dtype=np.intp)
    return assign_checked(
        problem.Y,
        min(N_FOLDS, problem.n_units),
        method="random",
        groups=problem.units,
        random_state=0,
    )
