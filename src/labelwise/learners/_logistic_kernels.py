"""Probabilities in place of margins, and their log-loss, for many regressions at once."""

import math

import numpy as np
from numba import njit

_LOG2_E = 1 / math.log(2)
# ln 2 in two parts, the first with trailing zeros: multiples of it are exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
# Added to a number below 2^51, it leaves the nearest integer in the last bits.
_ROUNDER = 6755399441055744.0
_ROUNDER_BITS = 4843621399236968448
# exp(-700) is still a normal number.
_LOWEST = -700.0
# Numbers that are worked on at a time, to stay in the nearest cache.
_TOGETHER = 512
# Factors from 1 to 2 whose product stays finite, with those of the next strip.
_MOST_FACTORS = 512
_LARGEST_PRODUCT = 1e250


@njit(cache=True, nogil=True)
def sigmoids(margins, weights, loss):
    """Replace each margin m by w / (1 + exp(-m)), and add Σ w log(1 + exp(m)) to its column.

    Without weights (an empty array) a logarithm is taken of the product of many terms.
    """
    n_rows, n_columns = margins.shape
    strip = max(1, _TOGETHER // n_columns)
    work = np.empty((4, strip * n_columns))
    product = np.ones(n_columns)
    n_factors = 0
    for first in range(0, n_rows, strip):
        part = margins[first : first + strip]
        flat = part.reshape(part.size)
        x, power = work[0, : flat.size], work[1, : flat.size]
        for j in range(flat.size):
            x[j] = -abs(flat[j])
        exp_of_negative(x, power, work[2], work[3])
        if weights.size:
            add_weighted(part, power, weights[first : first + strip], loss)
        else:
            add_terms(part, power, loss, product)
            n_factors += strip
        for j in range(flat.size):
            p = 1 / (1 + power[j])
            flat[j] = p if flat[j] >= 0 else power[j] * p
        if n_factors > _MOST_FACTORS - strip or first + strip >= n_rows:
            add_logarithms(product, loss)
            n_factors = 0
    scale_rows(margins, weights)


@njit(cache=True, nogil=True)
def softmaxes(margins, bounds, weights, loss):
    """Replace margins by w · softmax within each task, and add Σ w log Σ exp(m) to its loss.

    The columns of task t are those from bounds[t] to bounds[t + 1].
    """
    n_rows, n_columns = margins.shape
    strip = max(1, _TOGETHER // n_columns)
    work = np.empty((4, strip * n_columns))
    product = np.ones(bounds.size - 1)
    for first in range(0, n_rows, strip):
        part = margins[first : first + strip]
        for i in range(part.shape[0]):
            weight = weights[first + i] if weights.size else 1.0
            subtract_largest(part[i], bounds, weight, loss)
        flat = part.reshape(part.size)
        power = work[1, : flat.size]
        exp_of_negative(flat, power, work[2], work[3])
        flat[:] = power
        for i in range(part.shape[0]):
            if weights.size:
                product[:] = 1.0
            share_out(part[i], bounds, product)
            for t in range(product.size):
                if weights.size:
                    loss[t] += weights[first + i] * math.log(product[t])
                elif product[t] > _LARGEST_PRODUCT:
                    loss[t] += math.log(product[t])
                    product[t] = 1.0
    if weights.size == 0:
        add_logarithms(product, loss)
    scale_rows(margins, weights)


@njit(cache=True, nogil=True)
def exp_of_negative(x, power, rounded, scale):
    """Put exp(x) into `power` for x <= 0, right to the last bits; the others are work space.

    exp(x) = 2^k exp(r) with |r| <= ln(2) / 2, by Taylor's series. Loops this plain are done four
    numbers at a time, which calls of the mathematical library are not.
    """
    rounded_bits = rounded.view(np.int64)
    scale_bits = scale.view(np.int64)
    for j in range(x.size):
        rounded[j] = max(x[j], _LOWEST) * _LOG2_E + _ROUNDER
    for j in range(x.size):
        scale_bits[j] = (rounded_bits[j] - _ROUNDER_BITS + 1023) << 52
    for j in range(x.size):
        k = rounded[j] - _ROUNDER
        r = (max(x[j], _LOWEST) - k * _LN2_HIGH) - k * _LN2_LOW
        sum_ = 1 / 39916800 + r * (1 / 479001600)
        sum_ = 1 / 362880 + r * (1 / 3628800 + r * sum_)
        sum_ = 1 / 5040 + r * (1 / 40320 + r * sum_)
        sum_ = 1 / 120 + r * (1 / 720 + r * sum_)
        sum_ = 1 / 6 + r * (1 / 24 + r * sum_)
        power[j] = scale[j] * (1 + r * (1 + r * (1 / 2 + r * sum_)))


@njit(cache=True, nogil=True)
def add_terms(margins, power, loss, product):
    """Add max(m, 0) to the loss and multiply the product by 1 + exp(-|m|), column by column."""
    n_columns = margins.shape[1]
    for i in range(margins.shape[0]):
        row = margins[i]
        powers = power[i * n_columns : (i + 1) * n_columns]
        for j in range(n_columns):
            product[j] *= 1 + powers[j]
        for j in range(n_columns):
            loss[j] += max(row[j], 0.0)


@njit(cache=True, nogil=True)
def add_weighted(margins, power, weights, loss):
    """Add w log(1 + exp(m)) to the loss, column by column, given exp(-|m|)."""
    n_columns = margins.shape[1]
    for i in range(margins.shape[0]):
        for j in range(n_columns):
            term = max(margins[i, j], 0.0) + math.log1p(power[i * n_columns + j])
            loss[j] += weights[i] * term


@njit(cache=True, nogil=True)
def add_logarithms(product, loss):
    """Add log(product) to the loss and begin the product anew."""
    for j in range(product.size):
        loss[j] += math.log(product[j])
        product[j] = 1.0


@njit(cache=True, nogil=True)
def subtract_largest(row, bounds, weight, loss):
    """Subtract the largest margin of each task, and add it to the loss."""
    for t in range(bounds.size - 1):
        largest = row[bounds[t]]
        for j in range(bounds[t] + 1, bounds[t + 1]):
            largest = max(largest, row[j])
        loss[t] += weight * largest
        for j in range(bounds[t], bounds[t + 1]):
            row[j] -= largest


@njit(cache=True, nogil=True)
def share_out(row, bounds, product):
    """Divide the numbers of each task by their sum, and multiply the product by it."""
    for t in range(bounds.size - 1):
        total = 0.0
        for j in range(bounds[t], bounds[t + 1]):
            total += row[j]
        product[t] *= total
        inverse = 1 / total
        for j in range(bounds[t], bounds[t + 1]):
            row[j] *= inverse


@njit(cache=True, nogil=True)
def scale_rows(rows, weights):
    """Multiply each row by its weight, if there are any."""
    for i in range(weights.size):
        for j in range(rows.shape[1]):
            rows[i, j] *= weights[i]
