"""Kernels that score each term by the labels of the documents that have it."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit


class Lists(NamedTuple):
    """Lists one after the other: list i is items[bounds[i]:bounds[i + 1]]."""

    bounds: np.ndarray
    items: np.ndarray


class LabelFacts(NamedTuple):
    """Sizes of the labels and constants of the scores, computed before any term."""

    sizes: np.ndarray  # documents that carry each label
    commonest: np.ndarray  # labels that some but not all documents carry, most first
    odds: np.ndarray  # P(c) n_c / (N - n_c), 0 for a label that all or none carry
    all_odds: float
    n_cells: int  # pairs of a document and a label that it carries
    logs: np.ndarray  # x log2(x) for x from 0 to the number of documents


@njit(cache=True, nogil=True)
def score_terms(documents, labels, facts, cut, scores):
    """Fill scores (4, n_terms): document frequency, information gain, chi2-max, chi2-avg.

    documents are those that have each term, labels those of each document. Only labels that occur
    together with the term are visited; the others have chi2 in proportion to n_c / (N - n_c), so
    that their largest and their sum are known without a visit.
    """
    n_docs = labels.bounds.size - 1
    together = np.zeros(facts.sizes.size, np.int64)
    touched = np.empty(facts.sizes.size, np.int64)
    for t in range(scores.shape[1]):
        holders = documents.items[documents.bounds[t] : documents.bounds[t + 1]]
        if holders.size <= cut:
            scores[:, t] = -np.inf
            continue
        n_touched = count_together(holders, labels, together, touched)
        # In the order of the labels, terms with equal counts have sums that are equal to the bit.
        seen = np.sort(touched[:n_touched])
        scores[0, t] = holders.size
        scores[1, t] = information_gain(seen, together, holders.size, n_docs, facts)
        scores[2, t], scores[3, t] = chi2_of_term(seen, together, holders.size, n_docs, facts)
        together[seen] = 0


@njit(inner=True, nogil=True)
def count_together(holders, labels, together, touched):
    """Count how many holders carry each label; list the labels that any carries."""
    n_touched = 0
    for d in holders:
        for p in range(labels.bounds[d], labels.bounds[d + 1]):
            c = labels.items[p]
            if together[c] == 0:
                touched[n_touched] = c
                n_touched += 1
            together[c] += 1
    return n_touched


@njit(cache=True, nogil=True)
def information_gain(seen, together, df, n_docs, facts):
    """G(t) in bits, with the shares written as counts so that only seen labels differ."""
    n_together = 0
    change = 0.0
    for c in seen:
        a = together[c]
        n_together += a
        change += facts.logs[a] + facts.logs[facts.sizes[c] - a] - facts.logs[facts.sizes[c]]
    change -= n_together * np.log2(df / n_docs)
    if df < n_docs:
        change -= (facts.n_cells - n_together) * np.log2((n_docs - df) / n_docs)
    # Not negative, since x log x is convex; rounding may say otherwise.
    return max(change / n_docs, 0.0)


@njit(inner=True, nogil=True)
def chi2_of_term(seen, together, df, n_docs, facts):
    """Return the largest chi2 of a term over the labels, and the mean weighted by P(c)."""
    if df == n_docs:
        return 0.0, 0.0
    highest = 0.0
    average = 0.0
    unseen = 0.0
    for c in facts.commonest:
        if together[c] == 0:
            highest = chi2(0, df, facts.sizes[c], n_docs)
            break
    if seen.size < facts.sizes.size:
        unseen = facts.all_odds
        for c in seen:
            unseen -= facts.odds[c]
    for c in seen:
        value = chi2(together[c], df, facts.sizes[c], n_docs)
        highest = max(highest, value)
        average += facts.sizes[c] / n_docs * value
    return highest, average + max(unseen, 0.0) * df * n_docs / (n_docs - df)


@njit(cache=True, nogil=True)
def chi2(a, df, size, n_docs):
    """chi2 of the 2x2 table; AD - CB is A N - (A + B)(A + C)."""
    margins = float(size) * float(n_docs - size) * float(df) * float(n_docs - df)
    if margins == 0.0:
        return 0.0
    difference = float(a) * n_docs - float(df) * size
    return n_docs * difference * difference / margins
