"""What a desk shows, by definition: one cell, one row, one fold after the other."""

import math

import numpy as np

from labelwise.decisions import best_thresholds, micro_frontier
from labelwise.measures import Counts, count


def held_out(scores, Y, folds, **options):
    """Decisions of each row by thresholds tuned on the rows of all other folds."""
    decided = np.zeros(scores.shape, dtype=bool)
    for fold in np.unique(folds):
        others = folds != fold
        found = best_thresholds(scores[others], Y[others], **options)
        decided[~others] = scores[~others] >= found.values
    return decided


def held_out_counts(scores, Y, folds, choose):
    """Counts of all rows, each decided at the vertex that `choose` takes from the other folds."""
    decided = np.zeros(scores.shape, dtype=int)
    for fold in np.unique(folds):
        here = folds == fold
        frontier = micro_frontier(scores[~here], Y[~here])
        decided[here] = scores[here] >= frontier.thresholds(choose(frontier))
    return Counts(*map(np.sum, count(Y, decided)))


def slopes(frontier):
    """True positives per decision of the edge before each vertex, and 0 after the last."""
    return np.array([np.inf, *(np.diff(frontier.hits) / np.diff(frontier.decided)), 0.0])


def vertex_at_slope(frontier, slope):
    """The vertex after all edges that are at least as steep."""
    return int((slopes(frontier)[1:-1] >= slope).sum())


def bins(column, truth, n_bins):
    """(rows, positives, mean score) of equal-width bins between the ends of the scores."""
    low, high = column.min(), column.max()
    width = high - low if high > low else 1.0
    found = [[] for _ in range(n_bins)]
    for score, label in zip(column, truth, strict=True):
        place = min(int((score - low) / width * n_bins), n_bins - 1)
        found[place].append((score, label))
    return [
        (len(one), sum(label for _, label in one), np.mean([score for score, _ in one] or [0.0]))
        for one in found
    ]


def unexpected(scores, Y, i, j):
    """How much the score of a negative contradicts its truth."""
    with_it = scores[Y[:, j], j]
    return (with_it < scores[i, j]).sum() / (with_it.size + 1)


def missed(scores, Y, i, j):
    """How much the score of a positive contradicts its truth."""
    without = scores[~Y[:, j], j]
    return (without > scores[i, j]).sum() / (without.size + 1)


def f_interval(tp, fp, fn, beta, spread=1.0):
    """Interval of F-beta by the normal distribution of its log-odds, as independent counts."""
    tp, fp, fn, weight = tp + 0.5, fp + 0.25, fn + 0.25, beta**2
    f = (1 + weight) * tp / ((1 + weight) * tp + fp + weight * fn)
    variance = 1 / tp + (fp + weight**2 * fn) / (fp + weight * fn) ** 2
    error = 1.959963984540054 * spread * math.sqrt(variance)
    odds = math.log(f / (1 - f))
    return [1 / (1 + math.exp(-(odds + side))) for side in (-error, error)]


def beside(scores, truth, i, j, n_beside=5):
    """The samples next to one in the order of a label's scores, and those with the label.

    Of equal scores, the first samples come first.
    """
    order = sorted(range(len(scores)), key=lambda row: (scores[row, j], row))
    place = order.index(i)
    near = order[max(0, place - n_beside) : place] + order[place + 1 : place + 1 + n_beside]
    return len(near), sum(bool(truth[row, j]) for row in near)
