"""The structured hinge loss with a penalty, minimised until a duality gap is small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.decisions._row_blocks import for_row_blocks
from labelwise.learners._structured_kernels import (
    Pairs,
    Planes,
    Rows,
    best_sets,
    row_gaps,
    visit_rows,
)

# Every so many passes all rows are visited; in between, rows in proportion to their gaps.
_FULL_PASS = 5
_GROWTH = 1.5


def pairs_of(n_labels: int, places: np.ndarray, gains: np.ndarray) -> Pairs:
    """Return gains of pairs, `places` holding the two labels of each, for kernels."""
    one, other = np.concatenate([places, places[:, ::-1]]).T
    order = np.lexsort((other, one))
    n_pairs = len(places)
    opposite = (np.arange(2 * n_pairs) + n_pairs) % max(1, 2 * n_pairs)
    return Pairs(
        indptr=np.searchsorted(one[order], np.arange(n_labels + 1)),
        others=other[order],
        gains=np.concatenate([gains, gains])[order],
        reverse=np.argsort(order)[opposite[order]],
    )


def no_pairs(n_labels: int) -> Pairs:
    """Return the gains of labels that score by themselves."""
    return pairs_of(n_labels, np.empty((0, 2), dtype=np.int64), np.empty(0))


def decide(scores: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Return the smallest of each row's label sets of the highest Σ scores + gains, as bool."""
    if pairs.others.size == 0:
        return scores > 0
    decided = np.empty(scores.shape, dtype=bool)
    for_row_blocks(lambda block: best_sets(scores[block], pairs, decided[block]), *scores.shape)
    return decided


class Problem(NamedTuple):
    """min_W λ/2 · ‖W‖² + mean_i max_y' {ℓ_F(y_i, y') + f(y', x_i)} - f(y_i, x_i).

    f(y, x) = Σ_j y_j w_j · (x, 1) + Σ gains of pairs that y holds; W has a row for each feature.
    """

    X: sparse.csr_array  # the constant feature is its last column
    Y: np.ndarray  # bool
    pairs: Pairs

    @classmethod
    def of(cls, X: Any, Y: np.ndarray, pairs: Pairs) -> Problem:
        """Return the problem for features dense or sparse."""
        ones = np.ones((X.shape[0], 1))
        joined = sparse.csr_array(sparse.hstack([sparse.csr_array(X), ones], format="csr"))
        # One layout and one kind of indices, so that kernels are built once.
        if max(joined.nnz, *joined.shape) < 2**31:
            joined.indptr = joined.indptr.astype(np.int32, copy=False)
            joined.indices = joined.indices.astype(np.int32, copy=False)
        return cls(joined, np.ascontiguousarray(Y), pairs)


class Solution(NamedTuple):
    """Weights, and the planes that prove how good they are."""

    W: np.ndarray  # (n_features + 1, n_labels)
    planes: Planes
    penalty: float
    objective: float
    gap: float  # of the objective, relative to it
    n_passes: int

    @property
    def n_planes(self) -> int:
        """Number of planes that carry weight."""
        return int(self.planes.weights.size - self.planes.unused[1])


def solve(
    problem: Problem,
    penalty: float,
    *,
    tol: float,
    max_passes: int,
    random: np.random.RandomState,
    start: Solution | None = None,
    tell_pass: Callable[[str], None] | None = None,
) -> Solution:
    """Return weights whose relative duality gap is `tol`, or what `max_passes` gave.

    A pass visits as many rows as there are. To know the gap of all of them takes one, too.
    """
    n_rows = len(problem.Y)
    W, planes = _first_point(problem, penalty, start)
    gaps = np.ones(n_rows)
    n_passes = 0
    while n_passes < max_passes:
        order = _order(gaps, n_passes, random)
        planes = _visit(problem, W, planes, order, 1 / (penalty * n_rows), gaps)
        n_passes += 1
        lower = _dual(planes, W, penalty, n_rows)
        # Gaps at the last visit are only a guess: before the end all are found for one W.
        if gaps.mean() <= tol * (lower + gaps.mean()) or n_passes >= max_passes - 1:
            _find_gaps(problem, W, planes, gaps)
            n_passes += 1
            if gaps.mean() <= tol * (lower + gaps.mean()):
                break
        if tell_pass is not None:
            tell_pass(f"penalty {penalty:g}, pass {n_passes}, gap {gaps.mean():.2g}")
    objective = lower + gaps.mean()
    relative = float(gaps.mean() / objective) if objective > 0 else 0.0
    return Solution(W, planes, penalty, float(objective), relative, n_passes)


def _first_point(
    problem: Problem, penalty: float, start: Solution | None
) -> tuple[np.ndarray, Planes]:
    """Return no weights and the truth as every row's plane, or the planes of another penalty."""
    if start is not None:
        planes = Planes(*(part.copy() for part in start.planes))
        return start.W * (start.penalty / penalty), planes
    n_rows, n_labels = problem.Y.shape
    planes = Planes(
        labels=problem.Y.copy(),
        heights=np.zeros(n_rows),
        weights=np.ones(n_rows),
        values=np.zeros(n_rows),
        following=np.full(n_rows, -1),
        first=np.arange(n_rows),
        unused=np.array([-1, 0]),
    )
    return np.zeros((problem.X.shape[1], n_labels)), _with_room(planes)


def _with_room(planes: Planes) -> Planes:
    """Return the planes with more unused ones behind them."""
    n_planes = planes.weights.size
    n_new = int((_GROWTH - 1) * n_planes) + 16
    chain = np.arange(n_planes + 1, n_planes + n_new + 1)
    chain[-1] = planes.unused[0]
    return Planes(
        labels=np.concatenate([planes.labels, np.zeros((n_new, planes.labels.shape[1]), bool)]),
        heights=np.concatenate([planes.heights, np.zeros(n_new)]),
        weights=np.concatenate([planes.weights, np.zeros(n_new)]),
        values=np.concatenate([planes.values, np.zeros(n_new)]),
        following=np.concatenate([planes.following, chain]),
        first=planes.first,
        unused=np.array([n_planes, planes.unused[1] + n_new]),
    )


def _order(gaps: np.ndarray, n_passes: int, random: np.random.RandomState) -> np.ndarray:
    """Return the rows of the next pass."""
    if n_passes % _FULL_PASS == 0 or gaps.sum() == 0:
        return random.permutation(gaps.size)
    return random.choice(gaps.size, gaps.size, p=gaps / gaps.sum())


def _visit(
    problem: Problem,
    W: np.ndarray,
    planes: Planes,
    order: np.ndarray,
    rate: float,
    gaps: np.ndarray,
) -> Planes:
    """Visit all rows of `order`, making room for planes when there is too little."""
    rows = Rows(problem.X.indptr, problem.X.indices, problem.X.data)
    while True:
        n_visited = visit_rows(rows, problem.Y, W, problem.pairs, planes, order, rate, gaps)
        order = order[n_visited:]
        if order.size == 0:
            return planes
        planes = _with_room(planes)


def _dual(planes: Planes, W: np.ndarray, penalty: float, n_rows: int) -> float:
    """Return the value of the dual, which no weights' objective is below."""
    return float(planes.weights @ planes.heights / n_rows - penalty / 2 * np.vdot(W, W))


def _find_gaps(problem: Problem, W: np.ndarray, planes: Planes, gaps: np.ndarray) -> None:
    """Find the gaps of all rows under the same weights."""

    def work(block: slice) -> None:
        scores = np.ascontiguousarray(problem.X[block] @ W)
        row_gaps(scores, problem.Y, problem.pairs, planes, block.start, gaps)

    for_row_blocks(work, len(problem.Y), problem.Y.shape[1])
