"""Solver of the penalised structured hinge loss, in the dual, until the duality gap is small."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._parallel import for_row_blocks
from labelwise.learners.structured._hinge_loss_kernels import (
    CentredRows,
    Planes,
    most_violating_sets,
    row_gaps,
    row_scores,
    visit_row,
    visit_rows,
)
from labelwise.learners.structured._min_cut_kernels import (
    PairGains,
    best_sets,
    violating_set,
    violating_sets,
)
from labelwise.learners.structured._pair_weights_kernels import (
    PairWeights,
    row_pair_gaps,
    visit_pair_row,
)

# Features with a larger share of nonzeros are centred in memory, others in products only.
_DENSE_ENOUGH = 0.25
# One pass of this many visits every sample; the others draw samples in proportion to their gaps.
_FULL_PASS = 5
_GROWTH = 1.5


def pairs_of(n_labels: int, places: np.ndarray, gains: np.ndarray) -> PairGains:
    """Arrange gains of pairs for kernels; `places` are the labels of each pair."""
    one, other = np.concatenate([places, places[:, ::-1]]).T
    order = np.lexsort((other, one))
    n_pairs = len(places)
    opposite = (np.arange(2 * n_pairs) + n_pairs) % max(1, 2 * n_pairs)
    return PairGains(
        indptr=np.searchsorted(one[order], np.arange(n_labels + 1)),
        others=other[order],
        gains=np.concatenate([gains, gains])[order],
        reverse=np.argsort(order)[opposite[order]],
    )


def decide(scores: np.ndarray, pairs: PairGains) -> np.ndarray:
    """Decide the label set of the highest Σ scores + gains; the smallest of ties."""
    if pairs.others.size == 0:
        return scores > 0
    decided = np.empty(scores.shape, dtype=bool)
    for_row_blocks(lambda block: best_sets(scores[block], pairs, decided[block]), *scores.shape)
    return decided


class HingeLossProblem(NamedTuple):
    """min_W λ/2 · ‖W‖² + mean_i max_y' {ℓ_F(y_i, y') + f(y', x_i)} - f(y_i, x_i).

    f(y, x) = Σ_j y_j w_j · (x - mean, κ) + Σ gains of pairs that are both in y, where κ² is a tenth
    of the mean of ‖x - mean‖², times the square of the intercept scaling. Adding a constant to a
    feature then changes nothing, and multiplying all features by a constant amounts to another λ.
    """

    X: sparse.csr_array
    offset: np.ndarray  # the mean of X, or 0 if the mean has been subtracted
    mean: np.ndarray
    squared_constant: float  # κ²
    Y: np.ndarray  # bool
    pairs: PairGains
    beta: float
    # Labels of each pair and its scale, if weights of pairs are learned: `pairs` has the scales.
    learned: tuple[np.ndarray, np.ndarray] | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        Y: np.ndarray,
        pairs: PairGains,
        intercept_scaling: float = 1.0,
        beta: float = 1.0,
        learned: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> HingeLossProblem:
        """Make the problem of dense or sparse features."""
        rows = sparse.csr_array(X, dtype=np.float64)
        mean = np.asarray(rows.sum(axis=0)) / X.shape[0]
        offset = mean
        if rows.nnz > _DENSE_ENOUGH * X.shape[0] * X.shape[1]:
            rows, offset = _full_rows(rows.toarray() - mean), np.zeros_like(mean)
        # One layout and one type of indices, so that kernels are compiled once.
        if max(rows.nnz, *rows.shape) < 2**31:
            rows.indptr = rows.indptr.astype(np.int32, copy=False)
            rows.indices = rows.indices.astype(np.int32, copy=False)
        spread = float(_squares(rows, offset).mean())
        constant = intercept_scaling**2 * (spread / 10 or 1.0)
        return cls(rows, offset, mean, constant, np.ascontiguousarray(Y), pairs, beta, learned)

    def pairs_at(self, free: np.ndarray) -> PairGains:
        """Return the pairs with the gains at learned weights; fixed gains stay as they are."""
        if self.learned is None:
            return self.pairs
        places, scales = self.learned
        return pairs_of(self.Y.shape[1], places, scales * np.maximum(free, 0.0))

    def rows(self) -> CentredRows:
        """Arrange the samples for kernels."""
        along = self.X @ self.offset
        return CentredRows(
            indptr=self.X.indptr,
            indices=self.X.indices,
            values=self.X.data,
            along=along,
            lift=self.squared_constant - along + self.offset @ self.offset,
            squares=self.squared_constant + _squares(self.X, self.offset),
        )

    def scores(self, W: np.ndarray, block: slice) -> np.ndarray:
        """Score some samples; the last row of W contains the intercepts."""
        return np.ascontiguousarray(self.X[block] @ W[:-1] + W[-1])

    def squared_norm(self, W: np.ndarray) -> float:
        """Return the squared norm of the weights, without the penalty λ/2."""
        central = W[-1] + self.offset @ W[:-1]
        return float(np.vdot(W[:-1], W[:-1]) + central @ central / self.squared_constant)

    def coefficients(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return weights (n_features, n_labels) and intercepts for uncentred X."""
        return W[:-1], W[-1] + (self.offset - self.mean) @ W[:-1]


def _full_rows(X: np.ndarray) -> sparse.csr_array:
    """Store a dense matrix as CSR, with its zeros."""
    indptr = np.arange(X.shape[0] + 1) * X.shape[1]
    indices = np.tile(np.arange(X.shape[1]), X.shape[0])
    return sparse.csr_array((X.ravel(), indices, indptr), shape=X.shape)


def _squares(X: sparse.csr_array, offset: np.ndarray) -> np.ndarray:
    """Return ‖x - offset‖² of each row."""
    squares = np.asarray(X.multiply(X).sum(axis=1)) - 2 * (X @ offset) + offset @ offset
    return np.asarray(np.maximum(squares, 0.0))


class Solution(NamedTuple):
    """Weights, and the planes (dual variables) that bound their gap."""

    W: np.ndarray  # (n_features + 1, n_labels)
    planes: Planes
    penalty: float
    objective: float
    gap: float  # duality gap, relative to the objective
    n_passes: int
    free: np.ndarray  # learned weights of pairs, of which negative ones count as 0; none if fixed

    @property
    def n_planes(self) -> int:
        """Number of planes that carry weight."""
        return int(self.planes.weights.size - self.planes.unused[1])


def solve(
    problem: HingeLossProblem,
    penalty: float,
    *,
    tol: float,
    max_passes: int,
    random: np.random.RandomState,
    start: Solution | None = None,
    report: Callable[[str], None] | None = None,
) -> Solution:
    """Minimise until the relative duality gap is `tol`, or for `max_passes`.

    A pass visits as many samples as there are. Computing the gap of all samples at the same weights
    counts as a pass.
    """
    n_rows = len(problem.Y)
    W, planes, free = _first_point(problem, penalty, start)
    gaps = np.ones(n_rows)
    n_passes = 0
    while n_passes < max_passes:
        order = _order(gaps, n_passes, random)
        planes = _visit(problem, W, planes, free, order, 1 / (penalty * n_rows), gaps)
        n_passes += 1
        squares = problem.squared_norm(W) + float(np.square(np.maximum(free, 0.0)).sum())
        lower = planes.weights @ planes.heights / n_rows - penalty / 2 * squares
        # Each gap was measured at the W of its last visit; the end needs all gaps at the same W.
        if gaps.mean() <= tol * (lower + gaps.mean()) or n_passes >= max_passes - 1:
            _find_gaps(problem, W, planes, free, gaps)
            n_passes += 1
            if gaps.mean() <= tol * (lower + gaps.mean()):
                break
        if report is not None:
            report(f"penalty {penalty:g}, pass {n_passes}, gap {gaps.mean():.2g}")
    objective = lower + gaps.mean()
    relative = float(gaps.mean() / objective) if objective > 0 else 0.0
    return Solution(W, planes, penalty, float(objective), relative, n_passes, free)


def _first_point(
    problem: HingeLossProblem, penalty: float, start: Solution | None
) -> tuple[np.ndarray, Planes, np.ndarray]:
    """Start from zero weights, or from the planes of another penalty.

    With zero weights, the plane of each sample is that of its true labels.
    """
    if start is not None:
        planes = Planes(*(part.copy() for part in start.planes))
        return start.W * (start.penalty / penalty), planes, start.free * (start.penalty / penalty)
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
    free = np.zeros(0 if problem.learned is None else problem.learned[1].size)
    return np.zeros((problem.X.shape[1] + 1, n_labels)), _with_room(planes), free


def _with_room(planes: Planes) -> Planes:
    """Append unused planes."""
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
    """List the samples of the next pass."""
    if n_passes % _FULL_PASS == 0 or gaps.sum() == 0:
        return random.permutation(gaps.size)
    return random.choice(gaps.size, gaps.size, p=gaps / gaps.sum())


def _visit(
    problem: HingeLossProblem,
    W: np.ndarray,
    planes: Planes,
    free: np.ndarray,
    order: np.ndarray,
    rate: float,
    gaps: np.ndarray,
) -> Planes:
    """Visit the samples of `order`, appending unused planes when they run out."""
    rows = problem.rows()
    drifting = np.vstack([W, np.zeros(W.shape[1])])
    visit = visit_rows
    if problem.pairs.others.size > 0:
        learned = None if problem.learned is None else PairWeights(*problem.learned, free)
        visit = partial(_visit_by_cuts, problem, learned)
    while True:
        n_visited = visit(rows, problem.Y, problem.beta**2, drifting, planes, order, rate, gaps)
        order = order[n_visited:]
        if order.size == 0:
            break
        planes = _with_room(planes)
    W[:] = drifting[:-1]
    W[:-1] -= np.outer(problem.offset, drifting[-1])
    return planes


def _visit_by_cuts(
    problem: HingeLossProblem,
    learned: PairWeights | None,
    rows: CentredRows,
    Y: np.ndarray,
    weight: float,
    W: np.ndarray,
    planes: Planes,
    order: np.ndarray,
    rate: float,
    gaps: np.ndarray,
) -> int:
    """Visit samples of a model with pairs, as `visit_rows` does without.

    Minimum cuts take nearly all of the time, so that this loop needs no kernel.
    """
    found = np.empty(Y.shape[1], dtype=bool)
    pairs = problem.pairs
    for place, i in enumerate(order):
        if planes.unused[1] == 0:
            return place
        if learned is not None:
            pairs = problem.pairs_at(learned.free)
        height = violating_set(row_scores(rows, W, i), Y[i], weight, pairs, found)
        if learned is None:
            gaps[i] = visit_row(rows, W, planes, i, found, height, rate)
        else:
            gaps[i] = visit_pair_row(rows, W, planes, i, Y[i], found, weight, rate, learned)
    return order.size


def _find_gaps(
    problem: HingeLossProblem, W: np.ndarray, planes: Planes, free: np.ndarray, gaps: np.ndarray
) -> None:
    """Compute the gaps of all samples at the same weights."""
    pairs, weight = problem.pairs_at(free), problem.beta**2

    def work(block: slice) -> None:
        scores, truths = problem.scores(W, block), problem.Y[block]
        found, heights = np.empty(truths.shape, dtype=bool), np.empty(len(truths))
        if pairs.others.size == 0:
            most_violating_sets(scores, truths, weight, found, heights)
        else:
            violating_sets(scores, truths, weight, pairs, found, heights)
        if problem.learned is None or pairs.others.size == 0:
            row_gaps(scores, found, heights, planes, block.start, gaps)
        else:
            own = PairWeights(*problem.learned, free)
            row_pair_gaps(scores, truths, found, heights, planes, own, block.start, gaps)

    for_row_blocks(work, *problem.Y.shape)
