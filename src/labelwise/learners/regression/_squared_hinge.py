"""Linear support vector machines of many labels: mean squared hinge loss on one design."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.learners.regression._design import Design, SparseRows, product
from labelwise.learners.regression._log_loss import Tasks

# Part of the mean squared norm of rows that weighs the constraint of the intercept.
_OF_NORMS = 0.01
# Newton's steps of a label.
_MOST_STEPS = 100
# Random numbers of the orders of samples; fixed, so that the same data give the same result.
_NUMBERS = np.random.RandomState(0).randint(2**31 - 1, size=2**14).astype(np.int64)


class HingePoint(NamedTuple):
    """Weights of all labels, and the dual variables that they were found from."""

    # (n_coordinates + 1, n_labels), intercepts last; the weights of a label are close in memory
    W: np.ndarray
    dual: np.ndarray | None  # (n_labels, n_samples); None if the weights are near an optimum


class MeanSquaredHinge:
    """Mean of max(0, 1 - y m)² of each label on one design, y = ±1, with margins m = w·u + b."""

    def __init__(
        self, design: Design, tasks: Tasks, sample_weight: np.ndarray | None = None
    ) -> None:
        self.design = design
        self.targets = tasks.targets
        n_samples = design.rows.shape[0]
        self.weights = np.ones(n_samples) if sample_weight is None else sample_weight
        self.total = float(self.weights.sum())

    # Factors of the features, of shape (n_labels, n_coordinates); None if they are 1.
    factors: np.ndarray | None = None

    def rows_of(self, label: int) -> SparseRows:  # noqa: ARG002
        """Return the samples, with the features that the machine of a label sees."""
        return self.design.sparse_rows

    def start(self) -> HingePoint:
        """Return the optimum of intercepts without weights."""
        n_samples, n_labels = self.targets.shape
        W = np.zeros((self.design.variance.size, n_labels), order="F")
        W[-1] = 2 * (self.weights @ self.targets) / self.total - 1
        return HingePoint(W, np.zeros((n_labels, n_samples)))

    def signs(self, label: int) -> np.ndarray:
        """Return 1 for the samples that have a label, and -1 for the others."""
        signs = np.full(self.targets.shape[0], -1.0)
        signs[self.targets.indices[slice(*self.targets.indptr[label : label + 2])]] = 1.0
        return signs

    def loss(self, W: np.ndarray, tasks: np.ndarray) -> np.ndarray:
        """Sum the loss of some labels over samples; W has columns of all labels."""
        margins = self.margins(W[:, tasks])
        signs = np.column_stack([self.signs(j) for j in tasks])
        return np.asarray(self.weights @ np.maximum(0, 1 - signs * margins) ** 2)

    def margins(self, W: np.ndarray) -> np.ndarray:
        """Compute the linear scores of all samples; W has columns of any labels."""
        return product(self.design.rows, self.design.of_rows(W))

    def restart(self, W: np.ndarray) -> HingePoint:
        """Return a start near the optimum, from the optimum of these and other samples."""
        W = W.copy(order="F")
        shares = self.weights @ self.targets / self.total
        # A label of one class needs no weights, and steps would never reach a loss of 0.
        is_constant = (shares == 0) | (shares == 1)
        W[:, is_constant] = 0.0
        W[-1, is_constant] = 2 * shares[is_constant] - 1
        return HingePoint(W, None)

    def products(self, W: np.ndarray, bias: np.ndarray | float, tasks: np.ndarray) -> np.ndarray:
        """Multiply samples by the weights (n_tasks, n_coordinates) of labels, add intercepts."""
        from labelwise.learners.regression._squared_hinge_kernels import LANES, multiply

        # Copied if columns were left out, so that the kernel is compiled for one layout.
        W = np.ascontiguousarray(W) if self.factors is None else W * self.factors[tasks]
        products = np.empty((len(W), self.targets.shape[0]))
        n_features, n_samples = W.shape[1], products.shape[1]
        work = np.zeros((n_features, LANES)), np.empty((n_samples, LANES)), np.empty(LANES)
        multiply(self.design.sparse_rows.matrix, W, products, *work)
        products += np.reshape(bias, (-1, 1))
        return products


class NaiveBayesHinge(MeanSquaredHinge):
    """Mean squared hinge loss on features that are multiplied by naive Bayes log-ratios.

    The factor of feature f for a label is log(p_f / q_f), where p_f and q_f are the shares of the
    feature in the sums of all features over the samples with and without the label, with 1 added
    to each sum. The factors of a label are then divided by one number, so that the mean squared
    norm of the samples does not change. They are those of the samples of the objective: of the
    training samples of a fold, for its machines.
    """

    @cached_property
    def factors(self) -> np.ndarray:  # type: ignore[override]
        """Factors of the features, of shape (n_labels, n_coordinates)."""
        rows = sparse.csr_array(self.design.rows)[:, :-1]
        # With weights of 1 on average, smoothing does not depend on their scale.
        weights = self.weights * (self.weights.size / self.total)
        having = (rows.T @ self.targets.multiply(weights[:, None])).toarray().T
        lacking = np.maximum(rows.T @ weights - having, 0.0)
        shares = [(1 + sums) / (1 + sums).sum(axis=1, keepdims=True) for sums in (having, lacking)]
        ratios = np.log(shares[0] / shares[1])
        squares = self._squares.T @ weights
        norms = ratios**2 @ squares
        return np.asarray(
            ratios * np.sqrt(squares.sum() / np.where(norms > 0, norms, 1.0))[:, None]
        )

    @cached_property
    def _squares(self) -> Any:
        rows = sparse.csr_array(self.design.rows)[:, :-1]
        return rows.multiply(rows).tocsr()

    def rows_of(self, label: int) -> SparseRows:
        """Return the samples, with the features multiplied by the factors of a label."""
        indptr, indices, data = self.design.sparse_rows.matrix
        factors = self.factors[label]
        return SparseRows((indptr, indices, data * factors[indices]), self._squares @ factors**2)


class _Machines(NamedTuple):
    """Linear machines of some labels."""

    signs: np.ndarray  # (n_labels, n_samples)
    ridge: np.ndarray  # (n_labels,), weight of ‖w‖² beside the sum of losses
    W: np.ndarray  # (n_labels, n_coordinates)
    bias: np.ndarray  # (n_labels,)

    def take(self, label: int) -> tuple[np.ndarray, float, np.ndarray]:
        """Return the signs, the ridge and the weights of a label."""
        return self.signs[label], self.ridge[label], self.W[label]


def minimize_hinge(
    objective: MeanSquaredHinge,
    start: HingePoint,
    penalty: np.ndarray,
    tolerance: float,
    tasks: np.ndarray | None = None,
    _beyond: None = None,
) -> tuple[HingePoint, int]:
    """Minimise the penalised loss of labels; also count those not converged.

    Dual coordinate descent finds which samples are within the margin, label by label, unless the
    weights of `start` do. Newton's steps on these samples finish; the steps of all labels share one
    product with X. A label has converged when its step predicts a decrease of less than `tolerance`
    times its value. The dual variables of `start` are changed in place.
    """
    tasks = np.arange(penalty.size) if tasks is None else tasks
    W, centre = start.W.T[tasks], objective.design.centre
    signs = np.array([objective.signs(j) for j in tasks.tolist()])
    shift = 0.0 if centre is None else W[:, :-1] @ centre
    ridge = objective.total * penalty[tasks] / 2
    machines = _Machines(signs, ridge, W[:, :-1], W[:, -1] - shift)
    dual = start.dual
    if dual is not None:
        for k, j in enumerate(tasks.tolist()):
            rows = objective.rows_of(j)
            machines.bias[k] = _descend(objective.weights, rows, machines, k, dual[j])
    elif objective.factors is not None:
        factors = objective.factors[tasks]
        np.divide(machines.W, factors, out=machines.W, where=factors != 0)
    n_left = _take_newton_steps(objective, machines, tasks, tolerance)
    if objective.factors is not None:
        machines.W[:] *= objective.factors[tasks]
    W[:, -1] = machines.bias
    if centre is not None:
        W[:, -1] += machines.W @ centre
    if tasks.size == start.W.shape[1]:
        return HingePoint(W.T, dual), n_left
    found = start.W.copy(order="F")
    found[:, tasks] = W.T
    return HingePoint(found, dual), n_left


def _descend(
    weights: np.ndarray, rows: SparseRows, machines: _Machines, k: int, dual: np.ndarray
) -> float:
    """Change dual variables by coordinate descent, set the weights, and return the intercept."""
    from labelwise.learners.regression._squared_hinge_kernels import add_rows, descend

    signs, ridge, w = machines.take(k)
    with np.errstate(divide="ignore"):
        by_sample = ridge / weights
    moved = np.flatnonzero(dual)
    w[:] = 0
    add_rows(rows.matrix, moved, dual[moved] * signs[moved], w)
    free = machines.bias[k], _OF_NORMS * rows.norms.mean() + ridge / weights.sum()
    machine = rows.matrix, rows.norms, signs, by_sample, dual, w, free
    return float(descend(*machine, _NUMBERS, np.flatnonzero(np.isfinite(by_sample))))


def _take_newton_steps(
    objective: MeanSquaredHinge, machines: _Machines, tasks: np.ndarray, tolerance: float
) -> int:
    """Take Newton's steps of all labels until they have converged; count those that have not."""
    from labelwise.learners.regression._squared_hinge_kernels import advance

    margins = objective.products(machines.W, machines.bias, tasks)
    left = np.arange(machines.bias.size)
    for _ in range(_MOST_STEPS):
        steps = np.empty((left.size, machines.W.shape[1]))
        for q, k in enumerate(left.tolist()):
            rows = objective.rows_of(int(tasks[k])).matrix
            _newton_step(rows, objective.weights, *machines.take(k), margins[k], steps[q])
        ahead = objective.products(steps, 0.0, tasks[left])
        is_done = np.zeros(left.size, dtype=bool)
        for q, k in enumerate(left.tolist()):
            line = margins[k], steps[q], ahead[q]
            shift, is_done[q] = advance(objective.weights, *machines.take(k), *line, tolerance)
            machines.bias[k] += shift
        left = left[~is_done]
        if left.size == 0:
            break
    return left.size


def _newton_step(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
    weights: np.ndarray,
    signs: np.ndarray,
    ridge: float,
    w: np.ndarray,
    margins: np.ndarray,
    step: np.ndarray,
) -> None:
    """Set Newton's step of w for Σ weight · max(0, 1 - y m)² + ridge · ‖w‖², m = w·x + b.

    On the samples within the margin the loss is quadratic, so that the step is the solution of
    a weighted least squares problem. The weight of a feature that these samples lack becomes 0: the
    system has the other features only. Arrays are allocated here, because numba takes longer to
    compile an allocation than a loop.
    """
    from labelwise.learners.regression._squared_hinge_kernels import copy_rows, least_squares

    near = np.flatnonzero((signs * margins < 1) & (weights > 0))
    indptr = rows[0]
    starts = np.concatenate(([0], np.cumsum(indptr[near + 1] - indptr[near])))
    n_cells = int(starts[-1])
    cut = starts, np.empty(n_cells, dtype=np.uint32), np.empty(n_cells)
    features = np.empty(min(w.size, n_cells), dtype=np.int64)
    place = np.full(w.size, -1, dtype=np.int32)
    features = features[: copy_rows(rows, near, cut, place, features)]
    found, work = np.zeros(features.size), np.zeros((5, features.size))
    residual = signs[near] - margins[near]
    least_squares(cut, residual, weights[near], ridge, w[features], found, work)
    np.negative(w, out=step)
    step[features] = found
