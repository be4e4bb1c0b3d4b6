"""The cuts that a page stores for each label, and the counts of groups of samples at each of them.

Stored are the vertices of the hull, by which the page computes the frontier, and other cuts at
which a label can be pinned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._curves import Cuts, hulls_of
from labelwise._text import printable
from labelwise._tuning import Problem
from labelwise.measures import Counts
from labelwise.reports.desk._cells import cells_of
from labelwise.reports.desk._desk import Slicing
from labelwise.reports.desk._points import MEASURES, counts_by_sample, draws

# Vertices of all hulls together; beyond this number the frontier is summarised.
MOST_VERTICES = 50_000
# Cuts of a label beside its hull, and of all labels together.
_MOST_BESIDE, _MOST_BESIDE_IN_ALL = 24, 25_000
# Points of the frontier in a summary, halved until few enough vertices are left.
_MOST_LEVELS = 4096
# Groups of a column; the samples of rarer groups are counted together.
MOST_GROUPS = 12


class StoredCuts(NamedTuple):
    """Cuts of label j at ``starts[j]`` to ``starts[j + 1] - 1``, in the order of rising decisions.

    `levels` is None if every vertex of every hull is stored. Otherwise it has, for each cut of a
    hull, the number of the stored point of the frontier at which the label arrives there, and
    `slopes` the slope of the last edge before each of these points.
    """

    starts: np.ndarray
    decided: np.ndarray
    hits: np.ndarray
    thresholds: np.ndarray
    is_hull: np.ndarray
    n_vertices: int  # of all hulls, stored or not
    levels: np.ndarray | None = None
    slopes: np.ndarray | None = None

    @property
    def labels(self) -> np.ndarray:
        """Label of each cut."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))


def stored_cuts(
    problem: Problem, certificate: float | None, most: int = MOST_VERTICES
) -> StoredCuts:
    """Choose the cuts to store: all hulls if they have at most `most` vertices, and some beside.

    If the hulls have more vertices, only some points of the micro frontier are kept: every label
    keeps the vertices at which it is at one of these points. Each kept point lies on the exact
    frontier with its exact counts, and the point of the certificate is among them.
    """
    cuts = problem.cuts_of_all()
    hulls = hulls_of(cuts)
    total = problem.total_weight
    on_hull = np.isin(_keys(cuts, total), _keys(hulls, total))
    n_vertices = int(on_hull.sum())
    levels = slopes = None
    if n_vertices > most:
        kept, of_kept, slopes = _summary(hulls, certificate, most)
        on_hull = np.isin(_keys(cuts, total), _keys(hulls, total)[kept])
        levels = np.full(on_hull.size, -1)
        levels[on_hull] = of_kept
    chosen = on_hull | _spread(cuts, min(_MOST_BESIDE_IN_ALL, most // 2))
    counts = np.add.reduceat(chosen, cuts.starts[:-1], dtype=np.int64)
    return StoredCuts(
        np.concatenate(([0], np.cumsum(counts))),
        cuts.decided[chosen],
        cuts.hits[chosen],
        cuts.thresholds[chosen],
        on_hull[chosen],
        n_vertices,
        None if levels is None else levels[chosen],
        slopes,
    )


def _keys(cuts: Cuts, total: int) -> np.ndarray:
    """Return a number for each cut that no other cut has: label and decisions, at most `total`."""
    return np.asarray(cuts.labels * (total + 1) + cuts.decided)


def _spread(cuts: Cuts, most_in_all: int) -> np.ndarray:
    """Select some cuts of each label, evenly spread over its list, with the first and the last."""
    sizes = np.diff(cuts.starts)
    most = int(min(_MOST_BESIDE, most_in_all // sizes.size))
    if most < 2:
        return np.zeros(cuts.decided.size, dtype=bool)
    place = np.arange(cuts.decided.size) - np.repeat(cuts.starts[:-1], sizes)
    size = np.repeat(sizes, sizes)
    bucket = place * most // size
    is_new = np.diff(bucket, prepend=-1) != 0
    return np.asarray(is_new | (place == 0) | (place == size - 1))


def _summary(
    hulls: Cuts, certificate: float | None, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which vertices are kept, the point of each, and the slope before each point.

    Point 0 is the one without decisions, where every label has its first vertex.
    """
    ends = hulls.edge_ends
    rise, run = np.diff(hulls.hits)[ends - 1], np.diff(hulls.decided)[ends - 1]
    slopes = rise / run
    in_order = np.sort(slopes)[::-1]
    n_levels = _MOST_LEVELS
    while True:
        places = np.linspace(0, in_order.size - 1, n_levels).round().astype(np.intp)
        last = in_order[places]
        if certificate is not None and (in_order > certificate).any():
            last = np.append(last, in_order[in_order > certificate].min())
        last = np.unique(last)[::-1]
        # An edge belongs to the first point whose last slope is not above its own.
        level = np.zeros(hulls.decided.size, dtype=np.int64)
        level[ends] = 1 + np.searchsorted(-last, -slopes, side="left")
        is_kept = np.append(np.diff(level) != 0, True)
        is_kept[hulls.starts[1:] - 1] = True
        is_kept[hulls.starts[:-1]] = True
        if is_kept.sum() <= most or n_levels <= 2:
            return is_kept, level[is_kept], np.concatenate(([np.inf], last))
        n_levels //= 2


def slice_counts(
    problem: Problem,
    slicing: Slicing,
    cuts: StoredCuts,
    decided: Mapping[str, sparse.csc_array],
) -> dict[str, Any]:
    """Count the groups of a column at the stored cuts, and for the decisions of marked points.

    `decided` and `hits` are what each stored cut adds to each group, of shape (n_cuts, n_groups);
    the sum over the cuts of a label up to one of them is what the group has there. `spread` has,
    for precision, recall and F, the factor by which the standard error over samples exceeds that of
    independent decisions, at the point "exact". `points` has the decisions and hits of each group
    at the marked points.
    """
    groups, codes = _largest(slicing)
    size = len(groups)
    n_decided, hits = _added_by_cuts(problem, cuts, codes, size)
    by_sample = {key: counts_by_sample(problem, one) for key, one in decided.items()}
    exact = by_sample["exact"]
    points = {
        key: tuple(
            _totals(part, codes, size).tolist() for part in (counts.tp + counts.fp, counts.tp)
        )
        for key, counts in by_sample.items()
    }
    return {
        "name": printable(slicing.name),
        "groups": list(map(printable, groups)),
        "rows": _totals(problem.everyone, codes, size).tolist(),
        "positives": _totals(exact.tp + exact.fn, codes, size).tolist(),
        "decided": n_decided,
        "hits": hits,
        "spread": _spreads(exact, problem.groups, codes, size),
        "points": points,
    }


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
            weights = problem.everyone[cells.rows[wanted]]
            counted = np.bincount(key[wanted], weights, total.size).reshape(total.shape)
            total += counted.astype(np.int64)
    return n_decided, hits


def _totals(of_rows: np.ndarray, codes: np.ndarray, size: int) -> np.ndarray:
    """Return the sum over the samples of each group."""
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


def _spreads(
    by_sample: Counts, units: np.ndarray | None, codes: np.ndarray, size: int
) -> dict[str, list[float]]:
    """Compare standard errors over samples with those of independent decisions, for each group.

    Samples of a unit are drawn together.
    """
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    for group in range(size):
        here = codes == group
        part = Counts(*(cells[here] for cells in by_sample))
        drawn = draws(part, None if units is None else units[here], 0)
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
