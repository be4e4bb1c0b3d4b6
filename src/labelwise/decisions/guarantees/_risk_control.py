"""Conformal risk control: the expected mean recall of samples on new data."""

from __future__ import annotations

import numpy as np

from labelwise.decisions.guarantees.paths._row_counts import path_cells
from labelwise.decisions.guarantees.paths._row_statistics import recall_above
from labelwise.decisions.guarantees.paths._units import IndependentUnits


def first_controlled_point(
    calibration: IndependentUnits, path: np.ndarray, min_recall: float
) -> int | None:
    """Return the first point of a path whose expected recall of a new sample is high enough.

    The recall of a sample rises along the path. With n calibration samples that have labels, the
    first point whose mean loss R (1 - recall) meets ``(n R + 1) / (n + 1) <= 1 - min_recall`` has
    an expected loss of at most ``1 - min_recall`` on a new sample that has labels. The expectation
    is over calibration samples and the new sample; for given calibration samples, the recall can
    be lower. None if no point meets it.

    References
    ----------
    A. N. Angelopoulos, S. Bates, A. Fisch, L. Lei, T. Schuster, "Conformal Risk Control", 2024.
    """
    problem = calibration.problem
    n_with_labels = int(np.count_nonzero(np.bincount(problem.Y.indices, minlength=1)))
    cells = path_cells(problem, path, None)
    recalls = np.zeros(len(path))
    for counts in cells.blocks(calibration.ends):
        # A limit of 0 leaves the recall itself.
        recalls += recall_above(0.0, problem.n_labels, "sample").of(counts).sum(axis=0)
    losses = (n_with_labels - recalls + 1) / (n_with_labels + 1)
    controlled = np.flatnonzero(losses <= 1 - min_recall)
    return int(controlled[0]) if controlled.size else None
