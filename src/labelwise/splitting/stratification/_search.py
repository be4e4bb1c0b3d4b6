"""Shared by the searches of method "balanced": budget, schedule of trials, quality of a split."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import is_whole
from labelwise.splitting._quality import label_distribution, positives_by_subset

# About half a second for any number of rows; small problems need fewer trials.
MOST_TRIALS = 500_000
TRIALS_PER_UNIT = 400
# A label without positives in a subset costs more than any distance between odds.
ZERO_PRICE = 1e3

_CHUNK = 4096
# Threshold accepting: at first, changes for the worse are accepted up to half the step of a rare
# label, and in the last fifth none, so that the search leaves local optima of plain descent.
_HEAT = 0.5
_COLD_FROM = 0.8
_NOISE = 1e-12


class Verdict(NamedTuple):
    """Quality of subsets: number of pairs of label and subset without positives (FLZ), then LD."""

    flz: int
    ld: float


def verdict_on(Y: sparse.csc_array, subsets: np.ndarray, n_subsets: int) -> Verdict:
    """Return the quality of the subsets; no label may belong to every row."""
    counts = positives_by_subset(Y, subsets, n_subsets)
    sizes = np.bincount(subsets, minlength=n_subsets)
    return Verdict(int((counts == 0).sum()), float(label_distribution(counts, sizes).mean()))


def check_budget(budget: Any) -> int | timedelta | None:
    """Return a budget of trials, or of time, or None for the default."""
    if budget is None:
        return None
    if not is_whole(budget) and not isinstance(budget, timedelta):
        raise TypeError(f"budget must be a number of trials or a timedelta, got {budget!r}.")
    amount = budget.total_seconds() if isinstance(budget, timedelta) else budget
    if amount < 0:
        raise ValueError(f"budget must not be negative, got {budget}.")
    return budget if isinstance(budget, timedelta) else int(budget)


def schedule(
    budget: int | timedelta | None, n_units: int, n_subsets: int, *, cold: bool
) -> Iterator[tuple[int, float]]:
    """Yield numbers of trials, each with the change below which a trial is accepted."""
    heat = 0.0 if cold else _HEAT * n_subsets / n_units
    for share, n_trials in _chunks(budget, n_units):
        yield n_trials, heat * max(0.0, 1 - share / _COLD_FROM) ** 2 - _NOISE


def _chunks(budget: int | timedelta | None, n_units: int) -> Iterator[tuple[float, int]]:
    """Yield the share of the budget that is spent, and the number of trials to come."""
    if isinstance(budget, timedelta):
        begin, total = monotonic(), budget.total_seconds()
        while (spent := monotonic() - begin) < total:
            yield spent / total, _CHUNK
        return
    n_trials = min(MOST_TRIALS, TRIALS_PER_UNIT * n_units) if budget is None else budget
    for done in range(0, n_trials, _CHUNK):
        yield done / n_trials, min(_CHUNK, n_trials - done)
