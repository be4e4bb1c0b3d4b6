"""Decisions of highest expected F from drawn label sets, with as many draws as they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from labelwise.decisions import joint_from_samples, maximize_expected_f

# Draws at first, if their number is chosen.
_FIRST = 64

# Draws label sets of some samples: (their numbers, number of draws, number of the call) to an array
# of bool of shape (n_draws, n_samples, n_labels).
Sampler = Callable[[np.ndarray, int, int], np.ndarray]


class DrawnDecisions(NamedTuple):
    """Decided label sets with their expected F, and what else the draws of a sample tell."""

    decided: np.ndarray  # (n_samples, n_labels), int8
    value: np.ndarray  # (n_samples,)
    error: np.ndarray  # (n_samples,), standard error of the value
    proba: np.ndarray  # (n_samples, n_labels), share of draws that have the label
    n_draws: np.ndarray  # (n_samples,)


def f_of_draws(drawn: np.ndarray, decided: np.ndarray, beta: float) -> np.ndarray:
    """Return F of the decided set for each draw, of shape (n_draws, n_samples)."""
    hits = (drawn & (decided == 1)).sum(axis=2)
    total = beta**2 * drawn.sum(axis=2) + decided.sum(axis=1)
    # Two empty sets have an F of 1.
    return np.asarray((1 + beta**2) * hits / np.where(total > 0, total, 1) + (total == 0))


def decide_by_draws(
    sampler: Sampler, n_samples: int, beta: float, most: int, max_error: float | None
) -> DrawnDecisions:
    """Decide for the highest expected F of drawn label sets.

    Without `max_error`, all samples have `most` draws. With it they have 64, 128, 256, ..., at most
    `most`: the number is doubled for the samples whose expected F has a larger standard error.
    """
    rows = np.arange(n_samples)
    drawn = sampler(rows, most if max_error is None else min(_FIRST, most), 0)
    found = _decided(drawn, beta)
    if max_error is None:
        return found
    call = 0
    while True:
        unsure = found.error[rows] > max_error
        n_more = min(drawn.shape[0], most - drawn.shape[0])
        rows, drawn, call = rows[unsure], drawn[:, unsure], call + 1
        if rows.size == 0 or n_more == 0:
            return found
        drawn = np.concatenate([drawn, sampler(rows, n_more, call)])
        for array, part in zip(found, _decided(drawn, beta), strict=True):
            array[rows] = part


def _decided(drawn: np.ndarray, beta: float) -> DrawnDecisions:
    n_draws, n_samples, _ = drawn.shape
    decided, value = maximize_expected_f(*joint_from_samples(drawn), beta=beta)
    spread = f_of_draws(drawn, decided, beta).std(axis=0, ddof=min(1, n_draws - 1))
    error, counts = spread / np.sqrt(n_draws), np.full(n_samples, n_draws)
    return DrawnDecisions(decided, value, error, drawn.mean(axis=0), counts)
