"""Sigmoids from scores to probabilities, fitted to all labels at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

# Number of scores in memory at a time; a step needs about ten arrays of this size.
_TOGETHER = 2**20
_MOST_STEPS = 100
_MOST_HALVINGS = 30
# A label is finished when a step would lower its mean log-loss by less.
_TOLERANCE = 1e-14
# Scores of at least this number of samples are fitted in bins first: a step then costs little.
_MANY = 2048
_N_BINS = 256


class Sigmoids(NamedTuple):
    """The probability 1 / (1 + exp(-(slope · score + intercept))) of each label."""

    slopes: np.ndarray  # (n_labels,)
    intercepts: np.ndarray  # (n_labels,)

    def log_odds(self, scores: np.ndarray) -> np.ndarray:
        """Return slope · score + intercept, of shape (n_samples, n_labels)."""
        return np.asarray(self.slopes * scores + self.intercepts)

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Return the probabilities of scores, of shape (n_samples, n_labels)."""
        return np.asarray(expit(self.log_odds(scores)))


def fit_sigmoids(
    scores: np.ndarray, Y: np.ndarray, weights: np.ndarray, *, increasing: bool = False
) -> Sigmoids:
    """Fit a sigmoid to each label by maximum likelihood to Platt's targets.

    The targets are (N+ + 1) / (N+ + 2) for positives and 1 / (N- + 2) for negatives, where N+ and
    N- are the total weights of the positives and of the negatives. Y is NaN where there is no
    truth. The slope of a constant score is 0.

    With `increasing`, slopes are at least 0: held-out scores of a label with few positives may be
    lower for positives, because each was scored by a model that had seen one positive fewer.
    """
    n_samples, n_labels = scores.shape
    width = max(1, _TOGETHER // max(1, n_samples))
    parts = [
        _fit_block(
            scores[:, first : first + width], Y[:, first : first + width], weights, increasing
        )
        for first in range(0, n_labels, width)
    ]
    if not parts:
        return Sigmoids(np.empty(0), np.empty(0))
    return Sigmoids(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def platt_targets(Y: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the target and the weight of each cell; the weight is 0 where Y is NaN."""
    cell_weights = np.where(np.isnan(Y), 0.0, weights[:, None])
    n_positive = (cell_weights * (Y == 1)).sum(axis=0)
    n_negative = cell_weights.sum(axis=0) - n_positive
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    return np.where(Y == 1, high, low), cell_weights


def _fit_block(
    scores: np.ndarray, Y: np.ndarray, weights: np.ndarray, increasing: bool
) -> Sigmoids:
    targets, cell_weights = platt_targets(Y, weights)
    total = cell_weights.sum(axis=0)
    # Without truth, a label has the probability 0.5.
    shares = np.where(total > 0, cell_weights / np.where(total > 0, total, 1.0), 1 / len(scores))
    scores = np.where(cell_weights > 0, scores, 0.0)
    centre = (shares * scores).sum(axis=0)
    spread = np.sqrt((shares * (scores - centre) ** 2).sum(axis=0))
    varies = spread > 1e-12 * np.abs(scores).max(axis=0, initial=0.0)
    unit = np.where(varies, spread, 1.0)
    columns = _StandardScores((scores - centre) / unit * varies, targets, shares)
    slope, intercept = np.zeros(varies.size), columns.start()
    if len(scores) >= _MANY:
        slope, intercept = _newton(columns.binned(), varies, slope, intercept)
    slope, intercept = _newton(columns, varies, slope, intercept)
    if increasing:
        # The loss is convex, so that the constrained optimum has slope 0.
        falls = slope < 0
        slope = np.where(falls, 0.0, slope)
        intercept = np.where(falls, columns.start(), intercept)
    slope = slope / unit
    return Sigmoids(slope, intercept - slope * centre)


class _StandardScores(NamedTuple):
    """Standardised scores, targets and weights (which sum to 1) of some labels."""

    scores: np.ndarray
    targets: np.ndarray
    shares: np.ndarray

    def start(self) -> np.ndarray:
        """Return the best intercept of each label for slope 0."""
        return np.asarray(logit((self.shares * self.targets).sum(axis=0)))

    def binned(self) -> _StandardScores:
        """Return means of the scores and targets in bins of equal width, with their weights."""
        low, high = self.scores.min(axis=0), self.scores.max(axis=0)
        per_width = (_N_BINS - 1) / np.where(high > low, high - low, 1.0)
        shape = low.size, _N_BINS
        places = ((self.scores - low) * per_width).astype(np.intp)
        places += np.arange(low.size) * _N_BINS

        def summed(cells: np.ndarray) -> np.ndarray:
            sums = np.bincount(places.ravel(), cells.ravel(), minlength=low.size * _N_BINS)
            return sums.reshape(shape).T

        shares = summed(self.shares)
        totals = np.where(shares > 0, shares, 1.0)
        scores, targets = summed(self.shares * self.scores), summed(self.shares * self.targets)
        return _StandardScores(scores / totals, targets / totals, shares)

    def loss_and_step(
        self, slope: np.ndarray, intercept: np.ndarray, varies: np.ndarray
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return the mean log-loss of each label, and Newton's step.

        The step has a change of both parameters, and twice the decrease that it predicts.
        """
        margin = slope * self.scores + intercept
        small = np.exp(-np.abs(margin))
        losses = np.maximum(margin, 0) + np.log1p(small) - self.targets * margin
        proba = np.where(margin > 0, 1.0, small) / (1 + small)
        error = self.shares * (proba - self.targets)
        curvature = self.shares * proba * (1 - proba)
        g_slope, g_intercept = _summed(error, self.scores), error.sum(axis=0)
        h_both = _summed(curvature, self.scores)
        # The slope of a constant score stays 0.
        h_slope = np.where(varies, _summed(curvature, self.scores, self.scores), 1.0)
        h_intercept = curvature.sum(axis=0)
        determinant = h_slope * h_intercept - h_both**2
        to_slope = (h_both * g_intercept - h_intercept * g_slope) / determinant
        to_intercept = (h_both * g_slope - h_slope * g_intercept) / determinant
        decrease = -(g_slope * to_slope + g_intercept * to_intercept)
        return _summed(self.shares, losses), (to_slope, to_intercept, decrease)


def _summed(*factors: np.ndarray) -> np.ndarray:
    """Sum the products of cells of each label."""
    return np.asarray(np.einsum(",".join(["ij"] * len(factors)) + "->j", *factors))


def _newton(
    columns: _StandardScores, varies: np.ndarray, slope: np.ndarray, intercept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise the log-loss of each label by Newton's method, halving steps that overshoot."""
    loss, step = columns.loss_and_step(slope, intercept, varies)
    for _ in range(_MOST_STEPS):
        to_slope, to_intercept, decrease = step
        length = np.where(decrease > _TOLERANCE, 1.0, 0.0)
        if not length.any():
            break
        for _ in range(_MOST_HALVINGS):
            ahead = slope + length * to_slope, intercept + length * to_intercept
            reached, step = columns.loss_and_step(*ahead, varies)
            overshoots = reached > loss
            if not overshoots.any():
                break
            length = np.where(overshoots, length / 2, length)
        # A label that no step improves stays, and the step at its rejected point is not taken.
        length = np.where(reached > loss, 0.0, length)
        step = *step[:2], np.where(reached > loss, 0.0, step[2])
        slope, intercept = slope + length * to_slope, intercept + length * to_intercept
        loss = np.minimum(loss, reached)
        if not length.any():
            break
    return slope, intercept
