"""Lists of sets: the labels of each row as Python sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse


def is_list_of_sets(Y: Any) -> bool:
    """Tell whether Y is a list or tuple of Python sets, each the labels of a row."""
    return (
        isinstance(Y, list | tuple)
        and len(Y) > 0
        and all(isinstance(row, set | frozenset) for row in Y)
    )


def names_in_sets(*label_sets: Any) -> tuple[str, ...]:
    """Return the sorted union of the labels in several lists of sets."""
    return tuple(sorted({str(label) for rows in label_sets for row in rows for label in row}))


def matrix_of_sets(rows: Sequence[Any], names: tuple[str, ...], input_name: str) -> Any:
    place = {name: j for j, name in enumerate(names)}
    indices: list[int] = []
    indptr = [0]
    for i, row in enumerate(rows):
        for label in row:
            if str(label) not in place:
                raise ValueError(f"{input_name} has an unknown label {str(label)!r} in row {i}.")
            indices.append(place[str(label)])
        indptr.append(len(indices))
    ones = np.ones(len(indices), dtype=bool)
    matrix = sparse.csr_array((ones, indices, indptr), shape=(len(rows), len(names)))
    return sparse.csc_array(matrix)
