"""Sort many pieces of an array: long ones one by one, short ones of similar size together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from labelwise._parallel import for_row_blocks

# Longer pieces are sorted one by one: sorting them takes longer than a step of Python.
_LONG_PIECE = 1024
# Values that a thread orders at a time.
_TOGETHER = 2**18


def sort_pieces(
    values: np.ndarray, bounds: np.ndarray, numbers: np.ndarray | None = None
) -> np.ndarray:
    """Sort pieces of an array upwards, in place, and return it.

    Piece i is ``values[bounds[i]:bounds[i + 1]]``; `numbers` are the pieces to sort (default all).
    """
    if numbers is None:
        numbers = np.arange(bounds.size - 1)
    for i in numbers[np.diff(bounds)[numbers] > _LONG_PIECE].tolist():
        values[bounds[i] : bounds[i + 1]].sort()
    for places, is_there in _tables(bounds, numbers):
        table = np.full(is_there.shape, np.inf, dtype=values.dtype)
        table[is_there] = values[places]
        table.sort(axis=1)
        values[places] = table[is_there]
    return values


def falling_order(values: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the order in which the finite values of each piece fall; ties are in any order."""
    order = np.empty(values.size, dtype=np.intp)

    def find(pieces: slice) -> None:
        numbers = np.arange(pieces.start, pieces.stop)
        for i in numbers[np.diff(bounds)[numbers] > _LONG_PIECE].tolist():
            first, end = bounds[i], bounds[i + 1]
            order[first:end] = first + np.argsort(values[first:end])[::-1]
        for places, is_there in _tables(bounds, numbers):
            table = np.full(is_there.shape, -np.inf, dtype=values.dtype)
            table[is_there] = values[places]
            # Every row has a value in its first column.
            firsts = places[np.cumsum(is_there.sum(axis=1)) - is_there.sum(axis=1)]
            falling = np.argsort(table, axis=1)[:, ::-1]
            order[places] = (firsts[:, None] + falling)[is_there]

    n_pieces = bounds.size - 1
    for_row_blocks(find, n_pieces, -(-values.size // max(1, n_pieces)), _TOGETHER)
    return order


def _tables(bounds: np.ndarray, numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the places of short pieces of similar size, and where they are in a table of rows.

    A row of the table is a piece. Its width is a power of two: the table is at most twice as large
    as its pieces.
    """
    sizes = np.diff(bounds)[numbers]
    powers = np.frexp(np.maximum(sizes - 1, 0))[1]
    is_short = (sizes > 0) & (sizes <= _LONG_PIECE)
    for power in np.unique(powers[is_short]).tolist():
        is_alike = is_short & (powers == power)
        columns = np.arange(1 << power)
        is_there = columns < sizes[is_alike][:, None]
        yield (bounds[numbers[is_alike]][:, None] + columns)[is_there], is_there
