"""A distribution over label_sets, written out: every labelset with its probability."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np


def label_sets(n_labels):
    """All 2^m label vectors."""
    return list(product((0, 1), repeat=n_labels))


def probability(y, groups, rates):
    """P(y | x) = Σ_z P(z | x) Π_j P(y_j | z), for one sample."""
    within = [prod(p if on else 1 - p for on, p in zip(y, row, strict=True)) for row in rates]
    return sum(chance * inside for chance, inside in zip(groups, within, strict=True))


def joint(groups, rates):
    """P(y_j = 1, s_y = s | x) at [j, s - 1], for one sample."""
    n_labels = len(rates[0])
    table = np.zeros((n_labels, n_labels))
    for y in label_sets(n_labels):
        for j in range(n_labels):
            if y[j]:
                table[j, sum(y) - 1] += probability(y, groups, rates)
    return table


def counts_of_others(rates):
    """P(s of the labels other than j are on) at [j, s], in rational numbers."""
    table = [[Fraction(0)] * len(rates) for _ in rates]
    for j in range(len(rates)):
        others = [Fraction(p) for i, p in enumerate(rates) if i != j]
        for y in label_sets(len(others)):
            table[j][sum(y)] += probability(y, [1], [others])
    return table


def expected_f(distribution, decided):
    """E F(y, decided), given (labelset, probability) pairs; two empty sets score 1."""
    total = 0.0
    for y, chance in distribution:
        size = sum(y) + sum(decided)
        hits = sum(a and b for a, b in zip(y, decided, strict=True))
        total += chance * (2 * hits / size if size else 1.0)
    return total
