"""Kernel that finds the rank of each positive among the scores of its row."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def places_of_positives(scores, indptr, indices):
    """Place from 1 of each positive in its row; equal scores by column, 0 for a score of -inf."""
    places = np.zeros(indices.size, np.int64)
    for i in range(scores.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            own = scores[i, indices[p]]
            if own == -np.inf:
                continue
            n_before = 0
            for j in range(scores.shape[1]):
                n_before += scores[i, j] > own
            for j in range(indices[p]):
                n_before += scores[i, j] == own
            places[p] = n_before + 1
    return places
