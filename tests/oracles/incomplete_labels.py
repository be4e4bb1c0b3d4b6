"""Completed labels in exact fractions, from the definition of the concave hull."""

from fractions import Fraction
from itertools import pairwise
from math import floor


def completed_counts(scores, written, propensity):
    """The positives among the scores from each distinct score on, by that score.

    A list of (number of scores, completed positives) for a label, in the order of falling scores.
    """
    share = Fraction(propensity)
    cuts = [(0, 0)]
    for low in sorted(set(scores), reverse=True):
        above = [y for score, y in zip(scores, written, strict=True) if score >= low]
        cuts.append((len(above), sum(above)))
    vertices = [cut for cut in cuts if _is_vertex(cut, cuts)]
    vertices = [*vertices, cuts[-1]] if vertices[-1] != cuts[-1] else vertices
    return [(k, hits + _rounded(_expected(k, hits, vertices, share))) for k, hits in cuts]


def _is_vertex(cut, cuts):
    """Whether no line between two other cuts reaches a cut, and no higher cut comes before it."""
    k, hits = cut
    for a, before in cuts:
        if a < k and before >= hits:
            return False
        for b, after in cuts:
            between = a < k < b
            if between and Fraction((b - k) * before + (k - a) * after, b - a) >= hits:
                return False
    return True


def _expected(k, hits, vertices, share):
    """The expected number of positives that nobody wrote down, among the k highest scores."""
    known = [(a, before, min(Fraction(a), before / share) - before) for a, before in vertices]
    for (a, before, low), (b, after, high) in pairwise(known):
        n_zeros = (b - after) - (a - before)
        if a < k <= b:
            mine = (k - hits) - (a - before)
            return low + (high - low) * Fraction(mine, n_zeros) if n_zeros else low
    return Fraction(0)


def _rounded(number):
    return floor(number + Fraction(1, 2))
