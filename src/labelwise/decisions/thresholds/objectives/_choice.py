"""What a tuning rule chose: a cut for each label, and what is known about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import Cuts
from labelwise.measures import Counts

# Values that differ by less than this share of the largest among them are equal but for rounding.
ROUNDING = 1e-12


class Choice(NamedTuple):
    """Thresholds, what they decide on the tuning data, the value, and its proof.

    `gap` bounds how far above `value` any thresholds can come, None if unknown; `certificate` is
    the λ for which every label maximises ``hits - λ·decisions``, None if there is none.
    """

    thresholds: np.ndarray
    decided: np.ndarray  # by label
    hits: np.ndarray
    value: float
    gap: float | None = None
    certificate: float | None = None


def choice_at(cuts: Cuts, places: np.ndarray, value: float, **known: Any) -> Choice:
    """Return the choice of one cut for each label."""
    return Choice(
        cuts.thresholds[places], cuts.decided[places], cuts.hits[places], float(value), **known
    )


def choice_with(thresholds: np.ndarray, counts: Counts, value: float, **known: Any) -> Choice:
    """Return the choice of thresholds that give each label these counts."""
    return Choice(thresholds, counts.tp + counts.fp, counts.tp, float(value), **known)


def first_best(values: Any, allowed: Any = True) -> int:
    """Return the first place with the highest value, see `first_best_of_each`."""
    values = np.asarray(values, dtype=np.float64)
    return int(first_best_of_each(values, np.array([0, values.size]), allowed)[0])


def first_best_of_each(values: np.ndarray, starts: np.ndarray, allowed: Any = True) -> np.ndarray:
    """Return the first place with the highest value in each piece, as a place among all values.

    Values that differ only by rounding are equal. Places that are not allowed are passed over,
    and so is NaN: the first allowed place if all values are NaN, the first if none is allowed.
    """
    firsts, sizes = starts[:-1], np.diff(starts)
    allowed = np.broadcast_to(allowed, values.shape)
    usable = allowed & ~np.isnan(values)
    highest = np.maximum.reduceat(np.where(usable, values, -np.inf), firsts)
    magnitude = np.where(usable & np.isfinite(values), np.abs(values), 0.0)
    lowest_equal = highest - ROUNDING * np.maximum.reduceat(magnitude, firsts)
    is_best = usable & (values >= np.repeat(lowest_equal, sizes))
    is_best |= allowed & np.repeat(~np.logical_or.reduceat(usable, firsts), sizes)
    is_best[firsts[~np.logical_or.reduceat(allowed, firsts)]] = True
    places = np.flatnonzero(is_best)
    return places[np.searchsorted(places, firsts)]
