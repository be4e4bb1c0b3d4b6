"""Weights of samples whose sums have no rounding error."""

from __future__ import annotations

import numpy as np

# Products of two sums of integer weights must be below 2**63.
_MOST_WHOLE = 2**31
# Products of two sums of float weights must neither overflow nor underflow.
_LEAST_SUM, _MOST_SUM = 1e-100, 1e100


def exact_weights(weights: np.ndarray, n_labels: int) -> np.ndarray:
    """Return weights of which every sum is exact, whatever the order of its terms.

    Whole numbers become int64, so that they count as repeated samples do. Other weights are rounded
    to multiples of the power of 2 for which the sum over all samples and labels has 53 bits. This
    changes a weight by no more than adding it to that sum as a float would. Exact sums give counts
    that are never negative, and 0 where nothing is counted.

    Parameters
    ----------
    weights : ndarray of float64 of shape (n_samples,)
        Weights by `check_weights`: finite, not negative and not all 0.
    n_labels : int
        Number of labels.

    Returns
    -------
    ndarray of int64 or float64 of shape (n_samples,)
        The weights; those that are too small to change a sum are 0.

    Raises
    ------
    ValueError
        If the sum of the weights is so large or small that products of sums are not finite or 0.
    """
    total = float(weights.sum()) * n_labels
    if not _LEAST_SUM < total < _MOST_SUM:
        raise ValueError(
            f"sample_weight must have a sum between {_LEAST_SUM} and {_MOST_SUM} over all labels, "
            f"got {total:.6g}."
        )
    if total < _MOST_WHOLE and (weights == np.floor(weights)).all():
        return weights.astype(np.int64)
    unit = 2.0 ** (np.frexp(total)[1] - 53)
    return np.asarray(np.round(weights / unit) * unit)
