"""Holm's adjustment of the p values of several tests."""

from __future__ import annotations

from typing import Any

import numpy as np


def holm_adjusted(p_values: Any) -> np.ndarray:
    """Adjust p values of several tests by Holm's method.

    If all tests with an adjusted p value below alpha are rejected, the probability of any false
    rejection is at most alpha.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        The p values of the tests, from 0 to 1.

    Returns
    -------
    array of shape (n_tests,)
        The adjusted p values, at most 1, in the order of `p_values`.

    Raises
    ------
    ValueError
        If `p_values` is not one-dimensional, or a number is not from 0 to 1.

    Notes
    -----
    The i-th smallest of m p values is multiplied by m + 1 - i; an adjusted value is at least as
    large as those of smaller p values.

    References
    ----------
    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6, 1979.

    Examples
    --------
    >>> from labelwise.experiments import holm_adjusted
    >>> holm_adjusted([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p_values must be a 1-D array of numbers from 0 to 1.")
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty(values.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
