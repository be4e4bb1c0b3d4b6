"""Kernels that find cuts and counts of ranked labels for any weights of the samples.

A cell is ``2 * row + 1`` if it is positive, else ``2 * row``; the cells of a label are in the order
of falling score. Weights are bytes, int64 or float64; counts are float64 if the weights are, else
int64. Sums begin with a zero of this type: if nothing is compiled, sums of bytes would overflow.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._curves._cuts_kernels import put_threshold
from labelwise._jit import compiled_if_worth, njit


class CutArrays(NamedTuple):
    """Arrays that a kernel writes cuts to, allocated by the caller to save compile time.

    The cuts of label j are those from starts[j] to starts[j + 1]; the first decides nobody.
    """

    starts: np.ndarray  # zeros
    decided: np.ndarray  # zeros
    hits: np.ndarray  # zeros
    lows: np.ndarray  # inf
    thresholds: np.ndarray  # inf


@compiled_if_worth(lambda ranked, *_: ranked.cells.size)
@njit(cache=True, nogil=True)
def find_ends_of_ties(ranked, entries, hit_starts, ends):
    """Write, for each positive entry, the last entry of its label with the same score."""
    for j in range(hit_starts.size - 1):
        for k in range(hit_starts[j], hit_starts[j + 1]):
            end = entries[k]
            if k > hit_starts[j] and end <= ends[k - 1]:
                end = ends[k - 1]
            while end + 1 < ranked.starts[j + 1] and ranked.scores[end + 1] == ranked.scores[end]:
                end += 1
            ends[k] = end


@njit(inner=True, nogil=True)
def put_weighted_threshold(thresholds, place, ranked, weights, entry, end):
    """Store the threshold below an entry and above the next entry with a positive weight."""
    below = entry + 1
    while below < end and weights.size and weights[ranked.cells[below] >> 1] == 0:
        below += 1
    lower = ranked.scores[below] if below < end else -np.inf
    put_threshold(thresholds, place, ranked.scores[entry], lower)


@njit(cache=True, nogil=True)
def weighted_cuts_at_hits(ranked, hits, weights, sums, cuts):
    """Write the cuts whose lowest score is a positive's, and return their number.

    A row counts as many times as its weight, and once if `weights` is empty: weights are read in
    the order of the scores, which takes longer than all the rest if they are not in the cache.
    `sums` is a work array for the entries of a label.
    """
    cells, has_weights, place, weight = ranked.cells, weights.size > 0, -1, 1
    zero = cuts.decided.dtype.type(0)
    for j in range(ranked.starts.size - 1):
        place += 1
        first, end, n, tp, before = ranked.starts[j], ranked.starts[j + 1], zero, zero, zero
        for entry in range(first, end):
            if has_weights:
                weight = weights[cells[entry] >> 1]
            n += weight
            sums[entry - first] = n
        for k in range(hits.starts[j], hits.starts[j + 1]):
            if has_weights:
                weight = weights[cells[hits.entries[k]] >> 1]
            tp += weight
            tie_end = hits.tie_ends[k]
            is_last = k + 1 == hits.starts[j + 1] or hits.tie_ends[k + 1] > tie_end
            if is_last and tp > before:
                place += 1
                cuts.decided[place], cuts.hits[place], before = sums[tie_end - first], tp, tp
                cuts.lows[place] = ranked.scores[tie_end]
                put_weighted_threshold(cuts.thresholds, place, ranked, weights, tie_end, end)
        cuts.starts[j + 1] = place + 1
    return place + 1


@njit(cache=True, nogil=True)
def weighted_cuts_everywhere(ranked, weights, cuts):
    """Write the cuts at every distinct score, and return their number."""
    place, zero = -1, cuts.decided.dtype.type(0)
    for j in range(ranked.starts.size - 1):
        place += 1
        end, n, tp, before = ranked.starts[j + 1], zero, zero, zero
        for entry in range(ranked.starts[j], end):
            weight = weights[ranked.cells[entry] >> 1]
            n += weight
            tp += weight * (ranked.cells[entry] & 1)
            is_last = entry + 1 == end or ranked.scores[entry + 1] < ranked.scores[entry]
            if is_last and n > before:
                place += 1
                cuts.decided[place], cuts.hits[place], before = n, tp, n
                cuts.lows[place] = ranked.scores[entry]
                put_weighted_threshold(cuts.thresholds, place, ranked, weights, entry, end)
        cuts.starts[j + 1] = place + 1
    return place + 1


@njit(cache=True, nogil=True)
def weighted_counts(ranked, weights, thresholds):
    """Return decisions and hits of each label at K falling thresholds (K, n_labels)."""
    starts, cells, scores = ranked
    decided = np.zeros(thresholds.shape, weights.dtype)
    hits = np.zeros(thresholds.shape, weights.dtype)
    for j in range(starts.size - 1):
        n, tp, entry = 0, 0, starts[j]
        for k in range(thresholds.shape[0]):
            while entry < starts[j + 1] and scores[entry] >= thresholds[k, j]:
                weight = weights[cells[entry] >> 1]
                n += weight
                tp += weight * (cells[entry] & 1)
                entry += 1
            decided[k, j], hits[k, j] = n, tp
    return decided, hits


@njit(cache=True, nogil=True)
def count_at_common(ranked, weights, thresholds, labels, places, decided, hits, increments):
    """Write the counts of a label where a common threshold decides more of it; return how many.

    Thresholds fall; `places` are their numbers. Where a label has the same decisions as at the
    threshold before, it is left out. Row k of `increments`, of zeros, receives the decisions and
    hits of all labels whose scores are below threshold k - 1 and reach threshold k.
    """
    starts, cells, scores = ranked
    n_places, zero = thresholds.size, decided.dtype.type(0)
    size = 0
    for j in range(starts.size - 1):
        n, tp, place = zero, zero, -1
        for entry in range(starts[j], starts[j + 1]):
            weight = weights[cells[entry] >> 1]
            if weight == 0:
                continue
            if place < 0 or scores[entry] < thresholds[place]:
                place, end = place + 1, n_places
                while place < end:  # to the first threshold that is not above the score
                    middle = (place + end) >> 1
                    if thresholds[middle] > scores[entry]:
                        place = middle + 1
                    else:
                        end = middle
                if place == n_places:
                    break
                labels[size], places[size] = j, place
                size += 1
            hit = weight * (cells[entry] & 1)
            n += weight
            tp += hit
            increments[place, 0] += weight
            increments[place, 1] += hit
            decided[size - 1], hits[size - 1] = n, tp
    return size


@njit(cache=True, nogil=True)
def weighted_tops(ranked, weights):
    """Return the highest score of each label, with the decisions and hits at this threshold."""
    starts, cells, scores = ranked
    n_labels = starts.size - 1
    tops = np.full(n_labels, np.inf)
    decided = np.zeros(n_labels, weights.dtype)
    hits = np.zeros(n_labels, weights.dtype)
    for j in range(n_labels):
        for entry in range(starts[j], starts[j + 1]):
            weight = weights[cells[entry] >> 1]
            if weight == 0:
                continue
            if scores[entry] < tops[j] and decided[j] > 0:
                break
            tops[j] = scores[entry]
            decided[j] += weight
            hits[j] += weight * (cells[entry] & 1)
    return tops, decided, hits


@njit(cache=True, nogil=True)
def count_reached(labels, scores, thresholds):
    """Return how many scores of each label are at its threshold or above it."""
    reached = np.zeros(thresholds.size, np.int64)
    for p in range(labels.size):
        reached[labels[p]] += scores[p] >= thresholds[labels[p]]
    return reached
