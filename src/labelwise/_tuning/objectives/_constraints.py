"""Constraints on precision, recall and the number of decisions: what meets them, and refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labelwise._counts import Counts, precision, recall
from labelwise._text import quoted

if TYPE_CHECKING:  # thresholds from a file need no kernels
    from labelwise._curves import FrontierSteps


class InfeasibleError(ValueError):
    """The arguments are right, but these data cannot meet the constraints that they set."""


class Limits(NamedTuple):
    """Constraints on decisions; None where there is none."""

    min_precision: float | None = None
    min_recall: float | None = None
    max_decisions: int | float | None = None  # int: in total, float: mean per sample

    @property
    def are_set(self) -> bool:
        """Whether there is any constraint."""
        return any(limit is not None for limit in self)

    def in_total(self, n_samples: float) -> Limits:
        """Return the limits with `max_decisions` as the total for `n_samples` samples."""
        most = self.max_decisions
        if not isinstance(most, float | np.floating):
            return self
        # 0.7 must allow 7 decisions on 10 samples, whatever 0.7 * 10 rounds to.
        total = most * n_samples * (1 + 1e-12)
        return self._replace(max_decisions=int(total) if isinstance(n_samples, int) else total)

    def per_sample(self, n_samples: float) -> Limits:
        """Return the limits with `max_decisions` as the mean per sample of `n_samples` samples."""
        most = self.max_decisions
        if most is None or isinstance(most, float | np.floating):
            return self
        return self._replace(max_decisions=float(most / n_samples))

    def __str__(self) -> str:
        given = self._asdict().items()
        return ", ".join(f"{name}={limit}" for name, limit in given if limit is not None)


NO_LIMITS = Limits()


def within(limits: Limits, counts: Counts) -> np.ndarray:
    """Return which counts meet the limits; an undefined precision or recall meets none."""
    kept = np.ones(np.shape(counts.tp), dtype=bool)
    if limits.min_precision is not None:
        kept &= np.asarray(precision(counts) >= limits.min_precision)
    if limits.min_recall is not None:
        kept &= np.asarray(recall(counts) >= limits.min_recall)
    if limits.max_decisions is not None:
        kept &= np.asarray(counts.tp + counts.fp <= limits.max_decisions)
    return kept


def why_not(steps: FrontierSteps, limits: Limits) -> str:
    """Return the error message for constraints that are proven to be impossible."""
    if steps.n_positive == 0:
        return f"{limits} cannot be met: Y has no positives."
    highest = {
        "min_precision": steps.slopes[0] if steps.slopes.size else 0.0,
        "min_recall": steps.hits[-1] / steps.n_positive,
    }
    for name, reached in highest.items():
        limit = getattr(limits, name)
        if limit is not None and reached < limit:
            return f"{name}={limit} cannot be met on these data, the highest is {reached:.4g}."
    return f"{limits} cannot be met together on these data, by any thresholds."


_WORDS = {
    "min_precision": "precision",
    "min_recall": "recall",
    "max_decisions": "decisions",
}


class ConstraintCheck(NamedTuple):
    """A constraint that was asked for, with what it reaches.

    Attributes
    ----------
    name : {"min_precision", "min_recall", "max_decisions"}
        The argument of `best_thresholds`.
    limit : float
        The limit that was asked for.
    value : float
        What the thresholds reach on the tuning samples: micro precision, micro recall or the
        number of decisions. If the limit is for each label, the lowest value of a decided label.
    corrected_value : float
        The same on samples that the thresholds were not tuned on: each fold is decided by
        thresholds tuned on the others, or, with a guarantee, the calibration samples. NaN if it
        is not known.
    label : str or None, default=None
        The label that has `value`, by its name or its number; None unless the limit is for each
        label.
    corrected_label : str or None, default=None
        The label that has `corrected_value`.
    """

    name: str
    limit: float
    value: float
    corrected_value: float
    label: str | None = None
    corrected_label: str | None = None

    @property
    def is_broken(self) -> bool:
        """Whether the corrected value breaks the limit."""
        if self.name == "max_decisions":
            return self.corrected_value > self.limit
        return self.corrected_value < self.limit

    def line(self) -> str:
        """Write the constraint and what it reaches in one line.

        Returns
        -------
        str
            A line without a full stop.
        """
        limit = self.limit if self.name == "max_decisions" else f"{self.limit:g}"
        is_lowest = self.label is not None or self.corrected_label is not None
        words = f"{'the lowest ' if is_lowest else ''}{_WORDS[self.name]}"
        return (
            f"{self.name} {limit}: {words}{' of a label' if is_lowest else ''} "
            f"{self._shown(self.value, self.label)} on these samples, "
            f"{self._shown(self.corrected_value, self.corrected_label)} on samples that were not "
            "tuned on"
        )

    def _shown(self, value: float, label: str | None) -> str:
        if math.isnan(value):
            return "unknown"
        if label is not None:
            return f"{value:.4f} (of {quoted(label)})"
        return f"{value:,.0f}" if self.name == "max_decisions" else f"{value:.4f}"
