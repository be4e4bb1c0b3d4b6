"""Confidence intervals of the value on new samples, and spreads of the thresholds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._counts import Counts
from labelwise._tuning.objectives._choice import Choice
from labelwise._tuning.problem._problem import Problem, random_folds

N_REPEATS = 4
LEAST_UNITS = 20
# In simulations of 100 rows the draws spread a tenth less than the errors that they stand for, and
# from 300 rows on no less: percentiles are taken sqrt(1 + 30 / rows) times as far out.
_SMALL_SAMPLE = 30
# Number of weights in memory at a time.
_BLOCK = 2**21
# Number of thresholds whose draws are sorted at a time.
_TOGETHER = 2**14


class Bounds(NamedTuple):
    """The interval of the value, or None, and the spread of each threshold in two rows."""

    value: tuple[float, float] | None
    thresholds: np.ndarray


class Retuning(NamedTuple):
    """How to tune again and to compute values, how many draws, and the random state."""

    under: Callable[[np.ndarray], Choice]  # tunes under weights of the rows
    on_rows: Callable[[np.ndarray], Choice]  # tunes on some rows, and chooses amounts again
    value: Callable[[Counts], np.ndarray]  # value of each draw from counts (n_draws, n_labels)
    n_draws: int
    confidence: float
    random: np.random.RandomState


def bootstrap(problem: Problem, retuning: Retuning, counts_empty: bool) -> Bounds:
    """Return a confidence interval of the value on new samples, and the spread of each threshold.

    The cross-validated value differs from the value that the thresholds have on new samples for two
    reasons: it is measured on a random sample of rows, and the thresholds were tuned on a random
    sample. The interval adds independent draws of both deviations. The first draws are values of
    cross-fitted decisions (each row decided by thresholds of other folds) under random weights of
    the rows. The second are values on all rows of thresholds that were tuned on rows drawn with
    replacement, less their mean.

    With `counts_empty`, labels without positives count in the value, as in a macro average. New
    rows may have positives of such a label, with an unknown value, so that no interval is returned.
    """
    thresholds = _drawn_thresholds(problem, retuning)
    spread = _percentiles(thresholds, retuning.confidence)
    reason = _why_not(problem, counts_empty)
    if reason:
        warnings.warn(f"No interval of the value is given: {reason}.", stacklevel=4)
        return Bounds(None, spread)
    # One draw at a time: the counts of all draws would take four times the memory of thresholds.
    retuned = np.concatenate(
        [retuning.value(_stacked([problem.counts(drawn)])) for drawn in thresholds]
    )
    measured = _cross_fitted_values(problem, retuning)
    values = measured + (retuned - retuned.mean())
    if np.isnan(values).any():
        warnings.warn("No interval of the value is given: a draw has no value.", stacklevel=4)
        return Bounds(None, spread)
    low, high = _percentiles(values, _widened(retuning.confidence, problem.n_units))
    # A sum of two deviations can lie outside the range of the measure, where no value can be.
    possible = np.append(measured, _values_of_right_and_wrong(problem, retuning))
    low, high = np.clip((low, high), np.nanmin(possible), np.nanmax(possible))
    return Bounds((float(low), float(high)), spread)


def _values_of_right_and_wrong(problem: Problem, retuning: Retuning) -> np.ndarray:
    """Return the values of decisions that are all right, and of those that are all wrong."""
    positives = problem.support.astype(np.float64)
    negatives, none = problem.n_counted - positives, np.zeros_like(positives)
    right = Counts(positives, none, none, negatives)
    return retuning.value(_stacked([right, Counts(none, negatives, positives, none)]))


def _widened(confidence: float, n_units: int) -> float:
    """Return the confidence whose normal quantile is larger by the factor for small samples."""
    # scipy.special is slow to import, and most thresholds are tuned without intervals.
    from scipy.special import ndtr, ndtri

    outer = ndtri((1 - confidence) / 2) * np.sqrt(1 + _SMALL_SAMPLE / n_units)
    return float(1 - 2 * ndtr(outer))


def _why_not(problem: Problem, counts_empty: bool) -> str:
    if problem.n_units < LEAST_UNITS:
        kind = "rows" if problem.groups is None else "groups"
        return f"it needs at least {LEAST_UNITS} {kind}, got {problem.n_units}"
    if counts_empty and not problem.support.all():
        return "a macro average needs positives of every label to say what new samples will show"
    return ""


def _drawn_thresholds(problem: Problem, retuning: Retuning) -> np.ndarray:
    """Return thresholds tuned on units drawn with replacement, one row per draw."""
    drawn = np.empty((retuning.n_draws, problem.n_labels))
    for number in range(retuning.n_draws):
        taken = retuning.random.randint(problem.n_units, size=problem.n_units)
        times = np.bincount(taken, minlength=problem.n_units)
        times = times if problem.groups is None else times[problem.groups]
        drawn[number] = retuning.under(problem.everyone * times).thresholds
    return drawn


def _cross_fitted_values(problem: Problem, retuning: Retuning) -> np.ndarray:
    """Return the value of cross-fitted decisions for each draw of random weights of the units.

    The weights are exponential, as in D. B. Rubin, "The Bayesian Bootstrap", 1981. Unlike draws
    with replacement, they leave no label without positives.
    """
    decided = _cross_fitted(problem, retuning)
    truth = sparse.csr_array(problem.Y, dtype=np.float64)
    gaps = problem.missing if problem.missing is not None else sparse.csc_array(truth.shape)
    matrices = decided.multiply(truth), truth, decided, gaps.astype(np.float64)
    slicing = problem.slicing
    cells = [sparse.csr_array(part.T) for part in matrices]
    values = []
    for n_draws in _block_sizes(retuning.n_draws, problem.n_samples):
        drawn = retuning.random.standard_exponential((n_draws, problem.n_units))
        weights = drawn if problem.groups is None else drawn[:, problem.groups]
        weights = weights * problem.everyone
        weights = weights.T * (problem.total_weight / weights.sum(axis=1))
        tp, n_positive, n_decided, n_missing = ((part @ weights).T for part in cells)
        fp, fn = np.maximum(n_decided - tp, 0.0), np.maximum(n_positive - tp, 0.0)
        n_counted: Any = problem.total_weight
        if slicing is not None:
            is_of_slice = slicing.of_row == np.arange(problem.n_slices)[:, None]
            n_counted = (is_of_slice @ weights)[slicing.of_column].T
        tn = np.maximum(n_counted - n_missing - tp - fp - fn, 0.0)
        values.append(retuning.value(Counts(tp, fp, fn, tn)))
    return np.concatenate(values)


def _block_sizes(n_draws: int, n_samples: int) -> list[int]:
    """Return the number of draws of each block that fits into memory."""
    most = max(1, _BLOCK // n_samples)
    return [min(most, n_draws - first) for first in range(0, n_draws, most)]


def _cross_fitted(problem: Problem, retuning: Retuning) -> sparse.csr_array:
    """Return the share of repeats in which thresholds of other folds decide each cell."""
    total = sparse.csr_array(problem.Y.shape, dtype=np.float64)
    for _ in range(N_REPEATS):
        fold = random_folds(problem, retuning.random)
        others = (np.flatnonzero(fold != number) for number in range(fold.max() + 1))
        thresholds = np.stack([retuning.on_rows(rows).thresholds for rows in others])
        total = total + _decisions(problem.scores, thresholds, fold)
    return total / N_REPEATS


def _decisions(scores: Any, thresholds: np.ndarray, fold: np.ndarray) -> sparse.csr_array:
    """Return 1 where a score is at least the threshold of its label for the fold of its row."""
    if not sparse.issparse(scores):
        return sparse.csr_array((scores >= thresholds[fold]).astype(np.float64))
    stored = sparse.csr_array(scores)
    rows = np.repeat(fold, np.diff(stored.indptr))
    reached = stored.data >= thresholds[rows, stored.indices]
    cells = (reached.astype(np.float64), stored.indices, stored.indptr)
    return sparse.csr_array(cells, shape=stored.shape)


def _stacked(found: Sequence[Counts]) -> Counts:
    """Return counts of shape (n_draws, n_labels)."""
    return Counts(*(np.stack(cells) for cells in zip(*found, strict=True)))


def _percentiles(drawn: np.ndarray, confidence: float) -> np.ndarray:
    """Return the order statistics that enclose the middle share; infinities are not averaged."""
    tail = (1 - confidence) / 2
    last = drawn.shape[0] - 1
    # 0.1 times 20 must give 2, even if 1 - 0.8 is rounded down.
    low = int(np.floor(tail * last + 1e-9))
    columns = drawn.reshape(last + 1, -1)
    parts = [
        np.sort(columns[:, first : first + _TOGETHER], axis=0)[[low, last - low]]
        for first in range(0, columns.shape[1], _TOGETHER)
    ]
    return np.concatenate(parts, axis=1).reshape(2, *drawn.shape[1:])
