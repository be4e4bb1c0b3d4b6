"""Check groups of samples that stay together."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._validation._readable import check_readable


def check_groups(groups: Any, n_samples: int) -> np.ndarray:
    """Return the number of each sample's group, counted from 0 in the order of first occurrence."""
    check_readable(groups, "groups")
    is_list = isinstance(groups, list | tuple)
    # As numbers or text, 1 and "1" in one list would be the same group.
    names = np.fromiter(groups, object, len(groups)) if is_list else np.asarray(groups)
    if names.shape != (n_samples,):
        raise ValueError(
            f"groups must name a group for each of {n_samples} samples, got {names.shape}."
        )
    if names.dtype.kind in "iub":
        _, first, number = np.unique(names, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[number]
    numbers: dict[Any, int] = {}
    for i, name in enumerate(names.tolist()):
        if name is None or name != name:
            raise ValueError(f"groups must name a group for every sample, got none at sample {i}.")
        numbers.setdefault(name, len(numbers))
    return np.array([numbers[name] for name in names.tolist()], dtype=np.int64)
