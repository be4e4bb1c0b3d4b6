"""Solver of many regressions: limited-memory BFGS whose tasks share the products with X."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelwise.learners.regression._log_loss import MeanLogLoss, Point, spread, summed

_HISTORY = 10
_MOST_STEPS = 500
# A step is accepted if the loss decreases by this part of what the slope predicts (Armijo).
_ENOUGH = 1e-4
# Rounding error of a mean of log-losses.
_ROUNDING = 1e-13
# The tolerance is relative to the loss, but at least to this part of the loss without features.
_LEAST_VALUE = 0.01
# Converged tasks are removed when they are this part of the working set: removal copies arrays.
_ARRIVED = 0.25
# Factor of the tolerance before the first step, when the curvature is only an estimate.
_CAUTION = 0.01
# Below the rate of every class with a sample; a class without samples then keeps its intercept.
_LEAST_RATE = 1e-9


def minimize(
    objective: MeanLogLoss,
    start: Point,
    penalty: np.ndarray,
    tolerance: float,
    tasks: np.ndarray | None = None,
    beyond: np.ndarray | None = None,
) -> tuple[Point, int]:
    """Minimise the penalised loss of tasks; also count those not converged.

    Limited-memory BFGS. Each task has steps of its own, and all tasks share the products with X. A
    step that does not decrease the loss of its task enough is shortened in the next iteration,
    while other tasks go on. A task has converged when its step predicts a decrease of less than
    `tolerance` times its loss. `beyond` is added to the first step of each task for which the sum
    is still a descent direction.
    """
    least = _LEAST_VALUE * objective.entropies + np.finfo(float).eps
    best = Point(*(array.copy() for array in start))
    work = _start(objective, start, penalty, tasks)
    for turn in range(_MOST_STEPS):
        step, slope = work.direction()
        enough = tolerance * np.maximum(work.value, least[work.tasks])
        arrived = -slope / 2 <= enough * np.where(work.moved, 1.0, _CAUTION)
        if arrived.mean() >= _ARRIVED:
            work.keep(best)
            if arrived.all():
                return best, 0
            step = np.compress(work.spread(~arrived), step, axis=1)
            slope = slope[~arrived]
            work = work.take(~arrived)
        if turn == 0 and beyond is not None:
            step, slope = work.extended(step, slope, np.take(beyond, work.columns, axis=1))
        work = work.advance(step, slope)
    work.keep(best)
    return best, work.tasks.size


def first_step(
    objective: MeanLogLoss, start: Point, penalty: np.ndarray, tasks: np.ndarray
) -> np.ndarray:
    """Return the first step that `minimize` takes without `beyond`; 0 for others."""
    work = _start(objective, start, penalty, tasks)
    step = np.zeros_like(start.W)
    step[:, work.columns] = work.direction()[0]
    return step


class _Curvature(NamedTuple):
    """The Hessian at weights of 0, if coordinates are uncorrelated.

    For a coordinate of variance v it is v (diag(p) - p pᵀ) + λ I over the classes of a task. If all
    tasks are logistic, it is one number, v p (1 - p) + λ/2, and `first` is None.
    """

    inverse: np.ndarray  # 1 / (v p + λ) of each column, or 1 / (v p (1 - p) + λ/2)
    first: np.ndarray | None  # 1 / (v p + λ) of each task's first class
    rates: np.ndarray
    first_rates: np.ndarray
    widths: np.ndarray

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        """Multiply gradients of differences to the first class by the inverse."""
        step: np.ndarray = gradient * self.inverse
        if self.first is None:
            return step
        of_first = -summed(gradient, self.widths)
        weighted = self.rates * self.inverse
        common = summed(step, self.widths) + of_first * self.first
        common /= summed(weighted, self.widths) + self.first_rates * self.first
        step -= weighted * spread(common, self.widths)
        step -= spread((of_first - self.first_rates * common) * self.first, self.widths)
        return step

    def take(self, kept: np.ndarray) -> _Curvature:
        columns = spread(kept, self.widths)
        return _Curvature(
            np.compress(columns, self.inverse, axis=1),
            None if self.first is None else np.compress(kept, self.first, axis=1),
            self.rates[columns],
            self.first_rates[kept],
            self.widths[kept],
        )


class _Descent(NamedTuple):
    """State of the tasks that have not converged."""

    objective: MeanLogLoss
    tasks: np.ndarray
    columns: np.ndarray
    penalty: np.ndarray
    W: np.ndarray
    value: np.ndarray
    gradient: np.ndarray
    curvature: _Curvature
    scale: np.ndarray  # of the inverse curvature of each task
    length: np.ndarray  # of the next step of each task
    moved: np.ndarray  # whether a task has made a step
    history: tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]

    def dot(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Inner product of each task."""
        return summed(np.einsum("ij,ij->j", A, B), self.curvature.widths)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Repeat the value of each task for all of its columns."""
        same = self.columns.size == self.tasks.size
        return values if same else np.repeat(values, self.curvature.widths)

    def direction(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the quasi-Newton step of each task, and the slope along it."""
        from labelwise.learners.regression._logistic_kernels import add_multiples

        step = -self.gradient
        shares = []
        for moved, change, inverse in reversed(self.history):
            shares.append(inverse * self.dot(moved, step))
            add_multiples(step, self.spread(-shares[-1]), change)
        step = self.spread(self.scale) * self.curvature.solve(step)
        for (moved, change, inverse), share in zip(self.history, reversed(shares), strict=True):
            add_multiples(step, self.spread(share - inverse * self.dot(change, step)), moved)
        return step, self.dot(step, self.gradient)

    def extended(
        self, step: np.ndarray, slope: np.ndarray, beyond: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add `beyond` to the steps of tasks for which that is a descent direction."""
        longer = step + beyond
        of_longer = self.dot(longer, self.gradient)
        down = of_longer < 0
        return np.where(self.spread(down), longer, step), np.where(down, of_longer, slope)

    def advance(self, step: np.ndarray, slope: np.ndarray) -> _Descent:
        """Try the steps; accept those that decrease the loss, shorten the others."""
        W = self.W + self.spread(self.length) * step
        gradient = np.empty(W.shape)
        value = self.objective(W, self.tasks, self.columns, gradient)
        value += _penalise(W, self.penalty, self.curvature.widths, gradient)
        promised = self.length * slope
        gain = value - self.value
        taken = gain <= _ENOUGH * promised + _ROUNDING
        # The minimum of the parabola through both values and the slope.
        lowest = np.divide(-promised, 2 * (gain - promised), out=np.ones_like(gain), where=~taken)
        shorter = self.length * np.clip(lowest, 0.1, 0.5)
        by_column = self.spread(taken)
        return self._replace(
            W=np.where(by_column, W, self.W),
            value=np.where(taken, value, self.value),
            gradient=np.where(by_column, gradient, self.gradient),
            length=np.where(taken, 1.0, shorter),
            moved=self.moved | taken,
        ).remembering(self)

    def remembering(self, before: _Descent) -> _Descent:
        """Add the last step and its change of gradient to the history."""
        moved, change = self.W - before.W, self.gradient - before.gradient
        seen = self.dot(moved, change)
        is_convex = seen > 0
        expected = self.dot(change, self.curvature.solve(change))
        inverse = np.divide(1.0, seen, out=np.zeros_like(seen), where=is_convex)
        return self._replace(
            scale=np.divide(seen, expected, out=self.scale.copy(), where=is_convex),
            history=(*self.history, (moved, change, inverse))[-_HISTORY:],
        )

    def keep(self, best: Point) -> None:
        """Copy weights, loss and gradient without the penalty to `best`."""
        gradient = np.zeros_like(self.W)
        of_penalty = _penalise(self.W, self.penalty, self.curvature.widths, gradient)
        best.W[:, self.columns] = self.W
        best.loss[self.tasks] = self.value - of_penalty
        best.gradient[:, self.columns] = self.gradient - gradient

    def take(self, kept: np.ndarray) -> _Descent:
        """Take some of the tasks."""
        columns = self.spread(kept)

        def part(A: np.ndarray) -> np.ndarray:
            return np.compress(columns, A, axis=1)

        return self._replace(
            tasks=self.tasks[kept],
            columns=self.columns[columns],
            penalty=self.penalty[kept],
            W=part(self.W),
            value=self.value[kept],
            gradient=part(self.gradient),
            curvature=self.curvature.take(kept),
            scale=self.scale[kept],
            length=self.length[kept],
            moved=self.moved[kept],
            history=tuple((part(s), part(y), r[kept]) for s, y, r in self.history),
        )


def _penalise(
    W: np.ndarray, penalty: np.ndarray, widths: np.ndarray, gradient: np.ndarray
) -> np.ndarray:
    """Return λ/2 · Σ ‖w‖² over the classes of each task, and add its gradient.

    Weights of all classes sum to 0; W contains their differences to the first class.
    """
    weights = W[:-1]
    own = weights - spread(summed(weights, widths) / (widths + 1), widths)
    own *= spread(penalty, widths)
    gradient[:-1] += own
    return summed(np.einsum("ij,ij->j", weights, own), widths) / 2


def _start(
    objective: MeanLogLoss, start: Point, penalty: np.ndarray, tasks: np.ndarray | None
) -> _Descent:
    tasks = np.arange(objective.widths.size) if tasks is None else tasks
    columns, widths = objective.columns(tasks), objective.widths[tasks]
    # A logistic task has weights w, which are w/2 and -w/2 for its two classes, and λ/2 · ‖w‖² as
    # its penalty: that is twice the penalty of both classes.
    penalty = np.where(widths == 1, 2, 1) * penalty[tasks]
    W = np.take(start.W, columns, axis=1)
    gradient = np.take(start.gradient, columns, axis=1)
    value = start.loss[tasks] + _penalise(W, penalty, widths, gradient)
    return _Descent(
        objective,
        tasks,
        columns,
        penalty,
        W,
        value,
        gradient,
        _curvature(objective, tasks, columns, penalty),
        np.ones(tasks.size),
        np.ones(tasks.size),
        np.zeros(tasks.size, dtype=bool),
        (),
    )


def _curvature(
    objective: MeanLogLoss, tasks: np.ndarray, columns: np.ndarray, penalty: np.ndarray
) -> _Curvature:
    widths = objective.widths[tasks]
    rates = np.maximum(objective.rates[columns], _LEAST_RATE)
    first_rates = np.maximum(objective.first_rates[tasks], _LEAST_RATE)
    variance = objective.design.variance[:, None]
    of_penalty = np.ones_like(variance)
    of_penalty[-1] = 0
    if (widths == 1).all():
        inverse = 1 / (variance * (rates * first_rates) + of_penalty * (penalty / 2))
        return _Curvature(inverse, None, rates, first_rates, widths)
    inverse = 1 / (variance * rates + of_penalty * spread(penalty, widths))
    first = 1 / (variance * first_rates + of_penalty * penalty)
    return _Curvature(inverse, first, rates, first_rates, widths)
