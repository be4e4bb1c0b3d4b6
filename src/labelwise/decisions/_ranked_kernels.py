"""Cuts and counts of labels ranked once, for any weights of the samples.

A cell is ``2 * row + 1`` if it is positive, else ``2 * row``; the cells of a label stand in the
order of falling score.
"""

import numpy as np
from numba import njit

from labelwise.decisions._cuts_kernels import put_threshold


@njit(cache=True, nogil=True)
def weighted_cuts(ranked, weights, everywhere):
    """Return the cuts of all labels as (starts, decided, hits, lows, thresholds).

    A row counts as often as its weight says, and not at all with weight 0. Unless `everywhere`,
    cuts stand only where the lowest decided score is a positive's.
    """
    starts, cells, scores = ranked
    n_labels = starts.size - 1
    room = cells.size if everywhere else np.sum(cells & 1)
    decided = np.zeros(room + n_labels, np.int64)
    hits = np.zeros(room + n_labels, np.int64)
    lows = np.full(room + n_labels, np.inf, scores.dtype)
    thresholds = np.full(room + n_labels, np.inf, scores.dtype)
    cut_starts = np.zeros(n_labels + 1, np.int64)
    place = -1
    for j in range(n_labels):
        place += 1
        n, tp, upper, is_cut = 0, 0, np.inf, False
        for entry in range(starts[j], starts[j + 1]):
            weight = weights[cells[entry] >> 1]
            if weight == 0:
                continue
            if is_cut and scores[entry] < upper:
                place += 1
                decided[place], hits[place], lows[place] = n, tp, upper
                put_threshold(thresholds, place, upper, scores[entry])
                is_cut = False
            upper = scores[entry]
            n += weight
            tp += weight * (cells[entry] & 1)
            is_cut = is_cut or everywhere or cells[entry] & 1 == 1
        if is_cut:
            place += 1
            decided[place], hits[place], lows[place] = n, tp, upper
            thresholds[place] = -np.inf
        cut_starts[j + 1] = place + 1
    end = place + 1
    return cut_starts, decided[:end], hits[:end], lows[:end], thresholds[:end]


@njit(cache=True, nogil=True)
def weighted_counts(ranked, weights, thresholds):
    """Return what each label decides and hits at thresholds (K, n_labels) that fall."""
    starts, cells, scores = ranked
    decided = np.zeros(thresholds.shape, np.int64)
    hits = np.zeros(thresholds.shape, np.int64)
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
def weighted_tops(ranked, weights):
    """Return each label's highest score, and what it decides and hits there."""
    starts, cells, scores = ranked
    n_labels = starts.size - 1
    tops = np.full(n_labels, np.inf)
    decided = np.zeros(n_labels, np.int64)
    hits = np.zeros(n_labels, np.int64)
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
