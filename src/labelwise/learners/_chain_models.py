"""Models of a chain: each label is learned from the features and from some other labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from labelwise._parallel import for_row_blocks
from labelwise.learners.regression._log_loss import Tasks
from labelwise.learners.regression._penalty_path import RegressionProblem, fit_regressions

# Margin of a label that has one class in the samples of a chain.
_CERTAIN = 30.0


class ChainPlan(NamedTuple):
    """What a chain learns from, and in which order it draws labels."""

    rows: np.ndarray  # the samples; repeated if they were drawn with replacement
    order: np.ndarray  # (n_labels,)
    sees_all: bool  # whether a label is learned from all others, or from those before it

    def sources(self, label: int) -> np.ndarray:
        """Return the labels that a label is learned from, in ascending order."""
        place = int(np.flatnonzero(self.order == label)[0])
        seen = self.order[:place]
        if self.sees_all:
            seen = np.concatenate([seen, self.order[place + 1 :]])
        return np.sort(seen)


class LinearChain(NamedTuple):
    """Logistic regressions of the labels of a chain."""

    coef: np.ndarray  # (n_labels, n_features)
    label_coef: np.ndarray  # (n_labels, n_labels): row of a label, weights of the labels it sees
    intercept: np.ndarray  # (n_labels,)
    order: np.ndarray  # (n_labels,)

    def draw(self, X: Any, numbers: np.ndarray, drawn: np.ndarray, chances: np.ndarray) -> None:
        """Draw labels of all samples, by the numbers of (n_draws, n_sweeps, n_labels).

        Fills `drawn` of shape (n_draws, n_samples, n_labels), which is False at first, and adds the
        probabilities of all draws to `chances`.
        """
        from labelwise.learners._chain_models_kernels import draw_labels

        margins = np.asarray(X @ self.coef.T + self.intercept)
        of_labels = np.ascontiguousarray(self.label_coef.T)

        def draw(rows: slice) -> None:
            for own, numbers_of_draw in zip(drawn, numbers, strict=True):
                given = of_labels, self.order, numbers_of_draw
                draw_labels(margins[rows].copy(), *given, own[rows], chances[rows])

        for_row_blocks(draw, len(margins), margins.shape[1] * numbers.shape[0] * numbers.shape[1])


class ModelChain(NamedTuple):
    """Classifiers of the labels of a chain; a number for a label with one class."""

    models: list[Any]
    plan: ChainPlan

    def draw(self, X: Any, numbers: np.ndarray, drawn: np.ndarray, chances: np.ndarray) -> None:
        """Draw labels of all samples, as `LinearChain.draw` does."""
        for own, numbers_of_draw in zip(drawn, numbers, strict=True):
            for sweep, thresholds in enumerate(numbers_of_draw):
                for k in self.plan.order:
                    chance = self._chance(X, own, k)
                    own[:, k] = thresholds[k] < chance
                    if sweep == len(numbers_of_draw) - 1:
                        chances[:, k] += chance

    def _chance(self, X: Any, labels: np.ndarray, k: int) -> np.ndarray:
        model = self.models[k]
        if isinstance(model, float):
            return np.full(len(labels), model)
        rows = with_labels(X, labels[:, self.plan.sources(k)])
        return np.asarray(model.predict_proba(rows), dtype=np.float64)[:, 1]


def fit_linear(
    X: Any, Y: np.ndarray, plan: ChainPlan, penalties: np.ndarray, of_labels: float, tol: float
) -> LinearChain:
    """Fit the logistic regression of each label, at its penalty.

    `of_labels` is the penalty of the coefficients of labels, as a part of that of features.
    """
    X, Y = X[plan.rows], Y[plan.rows]
    # A column that is larger by a factor has a penalty that is smaller by its square.
    scale = 1 / np.sqrt(of_labels)
    n_labels = Y.shape[1]
    coef, label_coef = np.zeros((n_labels, X.shape[1])), np.zeros((n_labels, n_labels))
    intercept = np.where(Y[0] == 1, _CERTAIN, -_CERTAIN)
    for k in np.flatnonzero(Y.min(axis=0) != Y.max(axis=0)).tolist():
        seen = plan.sources(k)
        rows, penalty = with_labels(X, scale * Y[:, seen]), (float(penalties[k]),)
        problem = RegressionProblem(rows, None, [], penalty, tol)
        target = sparse.csc_array(Y[:, [k]].astype(bool))
        found = fit_regressions(problem, Tasks(target, np.ones(1, dtype=np.intp)))
        coef[k] = found.coefficients[: X.shape[1], 0]
        label_coef[k, seen] = scale * found.coefficients[X.shape[1] :, 0]
        intercept[k] = found.intercepts[0]
    return LinearChain(coef, label_coef, intercept, plan.order)


def fit_models(base: Any, X: Any, Y: np.ndarray, plan: ChainPlan) -> list[Any]:
    """Fit a clone of a classifier to each label; the value of a label with one class."""
    X, Y = X[plan.rows], Y[plan.rows]
    models: list[Any] = []
    for k, column in enumerate(Y.T):
        if column.min() == column.max():
            models.append(float(column[0]))
        else:
            models.append(clone(base).fit(with_labels(X, Y[:, plan.sources(k)]), column))
    return models


def with_labels(X: Any, labels: np.ndarray) -> Any:
    """Return the features with labels as further columns, dense or CSR as the features are."""
    columns = labels.astype(np.float64)
    if sparse.issparse(X):
        return sparse.csr_array(sparse.hstack([X, sparse.csr_array(columns)]))
    return np.hstack([X, columns])
