"""Kernel of the cuts at positives, from the numbers of scores between them."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit
from labelwise.decisions.thresholds.curves._cuts_kernels import put_threshold


@njit(cache=True, nogil=True)
def cuts_from_gaps(hits, counts, highest, below):
    """Return (decided, hits, lows, thresholds) of the cuts whose lowest score is a positive's.

    The first cut decides no sample. `hits` is in rising order, `below` is the highest score below
    all of them, -inf if none is.
    """
    decided = np.zeros(hits.size + 1, np.int64)
    n_hits = np.zeros(hits.size + 1, np.int64)
    lows = np.full(hits.size + 1, np.inf, hits.dtype)
    thresholds = np.full(hits.size + 1, np.inf, hits.dtype)
    place, n_decided, entry = 0, 0, hits.size - 1
    while entry >= 0:
        score = hits[entry]
        n_decided += counts[entry]
        while entry >= 0 and hits[entry] == score:
            entry -= 1
        place += 1
        decided[place] = n_decided
        n_hits[place] = hits.size - 1 - entry
        lows[place] = score
        put_threshold(thresholds, place, score, highest[entry] if entry >= 0 else below)
    end = place + 1
    return decided[:end], n_hits[:end], lows[:end], thresholds[:end]
