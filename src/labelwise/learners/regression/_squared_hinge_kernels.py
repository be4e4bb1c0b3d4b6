"""Kernels of linear support vector machines: dual coordinate descent, and Newton's steps."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit
from labelwise.learners.regression._logistic_kernels import add_products

# Most passes of the dual descent. Later ones gain less than Newton's steps on the same samples.
PASSES = 40
# The dual descent ends when the projected gradients of a pass differ by less.
_NARROW = 0.2
# A sample without weight in w is left out if its gradient exceeds this part of the largest of the
# last pass. Newton's steps see all samples again.
_FAR = 0.25
# Newton's systems are solved until the residual, in the norm of its preconditioner, has this part.
_RESIDUAL = 0.1
_MOST_CONJUGATE = 200
_MOST_HALVINGS = 30
# A step is accepted if the value decreases by this part of what the slope predicts (Armijo).
_ENOUGH = 1e-4
_ROUNDING = 1e-14
# Labels whose products are computed together.
LANES = 8


@njit(inner=True, nogil=True)
def inner(indices, entries, v):
    """Return the product of a sparse row with v; four sums need not wait for each other."""
    n_fours = entries.size & ~3
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for e in range(0, n_fours, 4):
        a += entries[e] * v[indices[e]]
        b += entries[e + 1] * v[indices[e + 1]]
        c += entries[e + 2] * v[indices[e + 2]]
        d += entries[e + 3] * v[indices[e + 3]]
    for e in range(n_fours, entries.size):
        a += entries[e] * v[indices[e]]
    return (a + b) + (c + d)


@njit(inner=True, nogil=True)
def add_row(indices, entries, factor, sums):
    """Add a sparse row times a factor."""
    for e in range(entries.size):
        sums[indices[e]] += factor * entries[e]


@njit(cache=True, nogil=True)
def add_rows(rows, chosen, factors, sums):
    """Add chosen rows, each times its factor."""
    indptr, indices, data = rows
    for k in range(chosen.size):
        start, end = indptr[chosen[k]], indptr[chosen[k] + 1]
        add_row(indices[start:end], data[start:end], factors[k], sums)


@njit(cache=True, nogil=True)
def descend(rows, norms, signs, ridge, dual, w, free, numbers, order):
    """Descend along single dual variables; return the intercept.

    The dual of Σ max(0, 1 - y m)² / ridge / 2 + ‖w‖² / 2, with m = w·x + b, has a variable for each
    sample, and w = Σ dual · y · x. Its constraint Σ dual · y = 0 is left to an augmented Lagrangian
    with the multiplier b: `free` has b and the weight of the squared constraint. Samples that stay
    on the right side of the margin are left out. While there are none, rows are taken as they are
    stored, in random order, which is quick; later, `numbers`, which are random, make a new order in
    each pass, without which the descent is slow. `order` has the samples that have a weight, and
    is changed.
    """
    indptr, indices, data = rows
    bias, weight = free
    n_left, highest = order.size, np.inf
    unbalanced = 0.0
    for i in range(dual.size):
        unbalanced += dual[i] * signs[i]
    for turn in range(PASSES):
        if n_left < order.size:
            shuffle(order[:n_left], numbers, turn)
        most, least = 0.0, 0.0
        n_kept = 0
        for k in range(n_left):
            i = order[k]
            row, entries = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
            margin = bias + weight * unbalanced + inner(row, entries, w)
            slope = signs[i] * margin - 1 + ridge[i] * dual[i]
            if dual[i] > 0 or slope <= highest:
                order[n_kept] = i
                n_kept += 1
            if dual[i] == 0 and slope >= 0:
                continue
            most, least = max(most, slope), min(least, slope)
            after = max(0.0, dual[i] - slope / (norms[i] + weight + ridge[i]))
            change = (after - dual[i]) * signs[i]
            dual[i] = after
            unbalanced += change
            add_row(row, entries, change, w)
        n_left = n_kept
        bias += weight * unbalanced
        if most - least <= _NARROW:
            break
        highest = _FAR * most if most > 0 else np.inf
    return bias


@njit(inner=True, nogil=True)
def shuffle(order, numbers, turn):
    """Permute in place (Fisher and Yates), by random numbers that are used again in each turn.

    `numbers` are below 2^31, as many as a power of 2.
    """
    start = turn * 7919
    for k in range(order.size - 1):
        other = k + ((numbers[(start + k) & (numbers.size - 1)] * (order.size - k)) >> 31)
        order[k], order[other] = order[other], order[k]


@njit(cache=True, nogil=True)
def copy_rows(rows, near, cut, place, features):
    """Copy some rows, with the features numbered in the order in which they are found.

    `cut` has the starts of the copied rows, and receives their features and entries. `features`
    receives the numbers of the features in `rows`, whose number is returned. `place` has -1 for
    each feature.
    """
    indptr, indices, data = rows
    starts, own, entries = cut
    n_found = 0
    for k in range(near.size):
        offset = indptr[near[k]] - starts[k]
        for e in range(starts[k], starts[k + 1]):
            f = indices[offset + e]
            if place[f] < 0:
                place[f] = n_found
                features[n_found] = f
                n_found += 1
            own[e] = place[f]
            entries[e] = data[offset + e]
    return n_found


@njit(cache=True, nogil=True)
def advance(weights, signs, ridge, w, margins, step, ahead, tolerance):
    """Move w and its margins along a step, whose products with all samples are `ahead`.

    The step is halved until the value decreases enough. Returns the change of the intercept, and
    whether the decrease that the step predicts is less than `tolerance` times the value.
    """
    total, change = _ROUNDING, 0.0
    for i in range(signs.size):
        weight = weights[i] if signs[i] * margins[i] < 1 else 0.0
        total += weight
        change += weight * (signs[i] - margins[i] - ahead[i])
    shift = change / total
    slope, value = 0.0, 0.0
    for i in range(signs.size):
        ahead[i] += shift
        gap = max(0.0, 1 - signs[i] * margins[i])
        slope -= 2 * weights[i] * gap * signs[i] * ahead[i]
        value += weights[i] * gap * gap
    size, along, length = 0.0, 0.0, 0.0
    for f in range(w.size):
        size += w[f] * w[f]
        along += w[f] * step[f]
        length += step[f] * step[f]
    slope += 2 * ridge * along
    value += ridge * size
    part = 1.0
    for _ in range(_MOST_HALVINGS):
        after = squared_hinges(signs, weights, margins, ahead, part)
        after += ridge * (size + part * (2 * along + part * length))
        if after <= value + _ENOUGH * part * slope + _ROUNDING * value:
            break
        part /= 2
    for f in range(w.size):
        w[f] += part * step[f]
    for i in range(signs.size):
        margins[i] += part * ahead[i]
    return part * shift, -slope / 2 <= tolerance * after


@njit(inner=True, nogil=True)
def squared_hinges(signs, weights, margins, ahead, part):
    """Return Σ weight · max(0, 1 - y (m + part · ahead))²."""
    total = 0.0
    for i in range(signs.size):
        gap = max(0.0, 1 - signs[i] * (margins[i] + part * ahead[i]))
        total += weights[i] * gap * gap
    return total


@njit(cache=True, nogil=True)
def multiply(rows, W, products, columns, sums, work):
    """Set the products of sparse rows with the rows of W, of shape (n_tasks, n_samples).

    Eight rows of W at a time: their weights of a feature are in one line of the cache. `columns`,
    of zeros, and `sums` have a row of `LANES` numbers for each feature and each sample; `work` is
    one such row.
    """
    for first in range(0, W.shape[0], LANES):
        width = min(LANES, W.shape[0] - first)
        for f in range(W.shape[1]):
            for j in range(width):
                columns[f, j] = W[first + j, f]
        for i in range(sums.shape[0]):
            for j in range(LANES):
                sums[i, j] = 0.0
        add_products(rows, columns, sums, work)
        for i in range(products.shape[1]):
            for j in range(width):
                products[first + j, i] = sums[i, j]


@njit(cache=True, nogil=True)
def least_squares(rows, residual, weights, ridge, w, step, work):
    """Add the step d of w that nearly minimises Σ weight (residual - d·x - b)² + ridge ‖w + d‖².

    Conjugate gradients with the inverse diagonal; the best b is the weighted mean of what is left.
    `step` and the rows of `work`, one number for each feature, are zeros.
    """
    inverse, sums, left, image, along = work[0], work[1], work[2], work[3], work[4]
    indptr, indices, data = rows
    total, moment = 0.0, 0.0
    for k in range(weights.size):
        total += weights[k]
        moment += weights[k] * residual[k]
    total = max(total, _ROUNDING)
    add_squares(rows, weights, inverse, sums)
    for f in range(w.size):
        inverse[f] = 1 / (ridge + max(0.0, inverse[f] - sums[f] * sums[f] / total))
        left[f] = -ridge * w[f]
    for k in range(weights.size):
        start, end = indptr[k], indptr[k + 1]
        factor = weights[k] * (residual[k] - moment / total)
        add_row(indices[start:end], data[start:end], factor, left)
    energy = 0.0
    for f in range(w.size):
        along[f] = inverse[f] * left[f]
        energy += left[f] * along[f]
    goal = _RESIDUAL * _RESIDUAL * energy
    for _ in range(_MOST_CONJUGATE):
        if energy <= goal:
            break
        for f in range(w.size):
            image[f] = ridge * along[f]
        mean = add_gram(rows, weights, along, image) / total
        curvature = 0.0
        for f in range(w.size):
            image[f] -= mean * sums[f]
            curvature += along[f] * image[f]
        length = energy / curvature
        after = 0.0
        for f in range(w.size):
            step[f] += length * along[f]
            left[f] -= length * image[f]
            after += left[f] * left[f] * inverse[f]
        for f in range(w.size):
            along[f] = inverse[f] * left[f] + after / energy * along[f]
        energy = after


@njit(inner=True, nogil=True)
def add_gram(rows, weights, v, image):
    """Add Σ weight · (x·v) · x over rows x; return Σ weight · (x·v)."""
    indptr, indices, data = rows
    total = 0.0
    for k in range(weights.size):
        start, end = indptr[k], indptr[k + 1]
        row, entries = indices[start:end], data[start:end]
        product = weights[k] * inner(row, entries, v)
        add_row(row, entries, product, image)
        total += product
    return total


@njit(inner=True, nogil=True)
def add_squares(rows, weights, squares, sums):
    """Add the weighted entries of rows, and their squares, feature by feature."""
    indptr, indices, data = rows
    for k in range(weights.size):
        start, end = indptr[k], indptr[k + 1]
        row, entries = indices[start:end], data[start:end]
        for e in range(entries.size):
            weighted = weights[k] * entries[e]
            sums[row[e]] += weighted
            squares[row[e]] += weighted * entries[e]
