"""Linear support vector machines of many labels: mean squared hinge loss on one design."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.learners.regression._design import Design, product
from labelwise.learners.regression._log_loss import Tasks

# Part of the mean squared norm of rows that weighs the constraint of the intercept.
_OF_NORMS = 0.01
# Newton's steps of a label.
_MOST_STEPS = 100
# Random numbers of the orders of samples; fixed, so that the same data give the same result.
_NUMBERS = np.random.RandomState(0).randint(2**31 - 1, size=2**14).astype(np.int64)


class _SparseRows(NamedTuple):
    """Rows of a design without the coordinate of the intercept."""

    matrix: tuple[np.ndarray, np.ndarray, np.ndarray]  # parts of a CSR matrix
    norms: np.ndarray  # squared


class HingePoint(NamedTuple):
    """Weights of all labels, and the dual variables that they were found from."""

    W: np.ndarray  # (n_coordinates + 1, n_labels), intercepts last
    dual: np.ndarray  # (n_labels, n_samples), of shuffled samples


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

    def start(self) -> HingePoint:
        """Return the optimum of intercepts without weights."""
        n_samples, n_labels = self.targets.shape
        W = np.zeros((self.design.variance.size, n_labels))
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

    def products(self, W: np.ndarray) -> np.ndarray:
        """Multiply samples by weights (n_labels, n_coordinates), without intercepts."""
        without = np.vstack([W.T, np.zeros(len(W))])
        return np.ascontiguousarray(product(self.design.rows, without).T)

    @cached_property
    def shuffled(self) -> MeanSquaredHinge:
        """The same loss with samples in random order, as the given one may be that of labels."""
        order = np.random.RandomState(0).permutation(self.weights.size)
        design = self.design._replace(rows=self.design.rows[order], blocks=())
        tasks = Tasks(self.targets[order], np.ones(self.targets.shape[1], dtype=np.intp))
        return MeanSquaredHinge(design, tasks, self.weights[order])

    @cached_property
    def rows(self) -> _SparseRows:
        """The samples, for kernels that compute with some of them."""
        rows = sparse.csr_array(self.design.rows)[:, :-1]
        norms = np.asarray(rows.multiply(rows).sum(axis=1))
        # Kernels need no test for negative numbers if indices are unsigned.
        matrix = rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), rows.data
        return _SparseRows(matrix, norms)


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

    Dual coordinate descent finds which samples are within the margin, label by label. Newton's
    steps on these samples finish; the steps of all labels share one product with X. A label has
    converged when its step predicts a decrease of less than `tolerance` times its value.
    """
    objective = objective.shuffled
    tasks = np.arange(penalty.size) if tasks is None else tasks
    found = HingePoint(start.W.copy(), start.dual.copy())
    W = objective.design.of_rows(found.W[:, tasks]).T
    signs = np.array([objective.signs(j) for j in tasks.tolist()])
    machines = _Machines(signs, objective.total * penalty[tasks] / 2, W[:, :-1].copy(), W[:, -1])
    for k, j in enumerate(tasks.tolist()):
        machines.bias[k] = _descend(objective, machines, k, found.dual[j])
    n_left = _take_newton_steps(objective, machines, tolerance)
    found.W[:-1, tasks] = machines.W.T
    found.W[-1, tasks] = machines.bias
    if objective.design.centre is not None:
        found.W[-1, tasks] += machines.W @ objective.design.centre
    return found, n_left


def _descend(objective: MeanSquaredHinge, machines: _Machines, k: int, dual: np.ndarray) -> float:
    """Change dual variables by coordinate descent, set the weights, and return the intercept."""
    from labelwise.learners.regression._squared_hinge_kernels import add_rows, descend

    rows = objective.rows
    signs, ridge, w = machines.take(k)
    with np.errstate(divide="ignore"):
        by_sample = ridge / objective.weights
    moved = np.flatnonzero(dual)
    w[:] = 0
    add_rows(rows.matrix, moved, dual[moved] * signs[moved], w)
    free = machines.bias[k], _OF_NORMS * rows.norms.mean() + ridge / objective.total
    return float(descend(rows.matrix, rows.norms, signs, by_sample, dual, w, free, _NUMBERS))


def _take_newton_steps(objective: MeanSquaredHinge, machines: _Machines, tolerance: float) -> int:
    """Take Newton's steps of all labels until they have converged; count those that have not."""
    from labelwise.learners.regression._squared_hinge_kernels import advance, newton_step

    rows = objective.rows
    margins = objective.products(machines.W) + machines.bias[:, None]
    left = np.arange(machines.bias.size)
    for _ in range(_MOST_STEPS):
        steps = np.array(
            [
                newton_step(rows.matrix, objective.weights, *machines.take(k), margins[k])
                for k in left.tolist()
            ]
        )
        ahead = objective.products(steps)
        is_done = np.zeros(left.size, dtype=bool)
        for q, k in enumerate(left.tolist()):
            line = margins[k], steps[q], ahead[q]
            shift, is_done[q] = advance(objective.weights, *machines.take(k), *line, tolerance)
            machines.bias[k] += shift
        left = left[~is_done]
        if left.size == 0:
            break
    return left.size
