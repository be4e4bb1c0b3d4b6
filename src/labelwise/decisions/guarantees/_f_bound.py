"""A lower bound of the micro F-measure of given thresholds on new samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.decisions.guarantees._betting import rejections
from labelwise.decisions.guarantees.paths._row_counts import path_cells
from labelwise.decisions.guarantees.paths._units import IndependentUnits

# Limits of F that are tested, and where the first and the last of them are, in standard errors
# from the F on the tuning rows.
_N_LIMITS, _FIRST, _LAST = 60, -12.0, 2.0
_BLOCK = 2**15


class FTerms(NamedTuple):
    """Terms of F of each unit: F is the quotient of their sums."""

    above: np.ndarray  # (1 + beta²) hits
    below: np.ndarray  # decisions + beta² labels


def f_bound(
    tuning: IndependentUnits,
    calibration: IndependentUnits,
    beta: float,
    thresholds: np.ndarray,
    most_per_row: int | None,
    alpha: float,
) -> float:
    """Return a lower bound of micro F, which is wrong with probability at most alpha.

    F is above f if ``(1 + beta²) TP - f (D + beta² P)`` has a mean above 0 over units. Rising
    limits f, chosen by the tuning rows, are tested by betting until the first test fails. 0 if
    none passes.
    """
    seen = _f_terms(tuning, beta, thresholds, most_per_row)
    value = seen.above.sum() / seen.below.sum()
    mean_square = np.mean((seen.above - value * seen.below) ** 2)
    error = np.sqrt(mean_square / calibration.n_units) / seen.below.mean()
    limits = np.unique(np.clip(value + np.linspace(_FIRST, _LAST, _N_LIMITS) * error, 1e-6, 1.0))
    n_labels = tuning.problem.n_labels
    most_decided = n_labels if most_per_row is None else most_per_row
    lowest = -limits * (most_decided + beta**2 * n_labels) * calibration.most_rows
    terms = _f_terms(calibration, beta, thresholds, most_per_row)
    blocks = (
        terms.above[first : first + _BLOCK, None]
        - limits * terms.below[first : first + _BLOCK, None]
        for first in range(0, calibration.n_units, _BLOCK)
    )
    squares = np.full(limits.size, mean_square)
    passed = rejections(blocks, lowest, squares, calibration.n_units, alpha)
    n_passed = int(np.argmin(np.append(passed, False)))
    return float(limits[n_passed - 1]) if n_passed else 0.0


def _f_terms(
    units: IndependentUnits, beta: float, thresholds: np.ndarray, most_per_row: int | None
) -> FTerms:
    """Return the terms of F of each unit at one vector of thresholds."""
    cells = path_cells(units.problem, thresholds[None], most_per_row)
    above, below = [], []
    for counts in cells.blocks(units.ends):
        above.append((1 + beta**2) * counts.hits[:, 0])
        below.append(counts.decided[:, 0] + beta**2 * counts.labels[:, 0])
    return FTerms(units.summed(np.concatenate(above)), units.summed(np.concatenate(below)))
