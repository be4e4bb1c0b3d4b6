"""Proportions of a split, and the whole numbers of rows nearest to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._validation import is_whole

_SLACK = 1e-6


def check_proportions(proportions: Any) -> np.ndarray:
    """Return the share of each subset: positive numbers that sum to 1; k means k equal parts."""
    if is_whole(proportions):
        n_subsets = int(proportions)
        if n_subsets < 2:
            raise ValueError(f"proportions must make at least 2 subsets, got {n_subsets}.")
        return np.full(n_subsets, 1 / n_subsets)
    shares = np.asarray(proportions)
    if shares.ndim != 1 or shares.dtype.kind not in "iuf":
        raise TypeError(
            "proportions must be a whole number of subsets or a sequence of shares, "
            f"got {proportions!r}."
        )
    if shares.size < 2:
        raise ValueError(f"proportions must make at least 2 subsets, got {shares.size}.")
    if not (shares > 0).all():
        raise ValueError(f"proportions must be positive, got {shares[~(shares > 0)][0]}.")
    total = float(shares.sum())
    if abs(total - 1) > _SLACK:
        raise ValueError(f"proportions must sum to 1, got {total:.6g}.")
    checked: np.ndarray = shares / total
    return checked


def subset_sizes(n_samples: int, proportions: np.ndarray) -> np.ndarray:
    """Return whole sizes that sum to `n_samples`, as near as possible to the proportions.

    Every size is rounded down, and the remaining rows go to the largest remainders (the first
    ones among equals); no other whole sizes have a smaller sum of differences.
    """
    wanted = n_samples * proportions
    # A product such as 0.29 * 100 falls short of its whole number by rounding alone.
    sizes = np.floor(wanted + 1e-9).astype(np.int64)
    by_remainder = np.argsort(np.round(sizes - wanted, 9), kind="stable")
    sizes[by_remainder[: n_samples - sizes.sum()]] += 1
    return sizes
