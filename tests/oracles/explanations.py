"""Contributions of features to scores, cell by cell from the definitions."""

import numpy as np


def linear_contributions(row, coefficients):
    """Value times coefficient of each feature of one sample, for one label."""
    return {f: x * w for f, (x, w) in enumerate(zip(row, coefficients, strict=True)) if x * w != 0}


def neighbor_contributions(query, documents, carries, idf, k):
    """Products of each term, summed over the neighbours of one document that carry a label.

    `query` and `documents` are weights of terms. Of equal products, the first documents are nearer.
    """
    products = [sum(query * document * idf) for document in documents]
    nearest = sorted(range(len(documents)), key=lambda i: (-products[i], i))[:k]
    total = np.zeros(len(query))
    for i in nearest:
        if carries[i]:
            total += query * documents[i] * idf
    return total


def best_terms(contributions, top):
    """The `top` features of highest contribution above 0, the first of ties first."""
    above = [(value, f) for f, value in contributions.items() if value > 0]
    return [f for value, f in sorted(above, key=lambda pair: (-pair[0], pair[1]))][:top]
