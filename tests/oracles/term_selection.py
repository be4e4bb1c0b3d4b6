"""Scores of terms, their combinations and Okapi neighbours, as the paper prints them."""

from math import log, log2

import numpy as np


def contingency(X, Y, t, c):
    """A, B, C, D of a term and a label."""
    has_term, has_label = X[:, t] != 0, Y[:, c] != 0
    return (
        int((has_term & has_label).sum()),
        int((has_term & ~has_label).sum()),
        int((~has_term & has_label).sum()),
        int((~has_term & ~has_label).sum()),
    )


def chi2(X, Y, t, c):
    A, B, C, D = contingency(X, Y, t, c)
    margins = (A + C) * (B + D) * (A + B) * (C + D)
    return 0.0 if margins == 0 else len(X) * (A * D - C * B) ** 2 / margins


def chi2_max(X, Y, t):
    return max(chi2(X, Y, t, c) for c in range(Y.shape[1]))


def chi2_avg(X, Y, t):
    return sum((Y[:, c] != 0).mean() * chi2(X, Y, t, c) for c in range(Y.shape[1]))


def x_log_x(share):
    return 0.0 if share == 0 else share * log2(share)


def share(part, whole):
    return 0.0 if whole == 0 else part / whole


def information_gain(X, Y, t):
    N = len(X)
    gain = 0.0
    for c in range(Y.shape[1]):
        A, B, C, D = contingency(X, Y, t, c)
        gain += (
            -x_log_x((A + C) / N)
            + (A + B) / N * x_log_x(share(A, A + B))
            + (C + D) / N * x_log_x(share(C, C + D))
        )
    return gain


def document_frequency(X, Y, t):
    return float((X[:, t] != 0).sum())


SCORES = {
    "df": document_frequency,
    "information-gain": information_gain,
    "chi2-max": chi2_max,
    "chi2-avg": chi2_avg,
}


def term_scores(X, Y, by, cut):
    return np.array(
        [
            SCORES[by](X, Y, t) if document_frequency(X, Y, t) > cut else -np.inf
            for t in range(X.shape[1])
        ]
    )


def ranks(scores):
    """Rank 1 is best; equals share the mean of their ranks; -inf takes no part."""
    kept = [s for s in scores if s > -np.inf]
    return [
        sum(other > s for other in kept) + (1 + sum(other == s for other in kept)) / 2
        for s in scores
    ]


def turns(lists):
    """The turn of each term, if the lists choose in turn their best term that is left."""
    left, found = list(range(len(lists[0]))), {}
    while left:
        scores = lists[len(found) % len(lists)]
        best = max(left, key=lambda t: (scores[t], -t))
        left.remove(best)
        found[best] = len(found) + 1
    return found


def combine(lists, rule, weights=None):
    weights = [1.0] * len(lists) if weights is None else weights

    def mean(numbers):
        return sum(w * x for w, x in zip(weights, numbers, strict=True)) / sum(weights)

    combined = []
    for t in range(len(lists[0])):
        if any(scores[t] == -np.inf for scores in lists):
            combined.append(-np.inf)
            continue
        # A term that is cut in one list is cut in all.
        kept = [u for u in range(len(lists[0])) if all(s[u] > -np.inf for s in lists)]
        own = [[scores[u] for u in kept] for scores in lists]
        place = kept.index(t)
        at = [ranks(scores)[place] for scores in own]
        largest = [scores[place] / (max(scores) or 1) for scores in own]
        length = [scores[place] / (sum(s * s for s in scores) ** 0.5 or 1) for scores in own]
        combined.append(
            {
                "highest-rank": -min(at),
                "lowest-rank": -max(at),
                "average-rank": -mean(at),
                "max-or": max(largest),
                "length-or": max(length),
                "max-and": min(largest),
                "length-and": min(length),
                "max-mean": mean(largest),
                "length-mean": mean(length),
                "round-robin": -turns(own)[place],
            }[rule]
        )
    return np.array(combined)


def okapi_weights(counts, train):
    """w(tf), with the mean length of the training documents."""
    avdl = train.sum() / len(train)
    weights = np.zeros(counts.shape)
    for d in range(len(counts)):
        for t in range(counts.shape[1]):
            tf, dl = counts[d, t], counts[d].sum()
            if tf:
                weights[d, t] = tf / (0.5 + 1.5 * (dl / avdl if avdl else 0.0) + tf)
    return weights


def idf(train):
    df = [(train[:, t] != 0).sum() for t in range(train.shape[1])]
    return np.array([log((len(train) - n + 0.5) / (n + 0.5)) for n in df])


def neighbor_sums(weights, train_weights, idf, Y, k):
    """Label scores of each test document: all inner products, a stable sort, the first k."""
    products = weights * idf @ train_weights.T
    sums = np.zeros((len(weights), Y.shape[1]))
    for d, row in enumerate(products):
        for i in np.argsort(-row, kind="stable")[:k]:
            sums[d] += row[i] * Y[i]
    return sums
