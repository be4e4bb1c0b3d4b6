"""Linear support vector machines of many labels: mean squared hinge loss on one design."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise.learners.regression._design import Design, product
from labelwise.learners.regression._log_loss import Tasks

# Part of the mean squared norm of rows that weighs the constraint of the intercept.
_OF_NORMS = 0.01
# Random numbers of the orders of samples; fixed, so that the same data give the same result.
_NUMBERS = np.random.RandomState(0).randint(2**31 - 1, size=2**14).astype(np.int64)

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


class HingePoint(NamedTuple):
    """Weights of all labels, and the dual variables that they were found from."""

    W: np.ndarray  # (n_coordinates + 1, n_labels), intercepts last
    dual: np.ndarray  # (n_labels, n_samples)


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

    def rows(self) -> Rows:
        """Return the rows without the coordinate of the intercept, as parts of a CSR matrix."""
        rows = sparse.csr_array(self.design.rows)[:, :-1]
        return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data


def minimize_hinge(
    objective: MeanSquaredHinge,
    start: HingePoint,
    penalty: np.ndarray,
    tolerance: float,
    tasks: np.ndarray | None = None,
    _beyond: None = None,
) -> tuple[HingePoint, int]:
    """Minimise the penalised loss of labels one by one; also count those not converged.

    Dual coordinate descent finds which samples are within the margin, and Newton's steps on these
    samples finish. A label has converged when its step predicts a decrease of less than `tolerance`
    times its value.
    """
    from labelwise.learners.regression._squared_hinge_kernels import add_rows, descend, newton

    rows = objective.rows()
    norms = np.add.reduceat(np.append(rows[2] ** 2, 0.0), rows[0][:-1]) * (np.diff(rows[0]) > 0)
    centre = objective.design.centre
    found = HingePoint(start.W.copy(), start.dual.copy())
    n_left = 0
    every = np.arange(norms.size)
    for j in range(penalty.size) if tasks is None else tasks.tolist():
        signs, dual = objective.signs(j), found.dual[j]
        ridge = objective.total * penalty[j] / 2
        with np.errstate(divide="ignore"):
            by_sample = ridge / objective.weights
        w = np.zeros(found.W.shape[0] - 1)
        add_rows(rows, every, dual * signs, w)
        bias = objective.design.of_rows(found.W[:, [j]])[-1, 0]
        weight = _OF_NORMS * norms.mean() + penalty[j] / 2
        bias = descend(rows, norms, signs, by_sample, dual, w, (bias, weight), _NUMBERS)
        bias, is_done = newton(rows, signs, objective.weights, ridge, w, bias, tolerance)
        n_left += not is_done
        found.W[:-1, j] = w
        found.W[-1, j] = bias if centre is None else bias + centre @ w
    return found, n_left
