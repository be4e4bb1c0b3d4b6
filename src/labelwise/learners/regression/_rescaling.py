"""Rescaled margins: the loss of held-out samples after the best sigmoid of each label.

A strong penalty shrinks the coefficients of a logistic regression, so that its probabilities are
too close to each other, and the loss of held-out samples is high even if their order is right. A
slope and an intercept for each label undo the shrinkage: what is left of the loss is due to the
direction of the coefficients.
"""

from __future__ import annotations

import numpy as np

from labelwise.decisions import Sigmoids, fit_sigmoids


def unit_sigmoids(n_labels: int) -> Sigmoids:
    """Return sigmoids that leave margins as they are."""
    return Sigmoids(np.ones(n_labels), np.zeros(n_labels))


def rescaled_losses(
    margins: np.ndarray, Y: np.ndarray, weights: np.ndarray | None
) -> tuple[Sigmoids, np.ndarray]:
    """Fit a sigmoid to the held-out margins of each label; return it and the mean log-loss.

    Where positives do not have the higher margins, the loss is that of a constant probability, and
    the sigmoid leaves margins as they are: a slope of 0 would make all scores equal.
    """
    Y = Y.astype(np.float64)
    share = np.full(len(Y), 1 / len(Y)) if weights is None else weights / weights.sum()
    found = fit_sigmoids(margins, Y, share * len(Y), increasing=True)
    log_odds = found.log_odds(margins)
    losses = share @ (np.logaddexp(0, log_odds) - Y * log_odds)
    has_order = found.slopes > 0
    kept = Sigmoids(
        np.where(has_order, found.slopes, 1.0), np.where(has_order, found.intercepts, 0.0)
    )
    return kept, losses
