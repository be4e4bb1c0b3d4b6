"""Kernels that make the intervals of micro paths, and blend their chances without large arrays."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import compiled_if_worth, njit


class OwnVertices(NamedTuple):
    """The hull vertices of each label, those of label j from ``starts[j]`` on."""

    starts: np.ndarray
    decided: np.ndarray
    hits: np.ndarray
    thresholds: np.ndarray
    slopes: np.ndarray  # of the hull edge before the vertex
    common: np.ndarray  # chance of a hit there by the isotonic curve of all labels
    seen: np.ndarray  # number of pooled vertices that are not below


class CommonVertices(NamedTuple):
    """The steps of each label at common thresholds, and the pooled vertices."""

    labels: np.ndarray
    places: np.ndarray  # number of the common threshold
    decided: np.ndarray
    hits: np.ndarray
    vertices: np.ndarray  # the first pooled vertex that is not above each common threshold
    thresholds: np.ndarray  # of the pooled vertices
    chances: np.ndarray


class Pieces(NamedTuple):
    """Intervals of each label's scores in falling order, with two estimates of the chance of a hit.

    An interval has the scores between two successive thresholds: vertices of the hull of the label
    and of the pooled hull. The first interval of each label lies above all scores and is empty.
    Other intervals without scores that end at a pooled vertex are left out.
    """

    starts: np.ndarray
    decided: np.ndarray  # number of scores in the interval
    hits: np.ndarray  # positives among them
    own: np.ndarray  # chance by the isotonic curve of the label
    common: np.ndarray  # chance by the isotonic curve of all labels
    thresholds: np.ndarray
    seen: np.ndarray  # number of pooled vertices up to the interval, with one that ends it
    is_common: np.ndarray  # whether a pooled vertex ends it


@compiled_if_worth(lambda _own, _common, pieces: pieces.decided.size)
@njit(cache=True, nogil=True)
def merge_vertices(own, common, pieces):
    """Write the intervals of all labels, and return their number.

    If both have a vertex at one score, the label's own comes last and is used.
    """
    size, step, n_steps = 0, 0, common.labels.size
    for j in range(own.starts.size - 1):
        decided, hits = 0.0, 0.0
        for k in range(own.starts[j], own.starts[j + 1] + 1):
            is_end = k == own.starts[j + 1]
            limit = common.thresholds.size if is_end else own.seen[k]
            slope = 0.0 if is_end else own.slopes[k]
            while step < n_steps and common.labels[step] == j:
                vertex = common.vertices[common.places[step]]
                if vertex >= limit:
                    break
                step += 1
                # Of the steps up to a vertex, the last one has all their decisions.
                is_more = step < n_steps and common.labels[step] == j
                if is_more and common.vertices[common.places[step]] == vertex:
                    continue
                pieces.decided[size] = common.decided[step - 1] - decided
                pieces.hits[size] = common.hits[step - 1] - hits
                decided, hits = float(common.decided[step - 1]), float(common.hits[step - 1])
                pieces.own[size], pieces.common[size] = slope, common.chances[vertex]
                pieces.thresholds[size] = common.thresholds[vertex]
                pieces.seen[size], pieces.is_common[size] = vertex + 1, True
                size += 1
            if is_end:
                break
            pieces.decided[size], pieces.hits[size] = own.decided[k] - decided, own.hits[k] - hits
            decided, hits = float(own.decided[k]), float(own.hits[k])
            pieces.own[size], pieces.common[size] = slope, own.common[k]
            pieces.thresholds[size] = own.thresholds[k]
            pieces.seen[size], pieces.is_common[size] = own.seen[k], False
            size += 1
        while step < n_steps and common.labels[step] == j:
            step += 1
        pieces.starts[j + 1] = size
    return size


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
