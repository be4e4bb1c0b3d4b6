"""Kernels that find cuts and counts of ranked labels for any weights of the samples.

A cell is ``2 * row + 1`` if it is positive, else ``2 * row``; the cells of a label are in the order
of falling score. Weights are int64 or float64, and counts have the type of the weights.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit
from labelwise.decisions.thresholds.curves._cuts_kernels import put_threshold


@njit(cache=True, nogil=True)
def ends_of_ties(ranked, entries, hit_starts):
    """Return, for each positive entry, the last entry of its label with the same score."""
    ends = np.empty(entries.size, np.int64)
    for j in range(hit_starts.size - 1):
        for k in range(hit_starts[j], hit_starts[j + 1]):
            end = entries[k]
            if k > hit_starts[j] and end <= ends[k - 1]:
                end = ends[k - 1]
            while end + 1 < ranked.starts[j + 1] and ranked.scores[end + 1] == ranked.scores[end]:
                end += 1
            ends[k] = end
    return ends


@njit(cache=True, nogil=True)
def put_weighted_threshold(thresholds, place, ranked, weights, entry, end):
    """Store the threshold below an entry and above the next entry with a positive weight."""
    below = entry + 1
    while below < end and weights.size and weights[ranked.cells[below] >> 1] == 0:
        below += 1
    lower = ranked.scores[below] if below < end else -np.inf
    put_threshold(thresholds, place, ranked.scores[entry], lower)


@njit(cache=True, nogil=True)
def longest(starts):
    """Return the largest number of entries of a label."""
    # numba compiles the error messages of np.diff as well, which takes three seconds.
    most = 0
    for j in range(starts.size - 1):
        most = max(most, starts[j + 1] - starts[j])
    return most


@njit(cache=True, nogil=True)
def weighted_cuts_at_hits(ranked, hits, weights):
    """Return (starts, decided, hits, lows, thresholds) of cuts whose lowest score is a positive's.

    A row counts as many times as its weight, and once if `weights` is empty: weights are read in
    the order of the scores, which takes longer than all the rest if they are not in the cache.
    """
    n_labels = ranked.starts.size - 1
    room = hits.entries.size + n_labels
    decided, n_hits = np.zeros(room, weights.dtype), np.zeros(room, weights.dtype)
    lows = np.full(room, np.inf, ranked.scores.dtype)
    thresholds = np.full(room, np.inf, ranked.scores.dtype)
    starts = np.zeros(n_labels + 1, np.int64)
    sums = np.empty(longest(ranked.starts), weights.dtype)
    cells, has_weights, place, weight = ranked.cells, weights.size > 0, -1, 1
    for j in range(n_labels):
        place += 1
        first, end, n, tp, before = ranked.starts[j], ranked.starts[j + 1], 0, 0, 0
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
                decided[place], n_hits[place], before = sums[tie_end - first], tp, tp
                lows[place] = ranked.scores[tie_end]
                put_weighted_threshold(thresholds, place, ranked, weights, tie_end, end)
        starts[j + 1] = place + 1
    end = place + 1
    return starts, decided[:end], n_hits[:end], lows[:end], thresholds[:end]


@njit(cache=True, nogil=True)
def weighted_cuts_everywhere(ranked, weights):
    """Return the cuts at every distinct score, as `weighted_cuts_at_hits` does."""
    n_labels = ranked.starts.size - 1
    room = ranked.cells.size + n_labels
    decided, n_hits = np.zeros(room, weights.dtype), np.zeros(room, weights.dtype)
    lows = np.full(room, np.inf, ranked.scores.dtype)
    thresholds = np.full(room, np.inf, ranked.scores.dtype)
    starts = np.zeros(n_labels + 1, np.int64)
    place = -1
    for j in range(n_labels):
        place += 1
        end, n, tp, before = ranked.starts[j + 1], 0, 0, 0
        for entry in range(ranked.starts[j], end):
            weight = weights[ranked.cells[entry] >> 1]
            n += weight
            tp += weight * (ranked.cells[entry] & 1)
            is_last = entry + 1 == end or ranked.scores[entry + 1] < ranked.scores[entry]
            if is_last and n > before:
                place += 1
                decided[place], n_hits[place], before = n, tp, n
                lows[place] = ranked.scores[entry]
                put_weighted_threshold(thresholds, place, ranked, weights, entry, end)
        starts[j + 1] = place + 1
    end = place + 1
    return starts, decided[:end], n_hits[:end], lows[:end], thresholds[:end]


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
def counts_at_common(ranked, weights, thresholds):
    """Return (labels, places, decided, hits) where a common threshold decides more of a label.

    Thresholds fall; `places` are their numbers. Where a label has the same decisions as at the
    threshold before, it is left out.
    """
    starts, cells, scores = ranked
    n_labels, n_places = starts.size - 1, thresholds.size
    room = min(cells.size, n_labels * n_places)
    labels, places = np.empty(room, np.int64), np.empty(room, np.int64)
    decided, hits = np.empty(room, weights.dtype), np.empty(room, weights.dtype)
    size = 0
    for j in range(n_labels):
        n, tp, place = 0, 0, -1
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
            n += weight
            tp += weight * (cells[entry] & 1)
            decided[size - 1], hits[size - 1] = n, tp
    return labels[:size], places[:size], decided[:size], hits[:size]


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
