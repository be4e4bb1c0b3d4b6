"""Kernels that rank and count the stored scores of sparse matrices label by label."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

# Scores that insertion sorts before merging begins.
RUN = 16


@njit(cache=True, nogil=True)
def rank_labels(ranked, first, last, Y_indptr, Y_indices):
    """Mark the positive cells of the labels from `first` to `last` - 1, and sort their scores.

    The cells of each label are in the order of rows; scores fall afterwards, and tied cells keep
    this order.
    """
    starts, cells, scores = ranked
    longest = 0
    for j in range(first, last):
        longest = max(longest, starts[j + 1] - starts[j])
    room_cells, room_scores = np.empty(longest, cells.dtype), np.empty(longest, scores.dtype)
    for j in range(first, last):
        mine = cells[starts[j] : starts[j + 1]]
        positives = Y_indices[Y_indptr[j] : Y_indptr[j + 1]]
        other = 0
        for entry in range(mine.size):
            while other < positives.size and 2 * positives[other] < mine[entry]:
                other += 1
            if other < positives.size and 2 * positives[other] == mine[entry]:
                mine[entry] += 1
        sort_falling(scores[starts[j] : starts[j + 1]], mine, room_scores, room_cells)


@njit(inner=True, nogil=True)
def sort_falling(scores, cells, room_scores, room_cells):
    """Sort scores downwards with their cells, by a merge sort that keeps the order of ties."""
    for start in range(0, scores.size, RUN):
        insertion_sort(scores[start : start + RUN], cells[start : start + RUN])
    width = RUN
    while width < scores.size:
        for start in range(0, scores.size - width, 2 * width):
            end = min(start + 2 * width, scores.size)
            merge_halves(scores[start:end], cells[start:end], width, room_scores, room_cells)
        width *= 2


@njit(inner=True, nogil=True)
def insertion_sort(scores, cells):
    """Sort a few scores downwards with their cells."""
    for entry in range(1, scores.size):
        score, cell, place = scores[entry], cells[entry], entry
        while place > 0 and scores[place - 1] < score:
            scores[place], cells[place] = scores[place - 1], cells[place - 1]
            place -= 1
        scores[place], cells[place] = score, cell


@njit(inner=True, nogil=True)
def merge_halves(scores, cells, middle, room_scores, room_cells):
    """Merge the scores before and from `middle` on, both falling; earlier ties stay first."""
    room_scores[:middle] = scores[:middle]
    room_cells[:middle] = cells[:middle]
    left, right, place = 0, middle, 0
    while left < middle and right < scores.size:
        # Both are written without a branch on the scores, which the processor cannot predict.
        is_right = scores[right] > room_scores[left]
        scores[place] = scores[right] if is_right else room_scores[left]
        cells[place] = cells[right] if is_right else room_cells[left]
        right += is_right
        left += not is_right
        place += 1
    while left < middle:
        scores[place], cells[place] = room_scores[left], room_cells[left]
        left += 1
        place += 1


@njit(cache=True, nogil=True)
def count_reached(labels, scores, thresholds):
    """Return how many scores of each label are at its threshold or above it."""
    reached = np.zeros(thresholds.size, np.int64)
    for p in range(labels.size):
        reached[labels[p]] += scores[p] >= thresholds[labels[p]]
    return reached
