"""Splitting by definition: Algorithm 1 line by line, the four measures, the least LD there is."""

from fractions import Fraction

import numpy as np


def iterative(units, proportions, rank, lots):
    """Algorithm 1 of sechidis2011 in exact arithmetic.

    units: in the order of assignment, each (rows, {label: positives}); a plain row is (1, {...}).
    rank: the label of lowest rank is first among those with equally few remaining examples.
    lots: unit u goes to the int(lots[u] * t)-th of t subsets that want it equally.
    Returns the subset of each unit and the labels in the order of their assignment.
    """
    subsets = range(len(proportions))
    wanted = [sum(rows for rows, _ in units) * Fraction(r) for r in proportions]
    totals = {}
    for _, labels in units:
        for label, positives in labels.items():
            totals[label] = totals.get(label, 0) + positives
    wanted_of = {
        label: [total * Fraction(r) for r in proportions] for label, total in totals.items()
    }
    remaining = list(range(len(units)))
    subset_of, assigned = {}, []

    def give(unit, subsets_that_want_most):
        want = max(wanted[j] for j in subsets_that_want_most)
        tied = [j for j in subsets_that_want_most if wanted[j] == want]
        chosen = tied[int(lots[unit] * len(tied))]
        subset_of[unit] = chosen
        rows, labels = units[unit]
        wanted[chosen] -= rows
        for label, positives in labels.items():
            wanted_of[label][chosen] -= positives

    while any(units[unit][1] for unit in remaining):
        left = {}
        for unit in remaining:
            for label, positives in units[unit][1].items():
                left[label] = left.get(label, 0) + positives
        rarest = min(left, key=lambda label: (left[label], rank[label]))
        assigned.append(rarest)
        for unit in [unit for unit in remaining if rarest in units[unit][1]]:
            most = max(wanted_of[rarest])
            give(unit, [j for j in subsets if wanted_of[rarest][j] == most])
            remaining.remove(unit)
    for unit in remaining:
        give(unit, list(subsets))
    return [subset_of[unit] for unit in range(len(units))], assigned


def quality(Y, subsets, proportions):
    """LD, ED, FZ and FLZ as sechidis2011 section 4.2 defines them; Y is a list of lists."""
    n, q, k = len(Y), len(Y[0]), len(proportions)
    members = [[row for row, s in zip(Y, subsets, strict=True) if s == j] for j in range(k)]
    ed = sum(abs(len(members[j]) - n * proportions[j]) for j in range(k)) / k
    zeros = [[all(row[i] == 0 for row in members[j]) for i in range(q)] for j in range(k)]
    terms = []
    for i in range(q):
        carried = sum(row[i] for row in Y)
        if carried == n:
            continue
        for j in range(k):
            positives = sum(row[i] for row in members[j])
            negatives = len(members[j]) - positives
            ratio = positives / negatives if negatives else float("inf")
            terms.append(abs(ratio - carried / (n - carried)))
    ld = sum(terms) / len(terms) if terms else 0.0
    return ld, ed, sum(any(row) for row in zeros), sum(map(sum, zeros))


def least_ld(Y, sizes):
    """The least LD that subsets of these sizes could have if each label were spread by itself.

    No split is below it. By label, the best spread of its positives is found subset by subset:
    `least[t]` is the least distance for t positives in the subsets so far.
    """
    n, q = Y.shape
    total = 0.0
    for i in range(q):
        carried = int(Y[:, i].sum())
        odds = carried / (n - carried)
        least = np.full(carried + 1, np.inf)
        least[0] = 0.0
        for size in sizes:
            positives = np.arange(min(size - 1, carried) + 1)
            distance = np.abs(positives / (size - positives) - odds)
            spread = np.full(carried + 1, np.inf)
            for count, apart in zip(positives, distance, strict=True):
                after = least[: carried + 1 - count] + apart
                np.minimum(spread[count:], after, out=spread[count:])
            least = spread
        total += least[carried]
    return total / (q * len(sizes))


def nearest_sizes(weights, wanted):
    """The least sum of differences from the wanted sizes over all ways to place the groups."""
    best = float("inf")
    placings = [()]
    for _ in weights:
        placings = [(*placing, j) for placing in placings for j in range(len(wanted))]
    for placing in placings:
        sizes = [0] * len(wanted)
        for weight, j in zip(weights, placing, strict=True):
            sizes[j] += weight
        best = min(best, sum(abs(s - w) for s, w in zip(sizes, wanted, strict=True)))
    return best
