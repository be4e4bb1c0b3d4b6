"""What bands reach on unseen samples: samples decided by bands of the other folds."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labelwise.decisions.bands._band_request import BandRequest
from labelwise.decisions.bands._review_measures import ReviewMeasures, count_states
from labelwise.decisions.bands._solve_bands import solve_bands
from labelwise.decisions.problem._problem import Problem
from labelwise.decisions.thresholds._cross_fitting import random_folds


def unseen_review(problem: Problem, request: BandRequest) -> ReviewMeasures | None:
    """Measure bands on unseen samples, by cross-validation; None if other folds give no bands.

    Each fold is decided by bands that are found on the scores of the other folds, and the decisions
    of all folds are counted together. A total of `max_review` is shared out among samples.
    """
    folds = random_folds(problem)
    part_request = request.for_parts(problem.n_samples)
    found = []
    for fold in np.unique(folds):
        here, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        try:
            bands = solve_bands(problem.rows(others), part_request) if others.size else None
        except ValueError:
            # The other folds may have too few cells for the rates, or need a larger queue.
            bands = None
        if bands is None:
            return None
        states = sparse.csr_array(bands.decide(problem.scores[here]))
        found.append(count_states(sparse.csc_array(problem.Y[here]), states))
    return ReviewMeasures(*map(sum, zip(*found, strict=True)))
