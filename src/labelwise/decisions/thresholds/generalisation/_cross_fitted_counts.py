"""Decisions, and their counts, by thresholds that were tuned on other folds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.decisions.thresholds._request import Request
from labelwise.decisions.thresholds._row_limit import decisions_at
from labelwise.decisions.thresholds._solve import solve
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.measures import Counts
from labelwise.splitting import assign_checked

N_FOLDS = 5


class CrossFitted(NamedTuple):
    """Decisions of samples by thresholds that were tuned on other samples, and their counts."""

    decided: sparse.csc_array  # bool, of the labels that have truth
    counts: Counts  # by label or by sample, as `Request.value` takes them


def cross_fitted(
    problem: Problem, request: Request, random_state: Any = None, folds: np.ndarray | None = None
) -> CrossFitted | None:
    """Decide and count samples by thresholds that were tuned on other samples.

    Each fold is decided by thresholds that are tuned on the scores of the other folds. The
    decisions of all folds are counted together, as those behind the tuned value are. No model is
    fitted.

    Parameters
    ----------
    problem : Problem
        Checked scores and labels. All samples of a unit (`Problem.fold_units`) that occur in a
        fold are left out when thresholds for the fold are tuned.
    request : Request
        What thresholds are tuned for. A total of `max_decisions` is shared out among samples.
    random_state : int, RandomState instance or None, default=None
        Draws the folds behind ``shrink="auto"`` and ``fbr="auto"``.
    folds : ndarray of int of shape (n_samples,), default=None
        The fold of each sample. With None or a single fold, samples are assigned to five random
        folds, always the same ones.

    Returns
    -------
    CrossFitted or None
        None if other folds have no sample, or give no thresholds.
    """
    known = problem.labels_with_truth()
    if known is not None:
        chosen = np.isin(np.arange(problem.n_labels), known)
        problem, request = problem.labels(known), request.for_labels(chosen)
    if folds is None or np.unique(folds).size == 1:
        folds = random_folds(problem)
    unit = np.arange(folds.size) if problem.fold_units is None else problem.fold_units
    part_request = request.for_parts(problem.total_weight)
    places, parts = [], []
    for fold in np.unique(folds):
        here = folds == fold
        others = np.flatnonzero(~np.isin(unit, unit[here]))
        if not others.size:
            return None
        try:
            found = solve(problem.rows(others), part_request, random_state)
        except ValueError:
            # The other folds may have too few units, or no cuts that meet the constraints.
            return None
        places.append(np.flatnonzero(here))
        parts.append(sparse.csr_array(decisions_at(problem.scores[here], found.values)))
    in_order = sparse.vstack(parts, format="csr")[np.argsort(np.concatenate(places))]
    decided = sparse.csc_array(in_order, dtype=bool)
    decided.sort_indices()
    return CrossFitted(decided, problem.counts_of_decisions(decided, request.counts_by))


def random_folds(problem: Problem) -> np.ndarray:
    """Return a fold for each sample, units together; a single fold if there is one unit.

    Folds are random: stratified ones have the label shares that were tuned for, which new samples
    need not have, and make the value too high.
    """
    if problem.n_fold_units < 2:
        return np.zeros(problem.n_samples, dtype=np.intp)
    return assign_checked(
        problem.Y,
        min(N_FOLDS, problem.n_fold_units),
        method="random",
        groups=problem.fold_units,
        random_state=0,
    )
