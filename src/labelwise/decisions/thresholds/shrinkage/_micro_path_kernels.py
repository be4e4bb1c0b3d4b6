"""Kernels that blend the chances of many intervals without arrays of their size."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def band_sums(pieces, weights, n_bands):
    """Return the decisions and hits of the intervals in each band of falling chance."""
    decided, hits = np.zeros(n_bands), np.zeros(n_bands)
    for j in range(weights.size):
        for place in range(pieces.starts[j], pieces.starts[j + 1]):
            own, common = pieces.own[place], pieces.common[place]
            chance = (1 - weights[j]) * own + weights[j] * common
            band = int((1 - chance) * (n_bands - 1))
            decided[band] += pieces.decided[place]
            hits[band] += pieces.hits[place]
    return decided, hits


@njit(cache=True, nogil=True)
def pieces_in_bands(pieces, weights, is_open, room):
    """Return (chances, decided, hits) of the intervals in bands that are open, `room` at most."""
    chances, decided, hits = np.empty(room), np.empty(room), np.empty(room)
    size = 0
    for j in range(weights.size):
        for place in range(pieces.starts[j], pieces.starts[j + 1]):
            own, common = pieces.own[place], pieces.common[place]
            chance = (1 - weights[j]) * own + weights[j] * common
            if is_open[int((1 - chance) * (is_open.size - 1))]:
                chances[size] = chance
                decided[size], hits[size] = pieces.decided[place], pieces.hits[place]
                size += 1
    return chances[:size], decided[:size], hits[:size]


@njit(cache=True, nogil=True)
def last_reaching(pieces, weights, limit):
    """Return the last interval of each label whose chance is at least the limit."""
    last = np.empty(weights.size, np.int64)
    for j in range(weights.size):
        place = pieces.starts[j]
        while place < pieces.starts[j + 1]:
            own, common = pieces.own[place], pieces.common[place]
            if (1 - weights[j]) * own + weights[j] * common < limit:
                break
            place += 1
        last[j] = place - 1
    return last
