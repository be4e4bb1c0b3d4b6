"""What the searches for a better split share: their budget, their schedule, their verdict."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.splitting._quality import label_distribution, positives_by_subset

# Half a second or so, whatever the size; what is small is settled sooner.
MOST_TRIALS = 500_000
TRIALS_PER_UNIT = 400
# A label missing from a subset weighs more than any distance between odds.
ZERO_PRICE = 1e3

_CHUNK = 4096
# Changes for the worse are taken up to half the step of a rare label at first, and none in the
# last fifth: threshold accepting gets out of the holes in which plain descent ends.
_HEAT = 0.5
_COLD_FROM = 0.8
_NOISE = 1e-12


class Verdict(NamedTuple):
    """How good subsets are: pairs of label and subset without positives, then LD."""

    flz: int
    ld: float


def verdict_on(Y: sparse.csc_array, subsets: np.ndarray, n_subsets: int) -> Verdict:
    """Return the verdict on the subset of each row; no label may be carried by every row."""
    counts = positives_by_subset(Y, subsets, n_subsets)
    sizes = np.bincount(subsets, minlength=n_subsets)
    return Verdict(int((counts == 0).sum()), float(label_distribution(counts, sizes).mean()))


def check_budget(budget: Any) -> int | timedelta | None:
    """Return a budget of trials, or of time, or None for the default."""
    if budget is None or isinstance(budget, timedelta):
        if budget is not None and budget < timedelta(0):
            raise ValueError(f"budget must not be negative, got {budget}.")
        return budget
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer):
        raise TypeError(f"budget must be a number of trials or a timedelta, got {budget!r}.")
    if budget < 0:
        raise ValueError(f"budget must not be negative, got {budget}.")
    return int(budget)


def schedule(
    budget: int | timedelta | None, n_units: int, n_subsets: int, *, cold: bool
) -> Iterator[tuple[int, float]]:
    """Give numbers of trials, each with the change below which a trial is kept."""
    heat = 0.0 if cold else _HEAT * n_subsets / n_units
    for share, n_trials in _chunks(budget, n_units):
        yield n_trials, heat * max(0.0, 1 - share / _COLD_FROM) ** 2 - _NOISE


def _chunks(budget: int | timedelta | None, n_units: int) -> Iterator[tuple[float, int]]:
    """Give the share of the budget that is spent, and the number of trials to come."""
    if isinstance(budget, timedelta):
        begin, total = monotonic(), budget.total_seconds()
        while (spent := monotonic() - begin) < total:
            yield spent / total, _CHUNK
        return
    n_trials = min(MOST_TRIALS, TRIALS_PER_UNIT * n_units) if budget is None else budget
    for done in range(0, n_trials, _CHUNK):
        yield done / n_trials, min(_CHUNK, n_trials - done)
