"""Categories: the distinct values of a text column, and their 0/1 features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._columns._values import MISSING
from labelwise._io import numpy_column

_YES = {"yes", "true", "t", "y"}
# Codes of rows without a value, and with a value that is not among the known ones.
ABSENT, UNSEEN = -1, -2


class Codes(NamedTuple):
    """Text as numbers: the index of each row's value among the distinct ones, -1 if missing."""

    numbers: np.ndarray
    values: list[str]


class Categories(NamedTuple):
    """The values of a column in sorted order."""

    column: str
    values: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Names of the features: one of 0 and 1 for two values, else one for each value."""
        if len(self.values) in (0, 2):
            return [self.column]
        return [f"{self.column}={value}" for value in self.values]

    @property
    def one(self) -> int:
        """Index of the value that is 1 in a single feature: one that means yes, else the last."""
        meant = [number for number, value in enumerate(self.values) if value.lower() in _YES]
        return meant[0] if len(meant) == 1 else len(self.values) - 1


def encode(column: Any, values: Sequence[str] | None = None) -> Codes:
    """Return a text column as codes; "" and "?" are missing.

    The values are those of the column in sorted order, or the given ones; then the code of another
    value is `UNSEEN`.
    """
    encoded = column.dictionary_encode().combine_chunks()
    found = encoded.dictionary.to_pylist()
    if values is None:
        values = sorted(value for value in found if value not in MISSING)
    place = {value: number for number, value in enumerate(values)}
    place |= dict.fromkeys(MISSING, ABSENT)
    # The last entry is for null, which has the index -1.
    numbers = np.array([*(place.get(value, UNSEEN) for value in found), ABSENT], dtype=np.int32)
    return Codes(numbers[numpy_column(encoded.indices, np.int32, missing=-1)], list(values))
