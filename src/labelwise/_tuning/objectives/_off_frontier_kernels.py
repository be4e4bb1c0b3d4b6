"""Kernel of the knapsack table: the fewest decisions for every number of hits."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

# Marks numbers of hits that cannot be reached; larger than any number of decisions.
UNREACHED = 2**62


@njit(cache=True, nogil=True)
def fewest_by_hits(starts, decided, hits, width):
    """Return the fewest decisions with 0, 1, ..., `width` - 1 hits; row j is for j labels.

    Each label is at one of its cuts; those of label j are at ``starts[j]`` to
    ``starts[j + 1] - 1``. An entry is UNREACHED if no cuts have exactly this number of hits.
    """
    n_labels = starts.size - 1
    fewest = np.full((n_labels + 1, width), UNREACHED, np.int64)
    fewest[0, 0] = 0
    n_reached = 1  # fewer hits than this are reached so far
    for j in range(n_labels):
        most = 0
        for cut in range(starts[j], starts[j + 1]):
            most = max(most, hits[cut])
            for total in range(min(n_reached, width - hits[cut])):
                if fewest[j, total] < UNREACHED:
                    after, place = fewest[j, total] + decided[cut], total + hits[cut]
                    fewest[j + 1, place] = min(fewest[j + 1, place], after)
        n_reached = min(width, n_reached + most)
    return fewest
