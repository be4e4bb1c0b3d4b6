"""Other interpretations of dembczynski2013, for cells of Table 2 outside their tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from labelwise.learners import ReverseMultilabel

PENALTIES = 10.0 ** np.arange(-4, 4)


class SomeLabel(ReverseMultilabel):
    """Decide the label of the highest score where no score is above 0."""

    def predict(self, X: Any) -> np.ndarray:
        """Return label sets, none of them empty."""
        scores = self.decision_function(X)
        highest = scores == scores.max(axis=1, keepdims=True)
        nothing = (scores <= 0).all(axis=1, keepdims=True)
        return np.asarray((scores > 0) | (nothing & highest), dtype=np.int64)


# What to measure, and on which set only.
READINGS: dict[str, tuple[str, Any]] = {
    **{
        f"RML, λ = {penalty:g}": ("Scene", ReverseMultilabel(penalty=penalty, random_state=0))
        for penalty in (0.1, 0.03, 0.01, 0.003)
    },
    "RML, standardised": (
        "Scene",
        make_pipeline(StandardScaler(), ReverseMultilabel(random_state=0)),
    ),
    "RML, unit length": ("Scene", make_pipeline(Normalizer(), ReverseMultilabel(random_state=0))),
    "RML, some label": ("Scene", SomeLabel()),
}
