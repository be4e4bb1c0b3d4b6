"""Decisions and hits of groups of rows at every stored cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.decisions import Problem
from labelwise.measures import Counts, count_matched
from labelwise.reports.desk._cells import cells_of
from labelwise.reports.desk._desk import Slicing
from labelwise.reports.desk._points import MEASURES, draws
from labelwise.reports.desk._stored_cuts import StoredCuts

# Groups of a column; the rows of rarer groups are counted together.
MOST_GROUPS = 12


class SliceCounts(NamedTuple):
    """Groups of a column: rows, positives, and what each stored cut adds to each group.

    `decided` and `hits` have the shape (n_cuts, n_groups); the sum over the cuts of a label up to
    one of them is what the group has there. `spread` has, for precision, recall and F, the factor
    by which the standard error over rows exceeds that of independent decisions. `points` has the
    decisions and hits of each group at the marked points.
    """

    name: str
    groups: list[str]
    rows: np.ndarray
    positives: np.ndarray
    decided: np.ndarray
    hits: np.ndarray
    spread: dict[str, list[float]]
    points: dict[str, tuple[list[int], ...]]


def slice_counts(
    problem: Problem,
    slicing: Slicing,
    cuts: StoredCuts,
    decided: Mapping[str, sparse.csc_array],
) -> SliceCounts:
    """Count the groups of a column at the stored cuts, and for the decisions of marked points.

    The spread is measured at the point "exact".
    """
    groups, codes = _largest(slicing)
    size = len(groups)
    n_decided, hits = _added_by_cuts(problem, cuts, codes, size)
    by_sample = {key: count_matched(problem.Y, one, "sample") for key, one in decided.items()}
    exact = by_sample["exact"]
    points = {
        key: tuple(
            _totals(part, codes, size).tolist() for part in (counts.tp + counts.fp, counts.tp)
        )
        for key, counts in by_sample.items()
    }
    return SliceCounts(
        slicing.name,
        groups,
        np.bincount(codes, minlength=size),
        _totals(exact.tp + exact.fn, codes, size),
        n_decided,
        hits,
        _spreads(exact, codes, size),
        points,
    )


def _added_by_cuts(
    problem: Problem, cuts: StoredCuts, codes: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Count the decisions and hits of each group that each stored cut adds to the one before."""
    n_decided, hits = (np.zeros((cuts.decided.size, size), dtype=np.int64) for _ in range(2))
    for cells in cells_of(problem):
        place = _places(cuts, cells.first + cells.labels, cells.scores)
        is_decided = place >= 0
        key = place * size + codes[cells.rows]
        for total, wanted in ((n_decided, is_decided), (hits, is_decided & cells.truth)):
            total += np.bincount(key[wanted], minlength=total.size).reshape(total.shape)
    return n_decided, hits


def _totals(of_rows: np.ndarray, codes: np.ndarray, size: int) -> np.ndarray:
    """Return the sum over the rows of each group."""
    return np.bincount(codes, of_rows, size).astype(np.int64)


def _largest(slicing: Slicing) -> tuple[list[str], np.ndarray]:
    """Return the names and codes of the largest groups, all others as one more."""
    sizes = np.bincount(slicing.codes, minlength=len(slicing.groups))
    order = np.argsort(-sizes, kind="stable")
    if order.size <= MOST_GROUPS:
        return list(slicing.groups), slicing.codes
    kept = np.sort(order[: MOST_GROUPS - 1])
    new = np.full(order.size, kept.size)
    new[kept] = np.arange(kept.size)
    others = f"{order.size - kept.size} smaller groups"
    return [*(slicing.groups[one] for one in kept), others], new[slicing.codes]


def _places(cuts: StoredCuts, labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the first stored cut of the label that decides each score; -1 if none does."""
    low, high = cuts.starts[labels], cuts.starts[labels + 1]
    end = high.copy()
    # Bisection in all labels at once: thresholds fall along the cuts of a label.
    while (low < high).any():
        middle = (low + high) // 2
        reached = cuts.thresholds[np.minimum(middle, end - 1)] <= scores
        going = low < high
        high = np.where(going & reached, middle, high)
        low = np.where(going & ~reached, middle + 1, low)
    return np.where(low < end, low, -1)


def _spreads(by_sample: Counts, codes: np.ndarray, size: int) -> dict[str, list[float]]:
    """Compare standard errors over rows with those of independent decisions, for each group."""
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    for group in range(size):
        part = Counts(*(cells[codes == group] for cells in by_sample))
        drawn = draws(part, 0)
        tp, fp, fn, _ = (float(np.sum(cells)) for cells in part)
        of = {"precision": (tp, fp), "recall": (tp, fn), "f": (tp, fp + fn)}
        for name, rate in MEASURES.items():
            right, wrong = of[name]
            found[name].append(_factor(rate(drawn), right, wrong))
    return found


def _factor(rates: np.ndarray, right: float, wrong: float) -> float:
    """Return the ratio of two standard errors of log-odds, at least 1."""
    if min(right, wrong) < 1 or not np.all((rates > 0) & (rates < 1)):
        return 1.0
    error = float(np.std(np.log(rates / (1 - rates))))
    return max(1.0, error / float(np.sqrt(1 / right + 1 / wrong)))
