"""Kernels for inner products term by term, and for label sums over the k nearest documents.

Loops run over indices instead of elements, because LLVM vectorises only those: counting is then
seven times as fast.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit

# The smallest positive float.
_LEAST = 5e-324


class Csr(NamedTuple):
    """Arrays of a CSR matrix."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class Scratch(NamedTuple):
    """Work arrays for one test document, reused for the next."""

    products: np.ndarray  # inner product with each training document
    terms: np.ndarray  # the terms that were added last
    rows: np.ndarray  # candidates for neighbours: documents with a product above the cut
    values: np.ndarray  # their products
    cut: np.ndarray  # one number: at least k documents have a product of at least this
    is_listed: np.ndarray  # whether a document is among the candidates; all False between calls


@njit(inner=True, nogil=True)
def make_scratch(n_train, n_terms):
    """Allocate work arrays for documents of at most `n_terms` terms."""
    return Scratch(
        np.empty(n_train),
        np.empty(n_terms, np.int64),
        np.empty(n_train, np.int32),
        np.empty(n_train),
        np.empty(1),
        np.zeros(n_train, np.bool_),
    )


@njit(cache=True, nogil=True)
def sum_over_neighbors(queries, start, stop, levels, postings, labels, k, sums):
    """Fill sums with the products of the k nearest documents of each label.

    `sums` has the shape (n_levels, n_queries, n_labels). At level l, the terms with
    levels[term] <= l count. Queries are rows of terms with weights, postings are the training
    documents of each term, and labels are those of each training document.
    """
    longest = 0
    for i in range(start, stop):
        longest = max(longest, queries.indptr[i + 1] - queries.indptr[i])
    scratch = make_scratch(labels.indptr.size - 1, longest)
    for i in range(start, stop):
        scratch.products[:] = 0.0
        n_found = 0
        for level in range(sums.shape[0]):
            n_terms = 0
            for p in range(queries.indptr[i], queries.indptr[i + 1]):
                if levels[queries.indices[p]] == level:
                    add_term(queries.indices[p], queries.data[p], postings, scratch.products)
                    scratch.terms[n_terms] = queries.indices[p]
                    n_terms += 1
            if n_terms == 0 and level > 0:
                sums[level, i] = sums[level - 1, i]
                continue
            n_found = collect(scratch, n_found, n_terms, postings, k)
            add_labels(scratch, n_found, k, labels, sums[level, i])


@njit(inner=True, nogil=True)
def add_term(term, weight, postings, products):
    """Add a term's part of the inner products."""
    for q in range(postings.indptr[term], postings.indptr[term + 1]):
        products[postings.indices[q]] += weight * postings.data[q]


@njit(inner=True, nogil=True)
def collect(scratch, n_before, n_terms, postings, k):
    """Collect and count the documents above a cut that k products reach.

    If fewer than k documents are above the cut, the cut is the k-th highest product. The former
    candidates give a first cut, their own k-th highest product. If that is not below the former
    cut, a document without any of the new terms cannot have come above it, and only documents of
    the new terms need a look.
    """
    products, values = scratch.products, scratch.values
    cut = -np.inf
    if n_before >= k:
        for c in range(n_before):
            values[c] = products[scratch.rows[c]]
        cut = cut_of_best(values[:n_before], k, k, cut)
        n_touched = 0
        for j in range(n_terms):
            term = scratch.terms[j]
            n_touched += postings.indptr[term + 1] - postings.indptr[term]
        if cut >= scratch.cut[0] and 2 * n_touched < products.size:
            scratch.cut[0] = cut
            return collect_touched(scratch, n_before, n_terms, postings)
    if products.size > k:
        cut = cut_of_best(products, k, 2 * k, cut)
    scratch.cut[0] = cut
    n_found = 0
    for i in range(products.size):
        if products[i] > cut:
            scratch.rows[n_found] = i
            values[n_found] = products[i]
            n_found += 1
    return n_found


@njit(inner=True, nogil=True)
def collect_touched(scratch, n_before, n_terms, postings):
    """Collect former candidates and documents of new terms above the cut."""
    products, rows, values = scratch.products, scratch.rows, scratch.values
    cut = scratch.cut[0]
    n_found = 0
    for c in range(n_before):
        row = rows[c]
        if products[row] > cut:
            rows[n_found] = row
            values[n_found] = products[row]
            scratch.is_listed[row] = True
            n_found += 1
    for j in range(n_terms):
        term = scratch.terms[j]
        for q in range(postings.indptr[term], postings.indptr[term + 1]):
            row = postings.indices[q]
            if products[row] > cut and not scratch.is_listed[row]:
                rows[n_found] = row
                values[n_found] = products[row]
                scratch.is_listed[row] = True
                n_found += 1
    for c in range(n_found):
        scratch.is_listed[rows[c]] = False
    return n_found


@njit(cache=True, nogil=True)
def add_labels(scratch, n_found, k, labels, sums):
    """Add the k highest products to labels; of ties, the first rows count."""
    products, rows, values = scratch.products, scratch.rows, scratch.values
    cut = scratch.cut[0]
    if n_found > k:
        cut = cut_of_best(values[:n_found], k, k, cut)
    sums[:] = 0.0
    n_taken = 0
    for c in range(n_found):
        if values[c] > cut:
            n_taken += 1
            carry(rows[c], values[c], labels, sums)
    # Documents with product 0 add nothing to any label, so that they need not be found.
    if cut == 0.0:
        return
    for i in range(products.size):
        if n_taken == k:
            break
        if products[i] == cut:
            n_taken += 1
            carry(i, cut, labels, sums)


@njit(inner=True, nogil=True)
def carry(row, value, labels, sums):
    """Add a value to each label of a training document."""
    for p in range(labels.indptr[row], labels.indptr[row + 1]):
        sums[labels.indices[p]] += value


@njit(cache=True, nogil=True)
def cut_of_best(values, k, enough, low):
    """Find a cut that at least k values reach, and `enough` at most but for ties.

    With ties the cut is the k-th highest value. There must be at least k values, all finite; `low`
    is a number that at least k of them are known to reach, or -inf.
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


@njit(inner=True, nogil=True)
def bracket(values, k, low):
    """Return a low that k values reach and a high that fewer do, or 0 and 0."""
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
    # Ends at infinity at the latest, which no finite value reaches.
    while high < np.inf and count_reached(values, high) >= k:
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
