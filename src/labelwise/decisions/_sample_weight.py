"""Weights of samples: how often each counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._validation import check_readable


def check_weights(sample_weight: Any, n_samples: int) -> np.ndarray | None:
    """Return the weight of each sample as float64; None if none are given."""
    if sample_weight is None:
        return None
    check_readable(sample_weight, "sample_weight")
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have a number for each of {n_samples} rows, "
            f"got shape {weights.shape}."
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("sample_weight must be finite, not negative, and not zero everywhere.")
    return weights


def relative_weights(sample_weight: Any, n_samples: int) -> np.ndarray | None:
    """Return weights for a weighted mean; None if none are given or all are the same."""
    weights = check_weights(sample_weight, n_samples)
    return None if weights is None or (weights == weights[0]).all() else weights
