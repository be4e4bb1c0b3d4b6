"""Mean log-loss, with gradient, of many logistic or multinomial regressions on one design."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import entr

from labelwise.learners.regression._design import Design, add_product, product

# Log-probability of a class without samples, which a fold may have: its optimum is not finite.
_ABSENT = -30.0
# Margins of two classes up to this need no shift: products of 16 sums of exponentials are finite.
_HIGH = 30.0
_PRODUCT = 16
# Numbers of a block that stays in the cache.
_CACHED = 8192


class Tasks(NamedTuple):
    """Regressions on the same samples; a column for all classes but the first."""

    targets: sparse.csc_array  # bool (n_samples, n_columns): the samples of each class
    widths: np.ndarray  # columns of each task: 1 (logistic) or more (multinomial)

    def take(self, tasks: np.ndarray) -> Tasks:
        """Take some of the tasks."""
        return Tasks(self.targets[:, self.columns(tasks)], self.widths[tasks])

    def rows(self, rows: np.ndarray) -> Tasks:
        """Take some of the samples for all tasks."""
        return self._replace(targets=self.targets[rows])

    def columns(self, tasks: np.ndarray) -> np.ndarray:
        """Return the numbers of the columns of tasks given in ascending order."""
        owners = np.repeat(np.arange(self.widths.size), self.widths)
        return np.flatnonzero(np.isin(owners, tasks))


def summed(A: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Sum over the columns of each task."""
    if A.shape[-1] == widths.size:
        return A
    return np.asarray(np.add.reduceat(A, np.cumsum(widths) - widths, axis=-1))


def spread(A: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Repeat the value of each task for all of its columns."""
    return A if (widths == 1).all() else np.repeat(A, widths, axis=-1)


class Point(NamedTuple):
    """Weights, with the mean log-loss of each task and its gradient."""

    W: np.ndarray  # (n_coordinates + 1, n_columns), intercepts last
    loss: np.ndarray  # (n_tasks,)
    gradient: np.ndarray  # like W


class MeanLogLoss:
    """Mean log-loss of each task on one design, as a function of weights."""

    def __init__(
        self, design: Design, tasks: Tasks, sample_weight: np.ndarray | None = None
    ) -> None:
        self.design = design
        self.widths, self.columns = tasks.widths, tasks.columns
        n_samples = design.rows.shape[0]
        self.weights = np.empty(0) if sample_weight is None else sample_weight
        self.total = float(n_samples if sample_weight is None else sample_weight.sum())
        share = np.full(n_samples, 1 / self.total)
        if sample_weight is not None:
            share = sample_weight / self.total
        weighted = sparse.csc_array(tasks.targets.multiply(share[:, None]))
        sums = design.rows.T @ weighted
        # Labels enter the loss only by these sums, as Σ y m = Σ_columns w · Σ y (u, 1), so that
        # iterations need no product with labels.
        self.of_targets = design.of_coordinates(
            sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
        )
        self.mean = design.of_coordinates(np.asarray(design.rows.T @ share)[:, None])
        first = 1 - summed(self.of_targets[-1], self.widths)
        # A penalised intercept is finite for a class without samples, as if it had half of one.
        least = np.exp(_ABSENT) if design.constant is None else 0.5 / self.total
        self.rates = np.maximum(self.of_targets[-1], least)
        self.first_rates = np.maximum(first, least)
        self.entropies = summed(entr(self.rates), self.widths) + entr(self.first_rates)

    def start(self) -> Point:
        """Return the optimum of intercepts without weights or penalty, in closed form."""
        W = np.zeros_like(self.of_targets)
        log_odds = np.log(self.rates) - spread(np.log(self.first_rates), self.widths)
        if self.design.constant is not None:
            W[:-1] = np.outer(self.design.constant, log_odds)
            gradient, tasks = np.empty(W.shape), np.arange(self.widths.size)
            return Point(W, self(W, tasks, self.columns(tasks), gradient), gradient)
        W[-1] = log_odds
        return Point(W, self.entropies, self.mean * self.rates - self.of_targets)

    def loss(self, W: np.ndarray, tasks: np.ndarray) -> np.ndarray:
        """Sum the log-loss of some tasks over samples; W has columns of all tasks."""
        columns = self.columns(tasks)
        return self.total * self(np.take(W, columns, axis=1), tasks, columns, None)

    def margins(self, W: np.ndarray) -> np.ndarray:
        """Compute the linear scores of all samples; W has columns of any tasks."""
        return product(self.design.rows, self.design.of_rows(W))

    def __call__(
        self,
        W: np.ndarray,
        tasks: np.ndarray,
        columns: np.ndarray,
        gradient: np.ndarray | None,
    ) -> np.ndarray:
        """Return the loss of some tasks at W, and fill `gradient` unless None."""
        widths = self.widths[tasks]
        bounds = np.concatenate([[0], np.cumsum(widths)])
        loss = np.zeros(tasks.size)
        of_rows = self.design.of_rows(W)
        if gradient is not None:
            gradient[:] = 0
        for block in self.design.blocks:
            margins = product(block.rows, of_rows)
            softmaxes(margins, bounds, self.weights[block.where], loss)
            if gradient is not None:
                add_product(block.columns, margins, gradient)
        of_targets = np.take(self.of_targets, columns, axis=1)
        if gradient is not None:
            self.design.of_coordinates(gradient)
            gradient /= self.total
            gradient -= of_targets
            if self.design.constant is not None:
                gradient[-1] = 0.0  # the last coordinate has no weight
        loss /= self.total
        loss -= summed(np.einsum("ij,ij->j", W, of_targets), widths)
        return loss


def softmaxes(
    margins: np.ndarray, bounds: np.ndarray, weights: np.ndarray, loss: np.ndarray
) -> None:
    """Replace margins by w · softmax of each task, and add to its loss.

    Adds Σ w log(1 + Σ exp(m)). The columns of task t are those from bounds[t] to bounds[t + 1]; its
    first class has margin 0 and no column. Without weights (an empty array), the logarithm is taken
    of products over many rows, since logarithms are slow.
    """
    if margins.shape[1] == loss.size:
        _sigmoids(margins, weights, loss)
        return
    from labelwise.learners.regression._logistic_kernels import ROWS, add_softmaxes

    # Allocated here, because numba takes long to compile allocations.
    columns, work = np.zeros((margins.shape[1], ROWS)), np.empty((4, ROWS))
    factor = np.ones((loss.size, ROWS))
    exponent = np.zeros(factor.shape, dtype=np.int64)
    add_softmaxes(margins, bounds, weights, columns, work, factor, exponent, loss)
    loss += (np.log(factor) + exponent * np.log(2)).sum(axis=1)


def _sigmoids(margins: np.ndarray, weights: np.ndarray, loss: np.ndarray) -> None:
    """Do what `softmaxes` does for tasks of two classes, a column for each task.

    NumPy's exponentials are vectorised, and need no kernel that a first fit would compile.
    """
    if not loss.size:
        return
    n_rows = max(_PRODUCT, _CACHED // max(1, loss.size) // _PRODUCT * _PRODUCT)
    for first in range(0, len(margins), n_rows):
        own, weight = margins[first : first + n_rows], weights[first : first + n_rows]
        of_zero: np.ndarray | float = 1.0
        if own.max() > _HIGH:
            excess = np.maximum(own - _HIGH, 0.0)
            own -= excess
            loss += weight @ excess if weights.size else excess.sum(axis=0)
            of_zero = np.exp(-excess)
        np.exp(own, out=own)
        total = own + of_zero
        if weights.size:
            loss += weight @ np.log(total)
            own *= weight[:, None]
        else:
            loss += _log_of_products(total)
        own /= total


def _log_of_products(total: np.ndarray) -> np.ndarray:
    """Return the sum of the logarithms of each column, from products of few rows."""
    n_whole = len(total) // _PRODUCT * _PRODUCT
    whole = total[:n_whole].reshape(-1, _PRODUCT, total.shape[1])
    rest = np.log(np.multiply.reduce(total[n_whole:], axis=0))
    return np.asarray(rest + np.log(np.multiply.reduce(whole, axis=1)).sum(axis=0))
