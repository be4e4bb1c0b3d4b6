"""Undefined values: the rule for 0/0, and how means treat NaN."""

from __future__ import annotations

from typing import Any

import numpy as np


def ratio(numerator: Any, denominator: Any, when_empty: float) -> Any:
    """Divide, with the value `when_empty` where the denominator is 0."""
    empty = np.equal(denominator, 0)
    quotient = np.divide(numerator, np.where(empty, 1, denominator))
    return np.where(empty, when_empty, quotient)[()]


def mean(values: Any, undefined: str | float = "nan", weights: np.ndarray | None = None) -> Any:
    """Average over the last axis (with weights), with NaN treated by the policy.

    "nan": one undefined value makes the mean NaN. "skip": the mean of the defined values, NaN if
    there are none. A number replaces each undefined value.
    """
    filled, is_defined = filled_and_defined(values, undefined)
    if weights is None:
        return mean_of_sums(filled.sum(-1), is_defined.sum(-1), filled.shape[-1], undefined)
    n_defined = is_defined @ weights
    # As a sum of both, it equals n_defined exactly where nothing is undefined.
    n_all = n_defined + ~is_defined @ weights
    return mean_of_sums(filled @ weights, n_defined, n_all, undefined)


def filled_and_defined(values: Any, undefined: str | float) -> tuple[np.ndarray, np.ndarray]:
    """Replace undefined values, and return a mask of the defined values."""
    values = np.asarray(values, dtype=np.float64)
    is_defined = ~np.isnan(values)
    return np.where(is_defined, values, 0 if isinstance(undefined, str) else undefined), is_defined


def mean_of_sums(total: Any, n_defined: Any, n_all: Any, undefined: str | float) -> Any:
    """Compute the mean of `mean` from sums over `filled_and_defined`."""
    if undefined == "skip":
        return ratio(total, n_defined, np.nan)
    if undefined == "nan":
        return np.where(n_defined < n_all, np.nan, total / n_all)[()]
    return total / n_all
