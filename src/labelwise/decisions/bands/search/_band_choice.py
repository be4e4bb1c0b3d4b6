"""Bands that a search has found: the ends of each label's queue, and how good they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class BandCut(NamedTuple):
    """One end of the queue: a threshold of each label, and the cells that reach it."""

    thresholds: np.ndarray
    decided: np.ndarray  # cells of each label
    hits: np.ndarray  # positives among them


class BandChoice(NamedTuple):
    """Both ends of the queue, the value of the objective, and how much better others could be."""

    upper: BandCut
    lower: BandCut
    objective: str
    value: float
    gap: float

    @property
    def n_reviewed(self) -> int:
        """Number of cells to review, of all labels."""
        return int((self.lower.decided - self.upper.decided).sum())


def nested(upper: BandCut, lower: BandCut) -> BandCut:
    """Return the lower ends, lowered to the upper ones where they are above.

    A label whose upper threshold is below the lower one has no cell to review. Its cells between
    both are accepted: this loses no positive, and changes no accepted cell.
    """
    is_above = lower.decided < upper.decided
    return BandCut(*(np.where(is_above, high, low) for high, low in zip(upper, lower, strict=True)))
