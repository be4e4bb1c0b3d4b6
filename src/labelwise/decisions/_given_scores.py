"""Thresholds in the order of the columns of given scores, and decisions in the form of these."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import Scores, columns_in_order, frame_like, is_frame


def in_columns(
    values: np.ndarray, label_names: tuple[str, ...] | None, scores: Scores
) -> np.ndarray:
    """Return thresholds of labels in the order of the columns of the scores."""
    if label_names is not None and scores.names is not None:
        thresholds = np.empty_like(values)
        thresholds[columns_in_order(label_names, scores.names, "scores")] = values
        return thresholds
    if scores.matrix.shape[1] != values.size:
        raise ValueError(
            f"scores has {scores.matrix.shape[1]} labels, but there are {values.size} thresholds."
        )
    return values


def as_given(decided: Any, scores: Any) -> Any:
    """Return decisions as a frame if the scores are a frame, else as they are."""
    is_array = isinstance(scores, np.ndarray) or sparse.issparse(scores)
    return decided if is_array or not is_frame(scores) else frame_like(scores, decided)
