"""What a constraint reaches on the tuning samples and on samples that were not tuned on."""

from __future__ import annotations

import math
from typing import NamedTuple

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
    """

    name: str
    limit: float
    value: float
    corrected_value: float

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
        return (
            f"{self.name} {limit}: {_WORDS[self.name]} {self._shown(self.value)} on these samples, "
            f"{self._shown(self.corrected_value)} on samples that were not tuned on"
        )

    def _shown(self, value: float) -> str:
        if math.isnan(value):
            return "unknown"
        return f"{value:,.0f}" if self.name == "max_decisions" else f"{value:.4f}"
