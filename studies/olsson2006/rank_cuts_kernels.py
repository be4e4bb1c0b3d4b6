"""Kernel of `rank_cuts`: the ranks of the positives of each row."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def hits_at_rank(scores, indptr, indices):
    """Count the positives of each rank; among equal scores, lower columns are ranked first."""
    hits = np.zeros(scores.shape[1], np.int64)
    for i in range(scores.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            own = scores[i, indices[p]]
            n_before = 0
            for j in range(scores.shape[1]):
                n_before += scores[i, j] > own
            for j in range(indices[p]):
                n_before += scores[i, j] == own
            hits[n_before] += 1
    return hits
