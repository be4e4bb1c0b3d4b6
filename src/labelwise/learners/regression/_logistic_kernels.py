"""Kernels of many regressions: softmax with log-loss, sparse products, sums of columns."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import math

import numpy as np

from labelwise._jit import compiled_if_worth, njit

_LOG2_E = 1 / math.log(2)
# ln 2 in two parts; the first ends in zero bits, so that its integer multiples are exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
# Added to a number below 2^51, it leaves the nearest integer in the last bits.
_ROUNDER = 6755399441055744.0
_ROUNDER_BITS = 4843621399236968448
# exp(-700) is still a normal number.
_LOWEST = -700.0
# Margins up to this need no shift: sums of their exponentials are far from overflow.
_HIGH = 30.0
# Rows per block: few enough for their margins to stay in the first-level cache.
ROWS = 64
_EXPONENT_OF_ONE = 1023 << 52
_MANTISSA = (1 << 52) - 1


@njit(cache=True, nogil=True)
def add_softmaxes(margins, bounds, weights, columns, work, product, exponent, loss):
    """Replace margins as `softmaxes` does; the loss lacks the logarithm of product · 2^exponent.

    The work arrays have a line of ROWS numbers for each column, four such lines, and one for each
    task in `product` (ones at first) and `exponent` (zeros).
    """
    n_rows, n_tasks = margins.shape[0], bounds.size - 1
    for first in range(0, n_rows, ROWS):
        rows = margins[first : first + ROWS]
        for i in range(rows.shape[0]):
            row = rows[i]
            for k in range(row.size):
                columns[k, i] = row[k]
        for t in range(n_tasks):
            own = columns[bounds[t] : bounds[t + 1]]
            loss[t] += shares(own, rows.shape[0], weights[first:], work)
            if weights.size:
                for i in range(rows.shape[0]):
                    loss[t] += weights[first + i] * math.log(work[0, i])
            else:
                multiply(product[t], exponent[t], work[0, : rows.shape[0]])
        for i in range(rows.shape[0]):
            row = rows[i]
            for k in range(row.size):
                row[k] = columns[k, i]


@njit(cache=True, nogil=True)
def shares(columns, n_rows, weights, work):
    """Replace margins, one line per class, by w · softmax.

    Writes the sum of exponentials, which is at least 1, to work[0]. If margins had to be shifted to
    prevent overflow, returns Σ w · shift, else 0.
    """
    total, factor = work[0], work[1]
    is_high = False
    for k in range(columns.shape[0]):
        x = columns[k]
        for i in range(n_rows):
            is_high |= x[i] > _HIGH
    subtracted = 0.0
    for i in range(total.size):
        total[i] = 1.0
    if is_high:
        subtracted = subtract_excess(columns, n_rows, weights, work)
    for k in range(columns.shape[0]):
        x = columns[k]
        exponential(x, work[2], work[3])
        for i in range(x.size):
            total[i] += x[i]
    for i in range(n_rows):
        factor[i] = 1 / total[i]
    if weights.size:
        for i in range(n_rows):
            factor[i] *= weights[i]
    for k in range(columns.shape[0]):
        x = columns[k]
        for i in range(n_rows):
            x[i] *= factor[i]
    return subtracted


@njit(inner=True, nogil=True)
def subtract_excess(columns, n_rows, weights, work):
    """Shift margins so that none exceeds the bound; return Σ w · shift.

    Writes exp(-shift), the exponential of the first class, to work[0].
    """
    excess = work[1]
    for i in range(excess.size):
        excess[i] = 0.0
    for k in range(columns.shape[0]):
        for i in range(n_rows):
            excess[i] = max(excess[i], columns[k, i] - _HIGH)
    subtracted = 0.0
    for i in range(n_rows):
        subtracted += excess[i] * (weights[i] if weights.size else 1.0)
        work[0, i] = math.exp(-excess[i])
    for k in range(columns.shape[0]):
        for i in range(n_rows):
            columns[k, i] -= excess[i]
    return subtracted


@njit(inner=True, nogil=True)
def exponential(x, rounded, scale):
    """Replace x by exp(x), for x up to 700, exact but for the last bits.

    exp(x) = 2^k exp(r) with |r| <= ln(2) / 2, by Taylor's series. Unlike calls of the mathematical
    library, these loops are vectorised. `rounded` and `scale` are work arrays.
    """
    rounded_bits = rounded.view(np.int64)
    scale_bits = scale.view(np.int64)
    for j in range(x.size):
        x[j] = max(x[j], _LOWEST)
        rounded[j] = x[j] * _LOG2_E + _ROUNDER
    for j in range(x.size):
        scale_bits[j] = (rounded_bits[j] - _ROUNDER_BITS + 1023) << 52
    for j in range(x.size):
        k = rounded[j] - _ROUNDER
        r = (x[j] - k * _LN2_HIGH) - k * _LN2_LOW
        sum_ = 1 / 39916800 + r * (1 / 479001600)
        sum_ = 1 / 362880 + r * (1 / 3628800 + r * sum_)
        sum_ = 1 / 5040 + r * (1 / 40320 + r * sum_)
        sum_ = 1 / 120 + r * (1 / 720 + r * sum_)
        sum_ = 1 / 6 + r * (1 / 24 + r * sum_)
        x[j] = scale[j] * (1 + r * (1 + r * (1 / 2 + r * sum_)))


@njit(cache=True, nogil=True)
def multiply(product, exponent, factors):
    """Multiply by factors, and move powers of two to `exponent`.

    `product` stays between 1 and 2, so that long products cannot overflow.
    """
    bits = product.view(np.int64)
    for i in range(factors.size):
        product[i] *= factors[i]
    for i in range(factors.size):
        exponent[i] += (bits[i] >> 52) - 1023
        bits[i] = (bits[i] & _MANTISSA) | _EXPONENT_OF_ONE


@njit(cache=True, nogil=True)
def add_products(rows, W, products, sums):
    """Add the products of sparse rows with the columns of W to an array.

    Those of a row are summed in `sums`, a work array of a number for each column, so that rows
    without entries cost nothing. Four entries of a row at a time, so that sums are loaded and
    stored less often.
    """
    indptr, indices, data = rows
    for i in range(products.shape[0]):
        start, end = indptr[i], indptr[i + 1]
        if start == end:
            continue
        for j in range(sums.size):
            sums[j] = 0.0
        n_fours = (end - start) // 4
        for k in range(start, start + 4 * n_fours, 4):
            x0, x1, x2, x3 = data[k], data[k + 1], data[k + 2], data[k + 3]
            w0, w1 = W[indices[k]], W[indices[k + 1]]
            w2, w3 = W[indices[k + 2]], W[indices[k + 3]]
            for j in range(sums.size):
                sums[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
        for k in range(start + 4 * n_fours, end):
            x, w = data[k], W[indices[k]]
            for j in range(sums.size):
                sums[j] += x * w[j]
        own = products[i]
        for j in range(sums.size):
            own[j] += sums[j]


@compiled_if_worth(lambda A, _factors, _B: A.size)
@njit(cache=True, nogil=True)
def add_multiples(A, factors, B):
    """Add the columns of B, each times its factor, to those of A."""
    for i in range(A.shape[0]):
        a, b = A[i], B[i]
        for j in range(factors.size):
            a[j] += factors[j] * b[j]
