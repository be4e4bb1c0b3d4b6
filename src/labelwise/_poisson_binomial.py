"""Distribution of the number of positives among independent labels (Poisson binomial)."""

from __future__ import annotations

import numpy as np


def counts_of_others(rates: np.ndarray) -> np.ndarray:
    """Return P(s of the labels other than j are positive) at [j, s], for independent labels.

    The labels are halved recursively: the count outside a half is the count outside the whole plus
    the count inside the other half. Nothing is subtracted, so that even the smallest values are
    accurate. The time is O(m² log m) for m labels.
    """
    n_labels = rates.size
    # Labels that are never positive change no count, and make the number of labels a power of 2.
    padded = np.zeros(1 << (n_labels - 1).bit_length())
    padded[:n_labels] = rates
    inside = [np.column_stack([1 - padded, padded])]
    while len(inside[-1]) > 1:
        inside.append(_convolve_rows(inside[-1][::2], inside[-1][1::2]))
    outside = np.ones((1, 1))
    for halves in reversed(inside[:-1]):
        other_half = halves[np.arange(len(halves)) ^ 1]
        outside = _convolve_rows(np.repeat(outside, 2, axis=0), other_half)
    return outside[:n_labels, :n_labels]


def _convolve_rows(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the distribution of the sum of two counts, row by row."""
    if first.shape[1] < second.shape[1]:
        first, second = second, first
    width = first.shape[1]
    total = np.zeros((len(first), width + second.shape[1] - 1))
    for s in range(second.shape[1]):
        total[:, s : s + width] += first * second[:, s, None]
    return total
