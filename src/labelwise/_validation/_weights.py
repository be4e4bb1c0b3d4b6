"""Check weights of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._validation._arrays import as_dense


def check_weights(sample_weight: Any, n_samples: int) -> np.ndarray:
    """Return weights as float64: finite, not negative, and not all zero."""
    weights = as_dense(sample_weight, "sample_weight")
    if weights.dtype.kind not in "biuf":
        raise TypeError(f"sample_weight must contain numbers, got {weights.dtype}.")
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have a number for each of {n_samples} rows, "
            f"got shape {weights.shape}."
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("sample_weight must be finite, not negative, and not zero everywhere.")
    return weights.astype(np.float64)


def relative_weights(sample_weight: Any, n_samples: int) -> np.ndarray | None:
    """Return weights for a weighted mean; None if none are given or all are the same."""
    if sample_weight is None:
        return None
    weights = check_weights(sample_weight, n_samples)
    return None if (weights == weights[0]).all() else weights
