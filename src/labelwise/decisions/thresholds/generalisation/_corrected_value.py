"""What tuned thresholds are worth on rows that they were not tuned on."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._estimators import HeldOutScores
from labelwise._validation import take_rows
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.decisions.thresholds.curves._copies import copy_groups
from labelwise.splitting import assign, check_groups

N_FOLDS = 5


def corrected_value(
    held_out: HeldOutScores,
    Y: Any,
    tune: Callable[[Any, Any, Any], Thresholds],
    value: Callable[[Any, np.ndarray], float],
    groups: Any = None,
) -> float:
    """Return the value when each fold is decided by thresholds of the other folds.

    The decisions of all folds are measured together, as those of the tuned value are. No unit (see
    `units_of`) is tuned on and measured by the same thresholds, not even where folds overlap.
    Scores of a single fold are dealt to new ones. NaN if that is impossible, or no thresholds can
    be had from the other folds.
    """
    truth = Y[held_out.rows]
    units = units_of(held_out, truth, groups)
    folds = held_out.folds
    if np.unique(folds).size == 1:
        folds = _dealt(truth, units)
    unit = np.arange(folds.size) if units is None else units
    decided = np.empty(truth.shape, dtype=np.int8)
    for fold in np.unique(folds):
        here = folds == fold
        others = ~np.isin(unit, unit[here])
        if not others.any():
            return float("nan")
        try:
            found = _quietly(
                tune,
                held_out.scores[others],
                truth[others],
                None if units is None else units[others],
            )
        except ValueError:
            # Fewer rows may be too few, or reach no point that keeps to the constraints.
            return float("nan")
        fresh = found.decide(held_out.scores[here])
        decided[here] = fresh if isinstance(fresh, np.ndarray) else fresh.toarray()
    return value(truth, decided)


def units_of(held_out: HeldOutScores, truth: Any, groups: Any = None) -> np.ndarray | None:
    """Return the number of each score's unit, None if every score is of its own.

    The unit is the group, or else the row, if a row was scored several times, or else the row that
    it is an exact copy of.
    """
    if groups is not None:
        return check_groups(take_rows(groups, held_out.rows), held_out.rows.size)
    distinct, units = np.unique(held_out.rows, return_inverse=True)
    if distinct.size < units.size:
        return units
    return copy_groups(held_out.scores, sparse.csc_array(truth))


def _dealt(Y: Any, units: np.ndarray | None) -> np.ndarray:
    """Return a fold for each row, units together; a single one if there is nothing to deal.

    Folds are random: stratified ones have the label shares that were tuned for, which new rows
    need not have, and make the value too high.
    """
    n_units = Y.shape[0] if units is None else int(units.max()) + 1
    if n_units < 2:
        return np.zeros(Y.shape[0], dtype=np.intp)
    return assign(Y, min(N_FOLDS, n_units), method="random", groups=units, random_state=0)


def _quietly(tune: Callable[..., Thresholds], *given: Any) -> Thresholds:
    """Tune without a word on labels whose positives are all in the fold that is left out."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has no positives")
        return tune(*given)
