"""What a tuning rule chose: a cut for each label, and what is known about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions._cuts import Cuts
from labelwise.measures import Counts


class Chosen(NamedTuple):
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


def chosen_at(cuts: Cuts, places: np.ndarray, value: float, **known: Any) -> Chosen:
    """Return the choice of one cut for each label."""
    return Chosen(
        cuts.thresholds[places], cuts.decided[places], cuts.hits[places], float(value), **known
    )


def chosen_with(thresholds: np.ndarray, counts: Counts, value: float, **known: Any) -> Chosen:
    """Return the choice of thresholds that give each label these counts."""
    return Chosen(thresholds, counts.tp + counts.fp, counts.tp, float(value), **known)


def first_best(values: Any) -> int:
    """Return the first place with the highest value; NaN is passed over, 0 if all are NaN."""
    values = np.asarray(values, dtype=np.float64)
    return int(np.argmax(np.where(np.isnan(values), -np.inf, values)))


def first_best_of_each(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return `first_best` within each piece, as a place among all values."""
    values = np.where(np.isnan(values), -np.inf, values)
    highest = np.maximum.reduceat(values, starts[:-1])
    is_best = values == np.repeat(highest, np.diff(starts))
    places = np.flatnonzero(is_best)
    return places[np.searchsorted(places, starts[:-1])]
