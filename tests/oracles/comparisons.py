"""Comparisons of methods as they are defined: every sign, every subset, every draw by itself."""

import math
from itertools import combinations, product

import numpy as np
from scipy.stats import t


def rank(losses, j):
    """Rank of the j-th value, 1 for the lowest; equal ones share the mean of their ranks."""
    below = sum(other < losses[j] for other in losses)
    equal = sum(other == losses[j] for other in losses)
    return below + (equal + 1) / 2


def average_ranks(losses):
    """Mean rank of each column."""
    return [sum(rank(row, j) for row in losses) / len(losses) for j in range(len(losses[0]))]


def friedman_without_ties(losses):
    """Friedman's chi square and the F of Iman and Davenport, as Demšar writes them."""
    n, k = len(losses), len(losses[0])
    squares = sum(r**2 for r in average_ranks(losses))
    chi2 = 12 * n / (k * (k + 1)) * (squares - k * (k + 1) ** 2 / 4)
    return chi2, (n - 1) * chi2 / (n * (k - 1) - chi2)


def sign_p_value(wins, losses):
    """Share of all sequences of signs that are at least as uneven."""
    n = wins + losses
    uneven = [
        sequence
        for sequence in product((0, 1), repeat=n)
        if abs(2 * sum(sequence) - n) >= abs(wins - losses)
    ]
    return len(uneven) / 2**n


def wilcoxon_p_value(differences, alternative):
    """Share of all signs of the differences whose rank sum is as extreme."""
    sizes = [abs(d) for d in differences if d]
    ranks = [rank(sizes, i) for i in range(len(sizes))]
    seen = sum(r for r, d in zip(ranks, [d for d in differences if d], strict=True) if d > 0)
    sums = [
        sum(r for r, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    above = sum(one >= seen for one in sums) / len(sums)
    below = sum(one <= seen for one in sums) / len(sums)
    return {"better": above, "worse": below}.get(alternative, min(1.0, 2 * min(above, below)))


def holm_rejects(p_values, alpha):
    """Step down: test the smallest against alpha / m, the next against alpha / (m - 1), …."""
    rejected = set()
    for step, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[i] * (len(p_values) - step) > alpha:
            break
        rejected.add(i)
    return rejected


def maximal_groups(names, are_alike):
    """Every set of two or more names that are pairwise alike and lies in no larger one."""
    found = []
    for size in range(len(names), 1, -1):
        for group in combinations(names, size):
            alike = all(are_alike(a, b) for a, b in combinations(group, 2))
            if alike and not any(set(group) < set(larger) for larger in found):
                found.append(group)
    return {frozenset(group) for group in found}


def normal_tail(z):
    """Chance that a standard normal number exceeds z."""
    return math.erfc(z / math.sqrt(2)) / 2


def studentized_interval(differences, drawn, confidence):
    """Ends of the bootstrap-t interval of the mean, from the places that each resample draws.

    No end is nearer to the mean than that of Student's t.
    """
    n, mean, tail = len(differences), np.mean(differences), (1 - confidence) / 2
    if n == 1:
        return -np.inf, np.inf
    error = np.std(differences, ddof=1) / np.sqrt(n)
    ratios = []
    for places in drawn:
        sample = [differences[place] for place in places]
        if len(set(sample)) > 1:
            ratios.append((np.mean(sample) - mean) / (np.std(sample, ddof=1) / np.sqrt(n)))
    least = t.ppf(1 - tail, n - 1)
    low, high = np.quantile(ratios, [tail, 1 - tail]) if ratios else (0, 0)
    return mean - max(high, least) * error, mean - min(low, -least) * error
