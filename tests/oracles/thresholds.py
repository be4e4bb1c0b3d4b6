"""Thresholds by trying all of them, for a few samples and labels."""

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from labelwise.measures import Counts, f_measure


def cuts(column):
    """Every threshold that changes a decision: nobody, then down to each distinct score."""
    return [np.inf, *sorted(set(column.tolist()), reverse=True)]


def vectors(scores):
    """Every threshold vector, up to those that decide alike."""
    return np.array(list(product(*(cuts(column) for column in scores.T))))


def shared_vectors(scores):
    """Every threshold vector with the same threshold for all labels."""
    return np.array([[threshold] * scores.shape[1] for threshold in cuts(scores.ravel())])


def counts(Y, decided, over=-2):
    """The counts of each label, cell by cell, or with over=-1 those of each sample."""
    cells = (Y & decided, ~Y & decided, Y & ~decided, ~Y & ~decided)
    return Counts(*(kind.sum(axis=over) for kind in cells))


def micro(measure, Y, decided):
    return measure(Counts(*(cells.sum(axis=-1) for cells in counts(Y, decided))))


def macro(measure, Y, decided):
    return np.mean(measure(counts(Y, decided)), axis=-1)


def sample(measure, Y, decided):
    return np.mean(measure(counts(Y, decided, over=-1)), axis=-1)


AVERAGES = {"micro": micro, "macro": macro, "sample": sample}


def among_highest(scores, k):
    """Whether fewer than k scores of the row are higher, or as high and of an earlier label."""
    n_samples, n_labels = scores.shape
    found = np.zeros(scores.shape, dtype=bool)
    for i, j in product(range(n_samples), range(n_labels)):
        before = sum(scores[i, other] >= scores[i, j] for other in range(j))
        found[i, j] = before + sum(scores[i, j + 1 :] > scores[i, j]) < k
    return found


def values(scores, Y, measure, average="micro", shared=False, k=None):
    """(value, decisions) of every threshold vector; NaN where the measure has no value."""
    tried = (shared_vectors if shared else vectors)(scores)
    decided = scores >= tried[:, None, :]
    if k is not None:
        decided &= among_highest(scores, k)
    value = AVERAGES[average](measure, Y, decided)
    return np.stack([value, decided.sum(axis=(1, 2))], axis=1)


def highest(scores, Y, measure, average="micro", shared=False, k=None):
    """The highest value of all threshold vectors, and the fewest decisions that reach it."""
    found = values(scores, Y, measure, average, shared, k)
    found = found[~np.isnan(found[:, 0])]
    best = found[:, 0].max()
    return best, found[found[:, 0] >= best - 1e-12, 1].min()


def totals(scores, Y, shared=False):
    """(decisions, hits) of every threshold vector: the sums over one cut of each label."""
    if shared:
        decided = scores >= shared_vectors(scores)[:, None, :]
        return decided.sum(axis=(1, 2)), (decided & Y).sum(axis=(1, 2))
    decided, hits = np.zeros(1, dtype=int), np.zeros(1, dtype=int)
    for column, truth in zip(scores.T, Y.T, strict=True):
        reached = column >= np.array(cuts(column))[:, None]
        decided = np.add.outer(decided, reached.sum(axis=1)).ravel()
        hits = np.add.outer(hits, (reached & truth).sum(axis=1)).ravel()
    return decided, hits


def counts_of_totals(Y, decided, hits):
    """The counts of all labels together."""
    n_positive = Y.sum()
    return Counts(hits, decided - hits, n_positive - hits, Y.size - n_positive - decided + hits)


def keeps(limits, Y, decided, hits):
    """Which numbers of decisions and hits keep to constraints, by their definition."""
    kept = decided <= limits.get("max_decisions", Y.size)
    # A least rate of 0 asks for nothing; any other one for a rate that is defined.
    if limits.get("min_precision"):
        kept = kept & (decided > 0) & (hits / np.maximum(decided, 1) >= limits["min_precision"])
    if limits.get("min_recall"):
        kept = kept & Y.any() & (hits / max(Y.sum(), 1) >= limits["min_recall"])
    return kept


def scan(scores, Y, beta, max_scans=None):
    """pillai2012, Algorithm 1, each set of thresholds evaluated by its definition.

    Returns the value after each scan, and the number of different sets.
    """

    def f(thresholds):
        return float(micro(partial(f_measure, beta=beta), Y, scores >= thresholds))

    thresholds, lowest = np.full(scores.shape[1], -np.inf), scores.min(axis=0)
    evaluated, values = set(), []
    updated = True
    while updated and len(values) != max_scans:
        updated = False
        for k, column in enumerate(scores.T):
            # The lowest score decides as much as anything below it.
            start = max(thresholds[k], column.min())
            candidates = [t for t in reversed(cuts(column)) if t >= start]
            vectors = [np.r_[thresholds[:k], t, thresholds[k + 1 :]] for t in candidates]
            tried = [f(vector) for vector in vectors]
            evaluated |= {tuple(np.maximum(vector, lowest)) for vector in vectors}
            best = candidates[int(np.argmax(tried))]
            if best != start:
                thresholds[k], updated = best, True
        values.append(f(thresholds))
    return values, len(evaluated)


def envelope(scores, Y):
    """The vertices of the concave line over (decisions, hits) of all threshold vectors."""
    points = {(0, 0)}
    for vector in vectors(scores):
        decided = scores >= vector
        points.add((int(decided.sum()), int((decided & Y).sum())))
    found = [(0, 0)]
    while True:
        d, h = found[-1]
        ahead = [(x, y) for x, y in points if x > d and y > h]
        if not ahead:
            return found
        # The steepest next point, and of several on one line the farthest.
        found.append(max(ahead, key=lambda p: ((p[1] - h) / (p[0] - d), p[0])))


def macro_envelope(scores, Y):
    """The vertices of the concave line over (macro recall, macro precision).

    The one with the highest precision comes first. Each label with positives decides a sample; the
    means are over these labels. Points are fractions, so that no vertex depends on rounding.
    """
    labels = [j for j in range(Y.shape[1]) if Y[:, j].any()]
    points = set()
    for vector in vectors(scores[:, labels]):
        decided = scores[:, labels] >= vector
        if decided.any(axis=0).all():
            hits = (decided & Y[:, labels]).sum(axis=0)
            columns = list(zip(hits, decided.sum(axis=0), Y[:, labels].sum(axis=0), strict=True))
            recall = sum(Fraction(int(h), int(n)) for h, _, n in columns) / len(labels)
            precision = sum(Fraction(int(h), int(d)) for h, d, _ in columns) / len(labels)
            points.add((recall, precision))
    found = [max(points, key=lambda point: (point[1], point[0]))]
    while True:
        r, p = found[-1]
        ahead = [(x, y) for x, y in points if x > r]
        if not ahead:
            return found
        # The next point at which least precision is lost for the recall, the farthest of several.
        found.append(max(ahead, key=lambda point: ((point[1] - p) / (point[0] - r), point[0])))


def highest_in_slices(scores, Y, slices, measure, average="micro"):
    """The highest value if each label has a threshold in every slice, and the fewest decisions.

    Each combination of cuts is tried. Counts are those of a label in a slice; micro averages sum
    them, macro averages are means over labels and slices.
    """
    pairs = [(j, name) for j in range(scores.shape[1]) for name in sorted(set(slices))]
    of_pair = [np.array([one == name for one in slices]) for _, name in pairs]
    choices = [cuts(scores[rows, j]) for (j, _), rows in zip(pairs, of_pair, strict=True)]
    best, fewest = -np.inf, 0
    for thresholds in product(*choices):
        found = []
        for (j, _), rows, threshold in zip(pairs, of_pair, thresholds, strict=True):
            decided, truth = scores[rows, j] >= threshold, Y[rows, j]
            found.append(counts(truth[:, None], decided[:, None]))
        each = Counts(*(np.array([one[k][0] for one in found]) for k in range(4)))
        if average == "micro":
            value = measure(Counts(*(part.sum() for part in each)))
        else:
            value = np.mean(measure(each))
        n_decided = int((each.tp + each.fp).sum())
        if value > best + 1e-12:
            best, fewest = value, n_decided
        elif value > best - 1e-12:
            fewest = min(fewest, n_decided)
    return best, fewest
