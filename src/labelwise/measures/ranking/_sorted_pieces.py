"""Sort many pieces of one array, without a step of Python for each short piece."""

from __future__ import annotations

import numpy as np

# Longer pieces are sorted one by one: sorting them takes longer than a step of Python.
_LONG = 1024


def sort_pieces(values: np.ndarray, bounds: np.ndarray, numbers: np.ndarray) -> None:
    """Sort some pieces of an array upwards, in place.

    Piece i is ``values[bounds[i]:bounds[i + 1]]``; `numbers` are the pieces to sort. Short pieces
    of similar size are copied into the rows of a table, which are sorted together.
    """
    sizes = np.diff(bounds)[numbers]
    for i in numbers[sizes > _LONG].tolist():
        values[bounds[i] : bounds[i + 1]].sort()
    # Powers of two: a table is at most twice as large as its pieces.
    powers = np.frexp(np.maximum(sizes - 1, 0))[1]
    for power in np.unique(powers[sizes <= _LONG]).tolist():
        is_alike = (powers == power) & (sizes <= _LONG)
        _sort_alike(values, bounds[numbers[is_alike]], sizes[is_alike], 1 << power)


def _sort_alike(values: np.ndarray, starts: np.ndarray, sizes: np.ndarray, width: int) -> None:
    """Sort pieces of at most `width` values."""
    is_there = np.arange(width) < sizes[:, None]
    places = (starts[:, None] + np.arange(width))[is_there]
    table = np.full(is_there.shape, np.inf, dtype=values.dtype)
    table[is_there] = values[places]
    table.sort(axis=1)
    values[places] = table[is_there]
