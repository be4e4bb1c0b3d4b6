"""Kernels of linear support vector machines: dual coordinate descent, and Newton's steps."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

# Most passes of the dual descent. Later ones gain less than Newton's steps on the same samples.
PASSES = 80
# The dual descent ends when the projected gradients of a pass differ by less.
_NARROW = 0.1
# Newton's systems are solved until the residual, in the norm of its preconditioner, has this part.
_RESIDUAL = 0.1
_MOST_STEPS = 100
_MOST_CONJUGATE = 200
_MOST_HALVINGS = 30
# A step is accepted if the value decreases by this part of what the slope predicts (Armijo).
_ENOUGH = 1e-4
_ROUNDING = 1e-14


@njit(cache=True, nogil=True)
def times(rows, chosen, v, products):
    """Write the products of chosen rows with v."""
    indptr, indices, data = rows
    for k in range(chosen.size):
        total = 0.0
        for e in range(indptr[chosen[k]], indptr[chosen[k] + 1]):
            total += data[e] * v[indices[e]]
        products[k] = total


@njit(cache=True, nogil=True)
def add_rows(rows, chosen, factors, sums):
    """Add chosen rows, each times its factor."""
    indptr, indices, data = rows
    for k in range(chosen.size):
        for e in range(indptr[chosen[k]], indptr[chosen[k] + 1]):
            sums[indices[e]] += factors[k] * data[e]


@njit(cache=True, nogil=True)
def descend(rows, norms, signs, ridge, dual, w, free, numbers):
    """Descend along single dual variables; return the intercept.

    The dual of Σ max(0, 1 - y m)² / ridge / 2 + ‖w‖² / 2, with m = w·x + b, has a variable for each
    sample, and w = Σ dual · y · x. Its constraint Σ dual · y = 0 is left to an augmented Lagrangian
    with the multiplier b: `free` has b and the weight of the squared constraint. `numbers` are
    random and make a new order of samples in each pass, without which the descent is slow. Samples
    that stay on the right side of the margin are left out.
    """
    indptr, indices, data = rows
    bias, weight = free
    order = np.flatnonzero(np.isfinite(ridge))
    n_left, highest = order.size, np.inf
    unbalanced = (dual * signs).sum()
    for turn in range(PASSES):
        shuffle(order[:n_left], numbers, turn)
        most, least = 0.0, 0.0
        k = 0
        while k < n_left:
            i = order[k]
            margin = bias + weight * unbalanced
            for e in range(indptr[i], indptr[i + 1]):
                margin += data[e] * w[indices[e]]
            slope = signs[i] * margin - 1 + ridge[i] * dual[i]
            if dual[i] == 0 and slope > highest:
                n_left -= 1
                order[k], order[n_left] = order[n_left], i
                continue
            k += 1
            if dual[i] == 0 and slope >= 0:
                continue
            most, least = max(most, slope), min(least, slope)
            after = max(0.0, dual[i] - slope / (norms[i] + weight + ridge[i]))
            change = (after - dual[i]) * signs[i]
            dual[i] = after
            unbalanced += change
            for e in range(indptr[i], indptr[i + 1]):
                w[indices[e]] += change * data[e]
        bias += weight * unbalanced
        if most - least <= _NARROW:
            break
        highest = most if most > 0 else np.inf
    return bias


@njit(cache=True, nogil=True)
def shuffle(order, numbers, turn):
    """Permute in place (Fisher and Yates), by random numbers that are used again in each turn."""
    start = turn * 7919
    for k in range(order.size - 1):
        other = k + numbers[(start + k) % numbers.size] % (order.size - k)
        order[k], order[other] = order[other], order[k]


@njit(cache=True, nogil=True)
def newton(rows, signs, weights, ridge, w, bias, tolerance):
    """Minimise Σ weight · max(0, 1 - y m)² + ridge · ‖w‖², m = w·x + b, from w and b.

    On the samples within the margin the loss is quadratic, so that a step there is a weighted least
    squares problem. Changes w; returns the intercept, and whether the decrease that a step predicts
    fell below `tolerance` times the value.
    """
    n_samples = signs.size
    every = np.arange(n_samples)
    margins, ahead = np.empty(n_samples), np.zeros(n_samples)
    times(rows, every, w, margins)
    margins += bias
    size = (w * w).sum()
    value = squared_hinges(signs, weights, margins, ahead, 0.0) + ridge * size
    for _ in range(_MOST_STEPS):
        near = np.flatnonzero((signs * margins < 1) & (weights > 0))
        residual = signs[near] - margins[near]
        step = least_squares(rows, near, residual, weights[near], ridge, w)
        times(rows, every, step, ahead)
        total = max(weights[near].sum(), _ROUNDING)
        shift = (weights[near] * (residual - ahead[near])).sum() / total
        ahead += shift
        along, length = (w * step).sum(), (step * step).sum()
        slope = 2 * (ridge * along - (weights[near] * residual * ahead[near]).sum())
        part = 1.0
        for _ in range(_MOST_HALVINGS):
            after = squared_hinges(signs, weights, margins, ahead, part)
            after += ridge * (size + part * (2 * along + part * length))
            if after <= value + _ENOUGH * part * slope + _ROUNDING * value:
                break
            part /= 2
        w += part * step
        bias += part * shift
        margins += part * ahead
        size = (w * w).sum()
        value = after
        if -slope / 2 <= tolerance * value:
            return bias, True
    return bias, False


@njit(cache=True, nogil=True)
def squared_hinges(signs, weights, margins, ahead, part):
    """Return Σ weight · max(0, 1 - y (m + part · ahead))²."""
    total = 0.0
    for i in range(signs.size):
        gap = 1 - signs[i] * (margins[i] + part * ahead[i])
        if gap > 0:
            total += weights[i] * gap * gap
    return total


@njit(cache=True, nogil=True)
def least_squares(rows, near, residual, weights, ridge, w):
    """Return the step d of w that nearly minimises Σ weight (residual - d·x - b)² + ridge ‖w + d‖².

    Conjugate gradients with the inverse diagonal; the best b is the weighted mean of what is left.
    """
    total = max(weights.sum(), _ROUNDING)
    inverse, mean, products = np.zeros(w.size), np.zeros(w.size), np.empty(near.size)
    add_squares(rows, near, weights, inverse, mean)
    for f in range(w.size):
        inverse[f] = 1 / (ridge + max(0.0, inverse[f] - mean[f] * mean[f] / total))
    left = -ridge * w
    add_rows(rows, near, weights * (residual - (weights * residual).sum() / total), left)
    step, image = np.zeros(w.size), np.empty(w.size)
    along = inverse * left
    energy = (left * along).sum()
    goal = _RESIDUAL * _RESIDUAL * energy
    for _ in range(_MOST_CONJUGATE):
        if energy <= goal:
            break
        times(rows, near, along, products)
        products -= (weights * products).sum() / total
        for f in range(w.size):
            image[f] = ridge * along[f]
        add_rows(rows, near, weights * products, image)
        length = energy / (along * image).sum()
        after = 0.0
        for f in range(w.size):
            step[f] += length * along[f]
            left[f] -= length * image[f]
            after += left[f] * left[f] * inverse[f]
        for f in range(w.size):
            along[f] = inverse[f] * left[f] + after / energy * along[f]
        energy = after
    return step


@njit(cache=True, nogil=True)
def add_squares(rows, chosen, weights, squares, sums):
    """Add the weighted entries of chosen rows, and their squares, feature by feature."""
    indptr, indices, data = rows
    for k in range(chosen.size):
        for e in range(indptr[chosen[k]], indptr[chosen[k] + 1]):
            sums[indices[e]] += weights[k] * data[e]
            squares[indices[e]] += weights[k] * data[e] * data[e]
