"""The cuts that a page stores for each label: the hull, and others at which a label is pinned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise._curves import Cuts, hulls_of
from labelwise.decisions import Problem

# Vertices of all hulls together; beyond this number the frontier is summarised.
MOST_VERTICES = 50_000
# Cuts of a label beside its hull, and of all labels together.
_MOST_BESIDE, _MOST_BESIDE_IN_ALL = 24, 25_000
# Points of the frontier in a summary, halved until few enough vertices are left.
_MOST_LEVELS = 4096


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
    on_hull = np.isin(_keys(cuts), _keys(hulls))
    n_vertices = int(on_hull.sum())
    levels = slopes = None
    if n_vertices > most:
        kept, of_kept, slopes = _summary(hulls, certificate, most)
        on_hull = np.isin(_keys(cuts), _keys(hulls)[kept])
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


def _keys(cuts: Cuts) -> np.ndarray:
    """Return a number for each cut that no other cut has: label and decisions."""
    return np.asarray(cuts.labels * (cuts.n_samples + 1) + cuts.decided)


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
    is_first = np.zeros(hulls.decided.size, dtype=bool)
    is_first[hulls.starts[:-1]] = True
    ends = np.flatnonzero(~is_first)
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
