"""Kernel that finds the frequency of a label from probabilities without labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

# Numbers that differ by less than this share are equal but for rounding.
EQUAL = 1e-13
# Change of the frequency, relative to the rarer class, at which the search ends.
TOLERANCE = 1e-10
MOST_STEPS = 200


@njit(inner=True, nogil=True)
def slope_and_squares(column, n_absent, old, new):
    """Return the first derivative of the log-likelihood, and minus the second one.

    `new` must be above 0 and below 1.
    """
    slope, squares = -n_absent / (1 - new), n_absent / (1 - new) ** 2
    for p in column:
        # A sum of two terms of which none is negative has no cancellation, and is above 0.
        part = (p - old) / (new * p * (1 - old) + (1 - new) * (1 - p) * old)
        slope += part
        squares += part * part
    return slope, squares


@njit(inner=True, nogil=True)
def sums_of(column, old):
    """Return the sums of the probabilities, their squares, their odds and their inverse odds.

    The odds are divided by the odds of the old frequency.
    """
    total, squares, odds, inverse = 0.0, 0.0, 0.0, 0.0
    for p in column:
        total += p
        squares += p * p
        odds += p * (1 - old) / ((1 - p) * old) if p < 1 else np.inf
        inverse += (1 - p) * old / (p * (1 - old)) if p > 0 else np.inf
    return total, squares, odds, inverse


@njit(cache=True, nogil=True)
def most_likely_prior(column, n_absent, old):
    """Return the new frequency of a label, the sums of p and p², and the number of steps.

    The log-likelihood is concave in the new frequency. Its maximum is at 0 if the slope there,
    which is proportional to ``odds - n``, is not above 0, and at 1 if ``inverse - n`` is not. A
    slope that is 0 but for rounding counts as 0. Otherwise Newton steps within bounds that the
    slopes give find the maximum.
    """
    total, squares, odds, inverse = sums_of(column, old)
    n = column.size + n_absent
    new, step = total / n, 1
    if abs(new - old) <= EQUAL:
        return old, total, squares, step
    if odds <= n * (1 + EQUAL):
        return 0.0, total, squares, step
    if inverse <= n * (1 + EQUAL) and n_absent == 0:
        return 1.0, total, squares, step
    low, high = 0.0, 1.0
    while step < MOST_STEPS:
        step += 1
        slope, steepness = slope_and_squares(column, n_absent, old, new)
        if slope > 0:
            low = new
        else:
            high = new
        change = slope / steepness
        if abs(change) <= TOLERANCE * min(new, 1 - new):
            break
        if low < new + change < high:
            new += change
        elif low < 0.5 * (low + high) < high:
            new = 0.5 * (low + high)
        else:
            break
    return new, total, squares, step
