"""Shrunk thresholds by their definition: every label at every threshold, one by one.

Absent scores are NaN. `shares` has the weight of the pooled curve for each label.
"""

import numpy as np

from labelwise.measures import Counts


def hull(points):
    """Vertices of the concave hull of points (decided, hits, ...), while hits rise."""
    kept = [points[0]]
    while True:
        last = kept[-1]
        slopes = [(p[1] - last[1]) / (p[0] - last[0]) if p[0] > last[0] else 0.0 for p in points]
        best = max(slopes)
        if best <= 0:
            return kept
        kept.append([p for p, slope in zip(points, slopes, strict=True) if slope == best][-1])


def counted(column, truth, low):
    decided = column >= low
    return int(decided.sum()), int((decided & truth).sum())


def halfway_below(column, low):
    lower = column[column < low]
    if not lower.size:
        return -np.inf
    middle = (low + lower.max()) / 2
    return middle if middle > lower.max() else low  # the upper score if no float lies between


def common_thresholds(scores, Y):
    """Distinct scores of positives, falling from inf."""
    found = scores[Y & ~np.isnan(scores)]
    return [np.inf, *np.unique(found)[::-1]]


def pooled_chances(scores, Y):
    """(threshold, chance of a hit down to it) of each vertex of the curve of all labels."""
    cells, truth = scores[~np.isnan(scores)], Y[~np.isnan(scores)]
    points = [(*counted(cells, truth, low), low) for low in common_thresholds(scores, Y)]
    found, before = [(np.inf, 1.0)], points[0]
    for point in hull(points)[1:]:
        found.append((point[2], (point[1] - before[1]) / (point[0] - before[0])))
        before = point
    return found


def chance_at(vertices, low):
    """Chance of the first vertex at or below a score."""
    return next((chance for threshold, chance in vertices if threshold <= low), 0.0)


def own_vertices(column, truth):
    """(low, threshold, slope before it) of each vertex of a label's hull."""
    column, truth = column[~np.isnan(column)], truth[~np.isnan(column)]
    points = [(0, 0, np.inf, np.inf)]
    for low in np.unique(column[truth])[::-1]:
        points.append((*counted(column, truth, low), low, halfway_below(column, low)))
    found, before = [(np.inf, np.inf, 1.0)], points[0]
    for point in hull(points)[1:]:
        slope = (point[1] - before[1]) / (point[0] - before[0])
        found.append((point[2], point[3], slope))
        before = point
    return found


def micro_thresholds(scores, Y, shares, measure):
    """Decide the intervals of all labels whose blended chance reaches the best limit."""
    pool, intervals = pooled_chances(scores, Y), []
    for j, share in enumerate(shares):
        own = own_vertices(scores[:, j], Y[:, j])
        ends = [(-low, 1, threshold) for low, threshold, _ in own]
        ends += [(-low, 0, low) for low, _ in pool[1:]]
        above = np.inf
        for negative, _, threshold in sorted(ends):
            low = -negative
            slope = next((slope for end, _, slope in own if end <= low), 0.0)
            chance = (1 - share) * slope + share * chance_at(pool, low)
            inside = (scores[:, j] >= low) & (scores[:, j] < above)
            intervals.append((j, chance, threshold, inside.sum(), (inside & Y[:, j]).sum()))
            above = low
    limits = sorted({chance for _, chance, *_ in intervals}, reverse=True)
    values = []
    for limit in limits:
        decided = sum(n for _, chance, _, n, _ in intervals if chance >= limit)
        hits = sum(n for _, chance, _, _, n in intervals if chance >= limit)
        values.append(float(measure(_counts(decided, hits, Y.sum(), Y.size))))
    limit = limits[_first_best(values)]
    taken = {j: threshold for j, chance, threshold, *_ in intervals if chance >= limit}
    return np.array([taken[j] for j in range(len(shares))])


def macro_thresholds(scores, Y, shares, measure, every_cut):
    """Take the threshold of each label with the highest blend of its value and the average."""
    pool, common = pooled_chances(scores, Y), common_thresholds(scores, Y)
    average = [_mean_value(scores, Y, low, measure) for low in common]
    return np.array(
        [
            macro_threshold(scores[:, j], Y[:, j], share, measure, every_cut, pool, common, average)
            for j, share in enumerate(shares)
        ]
    )


def macro_threshold(column, truth, share, measure, every_cut, pool, common, average):
    n_samples, n_positive = truth.size, truth.sum()
    column, truth = column[~np.isnan(column)], truth[~np.isnan(column)]
    positives = (1 - share) * n_positive + share * _expected(column, common, pool, common[-1])

    def blend(low, at):
        decided, hits = counted(column, truth, low)
        hits = (1 - share) * hits + share * _expected(column, common, pool, low)
        counts = _counts(decided, hits, positives, n_samples)
        value = float(measure(Counts(*(max(0.0, part) for part in counts))))
        return (1 - share) * value + share * average[at]

    lows = np.unique(column if every_cut else column[truth])[::-1]
    own = [(np.inf, np.inf), *((low, halfway_below(column, low)) for low in lows)]
    last = [max(k for k, threshold in enumerate(common) if threshold >= low) for low, _ in own]
    values = [blend(low, at) for (low, _), at in zip(own, last, strict=True)]
    others = [blend(low, k) for k, low in enumerate(common)]
    mine, other = _first_best(values), _first_best(others)
    is_common = others[other] > values[mine] or share == 1
    return common[other] if is_common else own[mine][1]


def _expected(column, common, pool, low):
    """Hits that the pooled chances expect among the scores from `low` on."""
    bounds = [threshold for threshold in common if threshold > low] + [low]
    total, before = 0.0, 0
    for bound in bounds:
        decided = int((column >= bound).sum())
        at = next((threshold for threshold in common if threshold <= bound), -np.inf)
        total += (decided - before) * chance_at(pool, at)
        before = decided
    return total


def _mean_value(scores, Y, low, measure):
    values = []
    for j in range(Y.shape[1]):
        decided, hits = counted(scores[:, j], Y[:, j], low)
        values.append(float(measure(_counts(decided, hits, Y[:, j].sum(), len(Y)))))
    values = [value for value in values if not np.isnan(value)]
    return np.sum(values) / len(values) if values else np.nan


def _counts(decided, hits, positives, n):
    return Counts(hits, decided - hits, positives - hits, n - positives - decided + hits)


def _first_best(values):
    values = np.asarray(values)
    usable = ~np.isnan(values)
    if not usable.any():
        return 0
    highest, size = values[usable].max(), np.abs(values[usable]).max()
    return int(np.flatnonzero(usable & (values >= highest - 1e-12 * size))[0])
