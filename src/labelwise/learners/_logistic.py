"""The objective of many logistic or multinomial regressions on the same features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import entr

from labelwise.learners._design import Design

# Margins that are held at a time: few enough to stay in the cache between two products.
_TOGETHER = 2**16


class Tasks(NamedTuple):
    """Regressions on the same samples; each has one column, or one for each class."""

    targets: sparse.csc_array  # bool (n_samples, n_columns): which class, or which label
    widths: np.ndarray  # columns of each task; all 1 (logistic) or all above (multinomial)

    def take(self, tasks: np.ndarray) -> Tasks:
        """Return some of the tasks."""
        return Tasks(self.targets[:, self.columns(tasks)], self.widths[tasks])

    def rows(self, rows: np.ndarray) -> Tasks:
        """Return the same tasks on some of the samples."""
        return self._replace(targets=self.targets[rows])

    def columns(self, tasks: np.ndarray) -> np.ndarray:
        """Return the numbers of the columns of some tasks, which are in order."""
        return columns_of(self.widths, tasks)


def columns_of(widths: np.ndarray, tasks: np.ndarray) -> np.ndarray:
    """Return the numbers of the columns of some tasks, which are in order."""
    return np.flatnonzero(np.isin(np.repeat(np.arange(widths.size), widths), tasks))


class Objective:
    """Mean log-loss + λ/2 · ‖w‖² of each task, on one design."""

    def __init__(
        self, design: Design, tasks: Tasks, sample_weight: np.ndarray | None = None
    ) -> None:
        self.design = design
        self.widths = tasks.widths
        n_samples = design.rows.shape[0]
        self.weights = np.empty(0) if sample_weight is None else sample_weight
        self.total = float(n_samples if sample_weight is None else sample_weight.sum())
        share = np.full(n_samples, 1 / self.total)
        if sample_weight is not None:
            share = sample_weight / self.total
        weighted = tasks.targets.multiply(share[:, None])
        # The labels enter by these sums alone: Σ y m = Σ_columns w · Σ y (u, 1).
        self.of_targets = design.collected(design.rows, sparse.csc_array(weighted))
        self.blocks = _blocks(n_samples, tasks.targets.shape[1])
        self.rows = [design.rows[block] for block in self.blocks]

    def loss(self, W: np.ndarray, tasks: np.ndarray) -> np.ndarray:
        """Return the log-loss of some tasks, summed over samples; W is that of all."""
        columns = self.columns(tasks)
        return self.total * self(W[:, columns], np.zeros(tasks.size), tasks, columns)[0]

    def columns(self, tasks: np.ndarray) -> np.ndarray:
        """Return the numbers of the columns of some tasks, which are in order."""
        return columns_of(self.widths, tasks)

    @property
    def rates(self) -> np.ndarray:
        """Share of the samples in the class of each column."""
        return np.asarray(self.of_targets[-1])

    @property
    def entropies(self) -> np.ndarray:
        """Log-loss of each task without features."""
        rates = self.rates
        terms = entr(rates) + (entr(1 - rates) if self.widths[0] == 1 else 0)
        return np.asarray(np.add.reduceat(terms, np.cumsum(self.widths) - self.widths))

    def __call__(
        self, W: np.ndarray, penalty: np.ndarray, tasks: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the value and the gradient of some tasks, W and `penalty` being theirs."""
        widths = self.widths[tasks]
        loss = np.zeros(tasks.size)
        gradient = np.zeros_like(W)
        for block, rows in zip(self.blocks, self.rows, strict=True):
            margins = self.design.margins(rows, W)
            _to_probabilities(margins, widths, self.weights[block], loss)
            gradient += self.design.collected(rows, margins)
        gradient /= self.total
        gradient -= self.of_targets[:, columns]
        of_columns = np.repeat(penalty, widths)
        weights, starts = W[:-1], np.cumsum(widths) - widths
        terms = of_columns / 2 * (weights**2).sum(axis=0)
        terms -= (W * self.of_targets[:, columns]).sum(axis=0)
        gradient[:-1] += of_columns * weights
        return loss / self.total + np.add.reduceat(terms, starts), gradient


def _to_probabilities(
    margins: np.ndarray, widths: np.ndarray, weights: np.ndarray, loss: np.ndarray
) -> None:
    from labelwise.learners._logistic_kernels import sigmoids, softmaxes

    if widths[0] == 1:
        sigmoids(margins, weights, loss)
    else:
        softmaxes(margins, np.concatenate([[0], np.cumsum(widths)]), weights, loss)


def _blocks(n_samples: int, n_columns: int) -> list[slice]:
    together = max(64, _TOGETHER // max(1, n_columns))
    return [slice(first, first + together) for first in range(0, n_samples, together)]


def null_model(objective: Objective) -> np.ndarray:
    """Return W of the intercepts alone."""
    rates = objective.rates
    W = np.zeros((objective.of_targets.shape[0], rates.size))
    with np.errstate(divide="ignore"):
        odds = rates / (1 - rates) if objective.widths[0] == 1 else rates
        # A class that is absent here (it may be a fold) has no finite optimum.
        W[-1] = np.clip(np.log(odds), -30, 30)
    return W
