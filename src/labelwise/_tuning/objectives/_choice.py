"""The interface of objectives, and the choice that every objective returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from labelwise._counts import Counts

if TYPE_CHECKING:  # thresholds from a file need no kernels
    from labelwise._curves import Cuts


class Choice(NamedTuple):
    """Thresholds with their decisions and hits on the tuning data, their value, and its proof.

    `gap` bounds how much higher than `value` the value of any thresholds can be; None if no bound
    is known. `certificate` is the λ for which every label maximises ``hits - λ·decisions``; None if
    there is no such proof.
    """

    thresholds: np.ndarray
    decided: np.ndarray  # decisions of each label
    hits: np.ndarray  # true positives of each label
    value: float
    gap: float | None = None
    certificate: float | None = None


class Objective(Protocol):
    """A rule that chooses among the cuts of labels, as `MicroRule`, `MacroRule` and `CostRule` do.

    One threshold for all labels, the mean over samples and the search off the micro frontier
    depend on more than the cuts of each label. They take a `Problem` and return a `Choice` too.
    """

    @property
    def needs_every_cut(self) -> bool:
        """Whether cuts at every distinct score are needed, or those at positives are enough."""

    def __call__(self, cuts: Cuts) -> Choice:
        """Choose one cut for each label."""


def choice_at(cuts: Cuts, places: np.ndarray, value: float, **known: Any) -> Choice:
    """Return the choice of one cut for each label, given the places of these cuts."""
    return Choice(
        cuts.thresholds[places], cuts.decided[places], cuts.hits[places], float(value), **known
    )


def choice_with(thresholds: np.ndarray, counts: Counts, value: float, **known: Any) -> Choice:
    """Return the choice of thresholds that give the labels these counts."""
    return Choice(thresholds, counts.tp + counts.fp, counts.tp, float(value), **known)


def first_best(values: Any, allowed: Any = True) -> int:
    """Return the first place with the highest value, as `first_best_of_each` does for one piece."""
    values = np.asarray(values, dtype=np.float64)
    return int(first_best_of_each(values, np.array([0, values.size]), allowed)[0])


def first_best_of_each(values: np.ndarray, starts: np.ndarray, allowed: Any = True) -> np.ndarray:
    """Return, for each piece of an array, the first place with the highest value.

    Piece j of the values begins at ``starts[j]`` and ends before ``starts[j + 1]``; places count
    from the beginning of all values. Values that differ only by rounding are equal. Places that
    are not allowed are skipped, and so are NaN. If all allowed values of a piece are NaN, its
    first allowed place is returned; if none is allowed, its first place.
    """
    from labelwise._curves import ROUNDING

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
