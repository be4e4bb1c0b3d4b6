"""Rows of an npy file, read by blocks.

A memory map would count as resident memory as long as the system has room for its pages; reading
into a block of its own does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError, npy_header


class NpyFile:
    """Rows of a 2-D npy file in row order."""

    names: tuple[str, ...] | None = None
    id_name: str | None = None
    is_array = False

    def __init__(self, path: Path) -> None:
        self._path = path
        header = npy_header(path)
        if len(header.shape) != 2 or header.dtype.kind not in "biuf":
            raise DataError(
                path, f"must contain a 2-D array of numbers, got {header.shape} {header.dtype}."
            )
        if header.by_columns:
            raise DataError(path, "is stored column by column: write it in row order (order='C').")
        self._header = header

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        n_rows, n_columns = self._header.shape
        return n_rows, n_columns

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers, in the byte order of this machine."""
        return self._header.dtype.newbyteorder("=")

    @property
    def row_bytes(self) -> int:
        """Bytes of a row in memory."""
        return self.dtype.itemsize * self.shape[1]

    def blocks(self, n_together: int) -> Iterator[np.ndarray]:
        """Yield all rows in order, `n_together` at a time."""
        start = 0
        for size in self.chunk_sizes(n_together):
            yield self.rows(start, start + size)
            start += size

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Return some rows."""
        n_cells = (stop - start) * self.shape[1]
        with self._path.open("rb") as stream:
            stream.seek(self._header.n_bytes + start * self.row_bytes)
            cells = np.fromfile(stream, self._header.dtype, n_cells)
        if cells.size < n_cells:
            raise DataError(self._path, f"ends before row {stop}.")
        return cells.astype(self.dtype, copy=False).reshape(-1, self.shape[1])

    def ids(self) -> Iterator[Any]:
        """Yield nothing: rows have no ids."""
        return iter(())

    def chunk_sizes(self, n_together: int) -> list[int]:
        """Return equal numbers of rows, and the rest."""
        return equal_sizes(self.shape[0], n_together)


def equal_sizes(n_rows: int, n_together: int) -> list[int]:
    """Return numbers of rows, `n_together` each, and the rest."""
    return [min(n_together, n_rows - start) for start in range(0, n_rows, n_together)]
