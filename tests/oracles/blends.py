"""Weights of the log-odds of several models, as they are defined."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, xlogy


def log_loss(margins, targets, weights):
    """The summed log-loss of log-odds."""
    proba = expit(margins)
    return -(weights * (xlogy(targets, proba) + xlogy(1 - targets, 1 - proba))).sum()


def weighted(parameters, log_odds):
    """Log-odds times weights, plus the last parameter, the intercept."""
    total = np.full(log_odds[0].shape, parameters[-1])
    for weight, one in zip(parameters[:-1], log_odds, strict=True):
        total += weight * one
    return total


def common_loss(parameters, log_odds, targets, weights):
    """The mean log-loss of all cells, which common weights minimise."""
    return log_loss(weighted(parameters, log_odds), targets, weights) / weights.sum()


def label_loss(parameters, log_odds, targets, weights, common, penalty):
    """The log-loss of one label plus the penalty, which the weights of the label minimise."""
    distance = ((parameters[:-1] - common) ** 2).sum()
    return log_loss(weighted(parameters, log_odds), targets, weights) + penalty / 2 * distance


def smallest(loss, start, *arguments, bounds=None):
    """The smallest value of a loss, by a general method without derivatives."""
    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-9, "fatol": 1e-12}
    return minimize(
        loss, start, arguments, method="Nelder-Mead", bounds=bounds, options=options
    ).fun
