"""The optimum of many regressions at once: quasi-Newton steps that share their products."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.learners._logistic import Objective

_HISTORY = 10
_MOST_STEPS = 500
# A step is taken if it brings this part of the decrease that the slope promises.
_ENOUGH = 1e-4
# Rounding in a mean of log-losses.
_ROUNDING = 1e-13
# Values below this part of the loss without features count as that much.
_LEAST_VALUE = 0.01
# The working set is cut down when so large a part of it has arrived.
_ARRIVED = 0.25
# Without a step behind it, the estimate of what is left to gain is trusted less.
_CAUTION = 0.01


def minimize(
    objective: Objective,
    W: np.ndarray,
    penalty: np.ndarray,
    tolerance: float,
    tasks: np.ndarray | None = None,
) -> tuple[np.ndarray, int]:
    """Return W at the optimum of each task (or of some), and how many have not arrived there.

    By limited-memory BFGS from a start W. Each task has its own steps, all share the products. A
    step that does not bring its task enough is shortened at the next turn, while the others go
    on. A task has arrived when its step promises less than `tolerance` times its value.
    """
    least = _LEAST_VALUE * objective.entropies + np.finfo(float).eps
    best = W.copy()
    work = _start(objective, W, penalty, tasks)
    for _ in range(_MOST_STEPS):
        step, slope = work.direction()
        enough = tolerance * np.maximum(work.value, least[work.tasks])
        arrived = -slope / 2 <= enough * np.where(work.moved, 1.0, _CAUTION)
        if arrived.mean() >= _ARRIVED:
            best[:, work.columns] = work.W
            if arrived.all():
                return best, 0
            step = step[:, np.repeat(~arrived, work.widths)]
            slope = slope[~arrived]
            work = work.take(~arrived)
        work = work.advance(step, slope)
    best[:, work.columns] = work.W
    return best, work.tasks.size


class _Descent(NamedTuple):
    """Where the tasks that have not arrived stand."""

    objective: Objective
    tasks: np.ndarray
    columns: np.ndarray
    penalty: np.ndarray
    W: np.ndarray
    value: np.ndarray
    gradient: np.ndarray
    scale: np.ndarray  # inverse of the curvature's diagonal
    length: np.ndarray  # of the next step of each task
    moved: np.ndarray  # whether a task has made a step
    history: tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]

    @property
    def widths(self) -> np.ndarray:
        return np.asarray(self.objective.widths[self.tasks])

    def dot(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Return the inner product of each task."""
        by_column = np.einsum("ij,ij->j", A, B)
        if by_column.size == self.tasks.size:
            return np.asarray(by_column)
        return np.asarray(np.add.reduceat(by_column, np.cumsum(self.widths) - self.widths))

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return the value of its task for each column."""
        same = self.columns.size == values.size
        return np.asarray(values if same else np.repeat(values, self.widths))

    def direction(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the quasi-Newton step of each task, and the slope along it."""
        step = -self.gradient
        shares = []
        for moved, change, inverse in reversed(self.history):
            share = inverse * self.dot(moved, step)
            step -= self.spread(share) * change
            shares.append(share)
        step *= self.scale
        for (moved, change, inverse), share in zip(self.history, reversed(shares), strict=True):
            step += self.spread(share - inverse * self.dot(change, step)) * moved
        return step, self.dot(step, self.gradient)

    def advance(self, step: np.ndarray, slope: np.ndarray) -> _Descent:
        """Try the steps; take those that bring enough, shorten the others."""
        moved = self.spread(self.length) * step
        W = self.W + moved
        value, gradient = self.objective(W, self.penalty, self.tasks, self.columns)
        promised = self.length * slope
        gain = value - self.value
        taken = gain <= _ENOUGH * promised + _ROUNDING
        # The lowest point of the parabola through both values.
        shorter = self.length * np.clip(-promised / (2 * (gain - promised)), 0.1, 0.5)
        by_column = self.spread(taken)
        moved *= by_column
        change = (gradient - self.gradient) * by_column
        curvature = self.dot(moved, change)
        inverse = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        return self._replace(
            W=np.where(by_column, W, self.W),
            value=np.where(taken, value, self.value),
            gradient=np.where(by_column, gradient, self.gradient),
            scale=self._rescaled(change, curvature),
            length=np.where(taken, 1.0, shorter),
            moved=self.moved | taken,
            history=(*self.history, (moved, change, inverse))[-_HISTORY:],
        )

    def _rescaled(self, change: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        """Return the diagonal, its size being that of the last step's curvature."""
        seen = self.dot(change, self.scale * change)
        ratio = np.divide(curvature, seen, out=np.ones_like(seen), where=(curvature > 0))
        return np.asarray(self.scale * self.spread(ratio))

    def take(self, kept: np.ndarray) -> _Descent:
        """Return the descent of some tasks."""
        columns = np.repeat(kept, self.widths)
        return self._replace(
            tasks=self.tasks[kept],
            columns=self.columns[columns],
            penalty=self.penalty[kept],
            W=self.W[:, columns],
            value=self.value[kept],
            gradient=self.gradient[:, columns],
            scale=self.scale[:, columns],
            length=self.length[kept],
            moved=self.moved[kept],
            history=tuple((s[:, columns], y[:, columns], r[kept]) for s, y, r in self.history),
        )


def _start(
    objective: Objective, W: np.ndarray, penalty: np.ndarray, tasks: np.ndarray | None
) -> _Descent:
    tasks = np.arange(objective.widths.size) if tasks is None else tasks
    columns = objective.columns(tasks)
    W, penalty = W[:, columns], penalty[tasks]
    value, gradient = objective(W, penalty, tasks, columns)
    rates = objective.rates[columns]
    # The mean of p (1 - p) is at most this, and near to it where the features say little.
    spread = np.maximum(rates * (1 - rates), 1e-12)
    scale = np.outer(np.append(objective.design.variance, 1.0), spread)
    scale[:-1] += np.repeat(penalty, objective.widths[tasks])
    return _Descent(
        objective,
        tasks,
        columns,
        penalty,
        W,
        value,
        gradient,
        1 / scale,
        np.ones(tasks.size),
        np.zeros(tasks.size, dtype=bool),
        (),
    )
