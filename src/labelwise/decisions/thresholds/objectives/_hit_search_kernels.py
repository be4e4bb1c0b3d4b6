"""The fewest decisions for every number of hits, over the cuts of several labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

# More than any number of decisions: so many hits cannot be reached.
UNREACHED = 2**62


@njit(cache=True, nogil=True)
def fewest_by_hits(starts, decided, hits, width):
    """Return the fewest decisions with 0, 1, ..., `width` - 1 hits of the first labels, by row.

    Row j is for the first j labels, each at one of its cuts: those of label j stand from
    ``starts[j]`` up to ``starts[j + 1]``. UNREACHED where no cuts have exactly so many hits.
    """
    n_labels = starts.size - 1
    fewest = np.full((n_labels + 1, width), UNREACHED, np.int64)
    fewest[0, 0] = 0
    n_reached = 1  # no more hits than this, less one, are reached so far
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
