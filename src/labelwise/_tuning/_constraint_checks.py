"""What a constraint reaches on the tuning samples and on samples that were not tuned on."""

from __future__ import annotations

import math
from typing import NamedTuple

from labelwise._text import quoted

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
