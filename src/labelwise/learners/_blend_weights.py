"""Weights of the log-odds of several models: the same for all labels, or for each label.

Common weights minimise the log-loss of all cells and are at least 0. Weights of a label minimise
its own log-loss plus a penalty on their squared distance from the common weights. The loss is a sum
over samples: the fewer positives a label has, the closer its weights are to the common ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

# Numbers of each array in memory at a time.
_TOGETHER = 2**20
_MOST_STEPS = 50
_MOST_HALVINGS = 30
# The weights of a label are found when a step would lower its loss by a smaller share.
_TOLERANCE = 1e-10


class BlendWeights(NamedTuple):
    """Weights of the log-odds of models, and an intercept, for each label."""

    weights: np.ndarray  # (n_models, n_labels)
    intercepts: np.ndarray  # (n_labels,)

    def scores(self, log_odds: np.ndarray) -> np.ndarray:
        """Return the blended log-odds, of shape (n_samples, n_labels)."""
        blended = np.einsum("kij,kj->ij", log_odds, self.weights)
        return np.asarray(blended + self.intercepts)


def common_weights(
    log_odds: np.ndarray, targets: np.ndarray, cell_weights: np.ndarray
) -> np.ndarray:
    """Return weights of at least 0, the same for all labels, of least log-loss of all cells."""
    total = cell_weights.sum()

    def loss_and_gradient(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        margin = np.tensordot(parameters[:-1], log_odds, 1) + parameters[-1]
        loss = np.vdot(cell_weights, np.logaddexp(0.0, margin) - targets * margin)
        error = cell_weights * (expit(margin) - targets)
        slopes = [np.vdot(error, one) for one in log_odds]
        return float(loss / total), np.array([*slopes, error.sum()]) / total

    n_models = len(log_odds)
    start = np.append(np.full(n_models, 1 / n_models), 0.0)
    bounds = [(0.0, None)] * n_models + [(None, None)]
    found = minimize(loss_and_gradient, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x[:-1])


def weights_by_label(
    log_odds: np.ndarray,
    targets: np.ndarray,
    cell_weights: np.ndarray,
    common: np.ndarray,
    penalty: float,
    start: BlendWeights,
) -> BlendWeights:
    """Return the weights of each label of least log-loss plus penalty, by Newton's method."""
    _, n_samples, n_labels = log_odds.shape
    width = max(1, _TOGETHER // max(1, n_samples))
    weights, intercepts = start.weights.copy(), start.intercepts.copy()
    for first in range(0, n_labels, width):
        part = np.s_[first : first + width]
        loss = _PenalisedLoss(
            log_odds[:, :, part], targets[:, part], cell_weights[:, part], common, penalty
        )
        found = loss.minimised(np.vstack([weights[:, part], intercepts[part]]).T)
        weights[:, part], intercepts[part] = found[:, :-1].T, found[:, -1]
    return BlendWeights(weights, intercepts)


class _PenalisedLoss(NamedTuple):
    """The log-loss of some labels, plus a penalty on the distance from common weights.

    Parameters of a label are the weights of the models and an intercept, which has no penalty.
    """

    log_odds: np.ndarray
    targets: np.ndarray
    cell_weights: np.ndarray
    common: np.ndarray
    penalty: float

    def minimised(self, parameters: np.ndarray) -> np.ndarray:
        """Return the parameters of least loss, of shape (n_labels, n_models + 1)."""
        loss = self.at(parameters)
        for _ in range(_MOST_STEPS):
            step, decrease = self.step(parameters)
            length = np.where(decrease > _TOLERANCE * loss, 1.0, 0.0)
            for _ in range(_MOST_HALVINGS):
                reached = self.at(parameters - length[:, None] * step)
                if not (reached > loss).any():
                    break
                length = np.where(reached > loss, length / 2, length)
            length = np.where(reached > loss, 0.0, length)
            if not length.any():
                break
            parameters, loss = parameters - length[:, None] * step, np.minimum(loss, reached)
        return parameters

    def at(self, parameters: np.ndarray) -> np.ndarray:
        """Return the loss of each label."""
        margin = self.margin(parameters)
        losses = self.cell_weights * (np.logaddexp(0.0, margin) - self.targets * margin)
        distance = parameters[:, :-1] - self.common
        return np.asarray(losses.sum(axis=0) + self.penalty / 2 * (distance**2).sum(axis=1))

    def margin(self, parameters: np.ndarray) -> np.ndarray:
        """Return the blended log-odds."""
        return np.asarray(
            np.einsum("kij,jk->ij", self.log_odds, parameters[:, :-1]) + parameters[:, -1]
        )

    def step(self, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return Newton's step for each label, and twice the decrease that it predicts."""
        proba = expit(self.margin(parameters))
        error = self.cell_weights * (proba - self.targets)
        curvature = self.cell_weights * proba * (1 - proba)
        inputs = [*self.log_odds, np.ones(1)]
        # Without truth, a label has no curvature: a little of it keeps the intercept where it is.
        pulled = np.append(np.full(len(self.common), self.penalty), 1e-12)
        gradient = pulled * (parameters - np.append(self.common, 0.0))
        gradient += np.stack([(error * one).sum(axis=0) for one in inputs], axis=1)
        hessian = np.empty((len(parameters), len(inputs), len(inputs)))
        for k, one in enumerate(inputs):
            scaled = curvature * one
            for other in range(k + 1):
                hessian[:, k, other] = hessian[:, other, k] = (scaled * inputs[other]).sum(axis=0)
        step = np.linalg.solve(hessian + np.diag(pulled), gradient[:, :, None])[:, :, 0]
        return step, (gradient * step).sum(axis=1)
