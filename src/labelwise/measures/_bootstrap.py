"""Bootstrap intervals of measures: draw the samples with replacement.

Counts and means over samples are sums over samples, so a draw only changes the weights of samples:
all draws together are products of a weight matrix with what each sample contributes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from labelwise._counts import (
    Counts,
    MeasureRecord,
    counts_of,
    draws,
    exactly_empty,
    filled_and_defined,
    mean_of_sums,
)
from labelwise._validation import Outcome


def intervals(
    outcome: Outcome,
    measures: Sequence[MeasureRecord],
    each: dict[str, np.ndarray],
    undefined: str | float,
    n_draws: int,
    confidence: float,
    random: np.random.RandomState,
) -> dict[str, tuple[float, float]]:
    """Compute the percentile interval of each measure that is a sum over samples.

    `each` has the values of each sample, for the measures that are means over samples. An interval
    is NaN if a draw had no value. Groups are drawn as a whole.
    """
    averaged = [m.name for m in measures if m.by == "sample" and m.combine_means is None]
    counted = [m.under(undefined) for m in measures if m.needs == "decided" and m.by != "sample"]
    sums = filled_and_defined(np.stack([each[name] for name in averaged]), undefined)
    cells = _cells(outcome) if counted else ()
    drawn: dict[str, list[np.ndarray]] = defaultdict(list)
    units = np.arange(outcome.Y.shape[0])
    if outcome.groups is not None:
        units = np.unique(outcome.groups, return_inverse=True)[1]
    for of_units in draws(units.max() + 1, n_draws, random):
        times = of_units if outcome.groups is None else of_units[units]
        weights = times if outcome.weights is None else times * outcome.weights[:, None]
        total, n_defined = (values @ weights for values in sums)
        means = mean_of_sums(total, n_defined, n_defined + ~sums[1] @ weights, undefined)
        for name, found in zip(averaged, means, strict=True):
            drawn[name].append(found)
        counts = _counts_of_draws(cells, times, weights) if counted else {}
        for measure in counted:
            values = measure.function(counts[measure.by])
            drawn[measure.name].append(measure.averaged(values, undefined))
    tail = (1 - confidence) / 2
    return {name: _percentiles(np.concatenate(drawn[name]), tail) for name in drawn}


def _percentiles(values: np.ndarray, tail: float) -> tuple[float, float]:
    # One NaN among the values makes both percentiles NaN.
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _cells(outcome: Outcome) -> tuple[sparse.csr_array, ...]:
    """Return hits, truth, decisions and missing cells as matrices with a row for each label."""
    Y, decided = outcome.Y, outcome.decided
    matrices = [Y.multiply(decided), Y, decided]
    matrices += [] if outcome.missing is None else [outcome.missing]
    return tuple(sparse.csr_array(matrix.T, dtype=np.float64) for matrix in matrices)


def _counts_of_draws(
    cells: tuple[sparse.csr_array, ...], draws: np.ndarray, weights: np.ndarray
) -> dict[str, Counts]:
    """Count each draw (first axis) by label, and over all labels.

    If `weights` differ from `draws`, the counts are sums of weights.
    """
    by_label = _counts_under(cells, draws)
    if weights is not draws:
        by_label = exactly_empty(_counts_under(cells, weights), by_label)
    return {"label": by_label, "all": Counts(*(c.sum(1, keepdims=True) for c in by_label))}


def _counts_under(cells: tuple[sparse.csr_array, ...], weights: np.ndarray) -> Counts:
    tp, n_positive, n_decided, *n_missing = ((matrix @ weights).T for matrix in cells)
    return counts_of(n_decided, tp, n_positive, weights.sum(axis=0)[:, None] - sum(n_missing))
