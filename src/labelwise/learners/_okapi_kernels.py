"""Kernels that add up inner products term by term, and label sums over the best documents.

Loops run over indices, not over elements: only so does LLVM turn counting into vector code, which
is seven times as fast.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

# The lowest float above 0.
_LEAST = 5e-324


class Csr(NamedTuple):
    """Rows of entries one after the other."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class Scratch(NamedTuple):
    """What one document needs, used again for the next."""

    products: np.ndarray  # inner product with each training document
    rows: np.ndarray  # candidates for neighbours
    values: np.ndarray  # their products


@njit(cache=True, nogil=True)
def sum_over_neighbors(queries, start, stop, levels, postings, labels, k, sums):
    """Fill rows of sums (n_levels, n_queries, n_labels) by the labels of the k best documents.

    At level l, the terms with levels[term] <= l count. Queries are rows of terms with weights,
    postings the training documents of each term, labels those of each training document.
    """
    n_train = labels.indptr.size - 1
    products = np.empty(n_train)
    scratch = Scratch(products, np.empty(n_train, np.int32), np.empty(n_train))
    for i in range(start, stop):
        products[:] = 0.0
        n_candidates = 0
        for level in range(sums.shape[0]):
            is_changed = level == 0
            for p in range(queries.indptr[i], queries.indptr[i + 1]):
                if levels[queries.indices[p]] == level:
                    add_term(queries.indices[p], queries.data[p], postings, products)
                    is_changed = True
            if is_changed:
                n_candidates = collect(scratch, n_candidates, k)
                add_labels(scratch, n_candidates, k, labels, sums[level, i])
            else:
                sums[level, i] = sums[level - 1, i]


@njit(cache=True, nogil=True)
def add_term(term, weight, postings, products):
    """Add a term's part of the inner products."""
    for q in range(postings.indptr[term], postings.indptr[term + 1]):
        products[postings.indices[q]] += weight * postings.data[q]


@njit(cache=True, nogil=True)
def collect(scratch, n_before, k):
    """Collect, in row order, the documents above a cut that at least k reach; return how many.

    Any k documents give a first cut, their lowest product; those that stood best before the last
    terms were added give a sharp one at little cost. With fewer than k documents above the cut,
    it is the k-th product itself; it is left behind the candidates for `add_labels`.
    """
    products, rows, values = scratch
    cut = -np.inf
    if n_before >= k:
        for c in range(n_before):
            values[c] = products[rows[c]]
        cut = cut_of_best(values[:n_before], k, k, cut)
    if products.size > k:
        cut = cut_of_best(products, k, 2 * k, cut)
    n_found = 0
    for i in range(products.size):
        if products[i] > cut:
            rows[n_found] = i
            values[n_found] = products[i]
            n_found += 1
    if n_found < products.size:
        values[n_found] = cut
    return n_found


@njit(cache=True, nogil=True)
def add_labels(scratch, n_found, k, labels, sums):
    """Add the products of the k best to the labels they carry; of equals, the first rows count."""
    products, rows, values = scratch
    cut = -np.inf
    if n_found > k:
        cut = cut_of_best(values[:n_found], k, k, -np.inf)
    elif n_found < products.size:
        cut = values[n_found]
    sums[:] = 0.0
    n_taken = 0
    for c in range(n_found):
        if values[c] > cut:
            n_taken += 1
            carry(rows[c], values[c], labels, sums)
    # Documents that share no term add nothing to any label, and need not be found.
    if cut == 0.0:
        return
    for i in range(products.size):
        if n_taken == k:
            break
        if products[i] == cut:
            n_taken += 1
            carry(i, cut, labels, sums)


@njit(cache=True, nogil=True)
def carry(row, value, labels, sums):
    """Add a value to each label of a training document."""
    for p in range(labels.indptr[row], labels.indptr[row + 1]):
        sums[labels.indices[p]] += value


@njit(cache=True, nogil=True)
def cut_of_best(values, k, enough, low):
    """Return a cut that at least k values reach, and at most `enough` if ties allow it.

    If they do not, it is the k-th highest value. There are at least k values, all finite; low is
    a value that k of them are known to reach, or -inf.
    """
    n_reached = values.size
    if low > 0.0:
        n_reached = count_reached(values, low)
    low, high = bracket(values, k, low) if n_reached > enough else (low, low)
    while n_reached > enough:
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        n_above = count_reached(values, middle)
        if n_above >= k:
            low = middle
            n_reached = n_above
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def bracket(values, k, low):
    """Return a low that at least k values reach, and a high that fewer do, or twice the k-th."""
    if low <= 0.0:
        if count_reached(values, 0.0) < k:
            low = values[0]
            for i in range(1, values.size):
                low = min(low, values[i])
            return low, 0.0
        if count_reached(values, _LEAST) < k:
            return 0.0, 0.0
        low = 0.0
    high = 2 * low if low > 0.0 else 1.0
    while count_reached(values, high) >= k:
        low = high
        high *= 2
    return low, high


@njit(cache=True, nogil=True)
def count_reached(values, cut):
    """Return how many values are at least the cut."""
    n_reached = 0
    for i in range(values.size):
        n_reached += values[i] >= cut
    return n_reached
