"""Rows of an npy file, read by blocks.

A memory map would count as resident memory as long as the system has room for its pages; reading
into a block of its own does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from labelwise._io import DataError, npy_header


class NpyFile:
    """Rows of a 2-D npy file in row order."""

    names: tuple[str, ...] | None = None

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
    def row_bytes(self) -> int:
        """Bytes of a row in memory."""
        return self._header.dtype.itemsize * self.shape[1]

    def blocks(self, n_together: int) -> Iterator[np.ndarray]:
        """Yield all rows in order, `n_together` at a time."""
        n_rows, n_columns = self.shape
        kind = self._header.dtype
        with self._path.open("rb") as stream:
            stream.seek(self._header.n_bytes)
            for start in range(0, n_rows, n_together):
                n_here = min(n_together, n_rows - start)
                cells = np.fromfile(stream, kind, n_here * n_columns)
                if cells.size < n_here * n_columns:
                    raise DataError(self._path, f"ends before row {start + n_here}.")
                yield cells.astype(kind.newbyteorder("="), copy=False).reshape(n_here, n_columns)

    def columns(self, chosen: slice, n_together: int) -> Iterator[np.ndarray]:
        """Yield some columns of all rows in the same blocks."""
        for block in self.blocks(n_together):
            yield np.ascontiguousarray(block[:, chosen])
