"""Slow definitions of the measures, for dense matrices of a few rows and labels."""

from itertools import pairwise, permutations

import numpy as np


def counts(truth, decided):
    """(tp, fp, fn, tn) of one row or column, cell by cell."""
    cells = list(zip(truth, decided, strict=True))
    return tuple(cells.count(kind) for kind in ((1, 1), (0, 1), (1, 0), (0, 0)))


def rankings(Y, scores, by):
    """The (truth, scores) of each row, of each column, or of all cells."""
    if by == "all":
        return [(Y.ravel(), scores.ravel())]
    return (
        list(zip(Y, scores, strict=True)) if by == "sample" else rankings(Y.T, scores.T, "sample")
    )


def mean_over_rankings(value, Y, scores, by, undefined="skip"):
    values = [value(truth, row) for truth, row in rankings(Y, scores, by)]
    defined = [v for v in values if not np.isnan(v)]
    if undefined == "nan" and len(defined) < len(values):
        return np.nan
    return sum(defined) / len(defined) if defined else np.nan


def pairs(truth, scores):
    """All (score of a positive, score of a negative)."""
    return [(p, q) for p in scores[truth == 1] for q in scores[truth == 0]]


def against_the_model(truth, scores):
    """The truth in the order of the ranking, negatives first among equal scores."""
    order = sorted(range(len(truth)), key=lambda j: (-scores[j], truth[j]))
    return [truth[j] for j in order]


def coverage(truth, scores):
    if not truth.any():
        return np.nan
    lowest = scores[truth == 1].min()
    return sum(score >= lowest for score in scores) - 1


def ranking_loss(truth, scores):
    all_pairs = pairs(truth, scores)
    return np.mean([q >= p for p, q in all_pairs]) if all_pairs else np.nan


def area_under_roc(truth, scores):
    all_pairs = pairs(truth, scores)
    return np.mean([(p > q) + (p == q) / 2 for p, q in all_pairs]) if all_pairs else np.nan


def average_precision(truth, scores):
    cuts = scores[truth == 1]
    return np.mean([truth[scores >= cut].mean() for cut in cuts]) if cuts.size else np.nan


def one_error(truth, scores):
    return 1.0 - against_the_model(truth, scores)[0] if truth.any() else np.nan


def precision_at(truth, scores, k):
    return np.mean(against_the_model(truth, scores)[:k]) if truth.any() else np.nan


def recall_at(truth, scores, k):
    return sum(against_the_model(truth, scores)[:k]) / truth.sum() if truth.any() else np.nan


def top_labels(row, k):
    """The k labels with the highest scores, the first of equal ones; NaN is never among them."""
    order = sorted((j for j in range(len(row)) if not np.isnan(row[j])), key=lambda j: (-row[j], j))
    return order[:k]


def decided_at(scores, k):
    """1 for the k top labels of each sample."""
    decided = np.zeros(scores.shape, dtype=int)
    for i, row in enumerate(scores):
        decided[i, top_labels(row, k)] = 1
    return decided


def propensity_scored(Y, scores, inverse, k, weights, discounted):
    """Sum of the weights of hits, over that of the best ranking."""
    discount = [1 / np.log2(rank + 2) if discounted else 1.0 for rank in range(k)]
    gained = best = 0.0
    for truth, row, weight in zip(Y, scores, weights, strict=True):
        for rank, j in enumerate(top_labels(row, k)):
            gained += weight * truth[j] * inverse[j] * discount[rank]
        ideal = sorted(inverse[truth == 1], reverse=True)[:k]
        best += weight * sum(w * d for w, d in zip(ideal, discount, strict=False))
    return gained / best if best else np.nan


def r_precision(truth, scores):
    return precision_at(truth, scores, int(truth.sum()))


def ndcg_at(truth, scores, k):
    """The mean gain over all orders that the scores allow, over the gain of the best order."""
    if not truth.any():
        return np.nan
    orders = [
        order
        for order in permutations(range(len(truth)))
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]
    gains = [_gain(truth[list(order)], k) for order in orders]
    return np.mean(gains) / _gain(np.sort(truth)[::-1], k)


def _gain(truth, k):
    return sum(hit / np.log2(2 + i) for i, hit in enumerate(truth[:k]))


def places(truth, scores):
    """For each positive, best first: scores above, at or above; the same among positives."""
    cuts = sorted(scores[truth == 1], reverse=True)
    hits = scores[truth == 1]
    return [
        ((scores > c).sum(), (scores >= c).sum(), (hits > c).sum(), (hits >= c).sum()) for c in cuts
    ]


def bootstrap_interval(value, n_samples, n_draws, confidence, seed):
    """Percentiles of value(rows) over draws of the rows with replacement."""
    random = np.random.RandomState(seed)
    drawn = [value(random.randint(n_samples, size=n_samples)) for _ in range(n_draws)]
    return np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
