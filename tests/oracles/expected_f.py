"""Expected F by its definition: over every label vector, or in 60 decimal digits."""

from decimal import Decimal, localcontext
from functools import cache
from itertools import product
from math import prod

import numpy as np

DIGITS = 61  # more than 200 bits


@cache
def label_vectors(n_labels):
    """All 2^m label vectors."""
    return np.array(list(product((0, 1), repeat=n_labels)), dtype=np.int8).reshape(-1, n_labels)


def f_value(y, h, beta):
    """F of a decision h for the truth y; two empty sets score 1."""
    weighted_size = beta**2 * sum(y) + sum(h)
    hits = sum(int(a) * int(b) for a, b in zip(y, h, strict=True))
    return (1 + beta**2) * hits / weighted_size if weighted_size else 1.0


@cache
def f_table(n_labels, beta):
    """F of every decision (columns) for every truth (rows)."""
    vectors = label_vectors(n_labels)
    return np.array([[f_value(y, h, beta) for h in vectors] for y in vectors])


def expected_f_of_all(distribution, beta):
    """E F(y, h) of every decision h, given P(y) of every label vector y."""
    n_labels = len(distribution).bit_length() - 1
    return distribution @ f_table(n_labels, beta)


def joint_of(distribution):
    """P(y_i = 1, s_y = s) at [i, s - 1], and P(no label), given P(y) of every label vector."""
    vectors = label_vectors(len(distribution).bit_length() - 1)
    n_labels = vectors.shape[1]
    joint = np.zeros((n_labels, n_labels))
    for y, p in zip(vectors, distribution, strict=True):
        for i in np.flatnonzero(y):
            joint[i, y.sum() - 1] += p
    return joint, distribution[0]


def independent(proba):
    """P(y) of every label vector, labels being independent."""
    vectors = label_vectors(len(proba))
    return np.array(
        [prod(p if on else 1 - p for on, p in zip(y, proba, strict=True)) for y in vectors]
    )


def values_by_number(proba, beta):
    """E F of the k most probable of independent labels for k = 0, ..., m, in 61 digits.

    Each label is left out by convolving all the others: nothing is ever divided out.
    """
    with localcontext(prec=DIGITS, Emin=-(10**9), Emax=10**9):
        squared = Decimal(float(beta)) ** 2
        ranked = sorted((Decimal(float(p)) for p in proba), reverse=True)
        hits = [Decimal(0)] * (len(ranked) + 1)
        values = [count_distribution(ranked)[0]]
        for k, p in enumerate(ranked, start=1):
            others = count_distribution(ranked[: k - 1] + ranked[k:])
            for s, chance in enumerate(others, start=1):
                hits[s] += p * chance
            terms = [hits[s] / (squared * s + k) for s in range(1, len(hits))]
            values.append((1 + squared) * sum(terms))
        return values


def count_distribution(proba):
    """P(s of the independent labels are on) for s = 0, ..., m."""
    chance = [Decimal(1)]
    for p in proba:
        longer = [*chance, Decimal(0)]
        shifted = [Decimal(0), *chance]
        chance = [(1 - p) * a + p * b for a, b in zip(longer, shifted, strict=True)]
    return chance
