"""What thresholds are tuned for, and which wishes go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._validation import check_share
from labelwise.decisions.thresholds.objectives._constraints import Limits
from labelwise.measures import Counts, Measure, measured

AVERAGES = ("micro", "macro", "sample")
_LIMITS = "min_precision, min_recall or max_decisions"
_MACRO, _SAMPLE = 'average="macro"', 'average="sample"'
# Counts that show, before any work, whether a measure takes arrays.
_TRIED = Counts(
    tp=np.array([3, 2, 1]), fp=np.array([1, 2, 1]), fn=np.array([2, 1, 1]), tn=np.array([4, 5, 6])
)
# The first of each row goes together with none of the others.
_APART = (
    ("shrink", "shared", "fbr", "cost", _LIMITS, _SAMPLE),
    ("fbr", "shared", "cost", _LIMITS, _SAMPLE),
    ("cost", "shared", _LIMITS, _MACRO, _SAMPLE),
    (_SAMPLE, "shared", _LIMITS, "n_bootstrap"),
    (_LIMITS, "n_bootstrap"),
    ("max_decisions", _MACRO),
)


@dataclass(frozen=True)
class Options:
    """The wishes of a caller of `best_thresholds`, checked."""

    measure: Measure  # with its beta
    name: str  # of the measure
    average: str
    beta: float
    shared: bool
    limits: Limits
    cost: Any
    fbr: float | str | None
    fbr_rule: int
    shrink: float | str
    n_bootstrap: int
    confidence: float

    def __post_init__(self) -> None:
        measured(self.measure, _TRIED)
        if self.average not in AVERAGES:
            raise ValueError(f"average must be one of {', '.join(AVERAGES)}, got {self.average!r}.")
        _check_amount(self.shrink, "shrink")
        if self.fbr is not None:
            _check_amount(self.fbr, "fbr")
        if self.fbr_rule not in (0, 1):
            raise ValueError(f"fbr_rule must be 0 or 1, got {self.fbr_rule!r}.")
        _check_draws(self.n_bootstrap, self.confidence)
        self._check_together()

    def _check_together(self) -> None:
        wishes = {
            "shared": self.shared,
            "shrink": self.shrink != 0,
            "fbr": self.fbr is not None,
            "cost": self.cost is not None,
            "max_decisions": self.limits.max_decisions is not None,
            _LIMITS: self.limits.are_set,
            _MACRO: self.average == "macro",
            _SAMPLE: self.average == "sample",
            "n_bootstrap": self.n_bootstrap > 0,
        }
        for first, *others in _APART:
            for other in others:
                if wishes[first] and wishes[other]:
                    raise ValueError(f"{first} does not go together with {other}.")
        if self.shared and self.limits.are_set and self.average != "micro":
            raise ValueError(f'{_LIMITS} with shared=True needs average="micro".')


def _check_amount(amount: Any, name: str) -> None:
    """Refuse what is neither "auto" nor a number from 0 to 1."""
    if isinstance(amount, str):
        if amount == "auto":
            return
    elif isinstance(amount, int | float | np.number) and 0 <= amount <= 1:
        return
    raise ValueError(f'{name} must be between 0 and 1, or "auto", got {amount!r}.')


def _check_draws(n_draws: Any, confidence: Any) -> None:
    if isinstance(n_draws, bool) or not isinstance(n_draws, int | np.integer):
        raise TypeError(f"n_bootstrap must be a number of draws, got {n_draws!r}.")
    if n_draws < 0 or n_draws == 1:
        raise ValueError(f"n_bootstrap must be 0 or at least 2, got {n_draws}.")
    check_share(confidence, "confidence")
