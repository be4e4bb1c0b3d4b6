"""Kernels that count decisions and hits of each row along a path of thresholds, and bet on them."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from math import log1p, sqrt

import numpy as np

from labelwise._jit import njit


@njit(cache=True, nogil=True)
def reaching_cells(scores, thresholds):
    """Return the dense scores that reach the threshold of their label: values, labels, row starts.

    The result has the parts of a CSR matrix.
    """
    n_rows, n_labels = scores.shape
    starts = np.zeros(n_rows + 1, np.int64)
    for i in range(n_rows):
        n_reached = 0
        for j in range(n_labels):
            n_reached += scores[i, j] >= thresholds[j]
        starts[i + 1] = starts[i] + n_reached
    # One place more than cells, since each score is written before the place advances.
    values = np.empty(starts[-1] + 1, scores.dtype)
    labels = np.empty(starts[-1] + 1, np.int32)
    place = 0
    for i in range(n_rows):
        for j in range(n_labels):
            values[place] = scores[i, j]
            labels[place] = j
            place += scores[i, j] >= thresholds[j]
    return values[:-1], labels[:-1], starts


@njit(cache=True, nogil=True)
def entry_points(values, labels, thresholds):
    """Return the first point of the path whose threshold each score reaches.

    Row j of `thresholds` has the thresholds of label j, which fall. A score that reaches none has
    the number of points.
    """
    found = np.empty(values.size, np.int32)
    for cell in range(values.size):
        of_label = thresholds[labels[cell]]
        low, high = 0, of_label.size
        while low < high:
            middle = (low + high) // 2
            if values[cell] >= of_label[middle]:
                high = middle
            else:
                low = middle + 1
        found[cell] = low
    return found


@njit(cache=True, nogil=True)
def counts_along(starts, entries, positive, most, n_points):
    """Return the decisions and hits of each row at each point, at most `most` decisions a row.

    The cells of row i are at ``starts[i]`` to ``starts[i + 1] - 1``, in the order in which they are
    kept if more than `most` are reached. A cell is then decided from its entry point on, until
    `most` cells before it have been reached too.
    """
    n_rows = starts.size - 1
    decided = np.zeros((n_rows, n_points + 1), np.int32)
    hits = np.zeros((n_rows, n_points + 1), np.int32)
    first_reached = np.empty(min(most, entries.size), np.int32)  # lowest entry points, rising
    for i in range(n_rows):
        size = 0
        is_limited = starts[i + 1] - starts[i] > most
        for cell in range(starts[i], starts[i + 1]):
            entry = entries[cell]
            end = first_reached[most - 1] if size == most else n_points
            if entry >= end:
                continue
            decided[i, entry] += 1
            decided[i, end] -= 1
            hits[i, entry] += positive[cell]
            hits[i, end] -= positive[cell]
            if not is_limited:
                continue
            place = min(size, most - 1)
            while place > 0 and first_reached[place - 1] > entry:
                first_reached[place] = first_reached[place - 1]
                place -= 1
            first_reached[place] = entry
            size = min(size + 1, most)
        for k in range(1, n_points):
            decided[i, k] += decided[i, k - 1]
            hits[i, k] += hits[i, k - 1]
    return decided[:, :n_points], hits[:, :n_points]


# The largest share of the capital that one row may lose.
LARGEST_LOSS = 0.95


@njit(cache=True, nogil=True)
def bet_on_rows(values, state, lowest, target, n_left, bets):
    """Bet on the rows of `values` that the mean of each column is above 0; update the state.

    The rows of `state` are the logarithm of the capital, its maximum, the sum of squares and the
    number of rows behind it, one column for each hypothesis. `lowest` is the least possible value,
    `target` the logarithm of the capital that rejects, and `n_left` the number of rows to come,
    these included. `bets` has the bets per standard deviation for capitals that are lower than the
    target by factors of ``exp(-i / step)``, see `_betting.bet_table`.
    """
    table, step = bets
    for i in range(values.shape[0]):
        root = sqrt(n_left - i)
        for k in range(values.shape[1]):
            if state[1, k] >= target:
                continue
            short = min((target - state[0, k]) * step, table.size - 1.001)
            below = int(short)
            bet = table[below] + (short - below) * (table[below + 1] - table[below])
            bet /= root * sqrt(state[2, k] / state[3, k])
            state[0, k] += log1p(min(bet, LARGEST_LOSS / -lowest[k]) * values[i, k])
            state[1, k] = max(state[1, k], state[0, k])
            state[2, k] += values[i, k] ** 2
            state[3, k] += 1
