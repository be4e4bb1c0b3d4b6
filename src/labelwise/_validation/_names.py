"""Check names of labels and features: distinct strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labelwise._validation._readable import refuse_sparse


def check_names(names: Iterable[Any], input_name: str) -> tuple[str, ...]:
    """Return distinct names as a tuple of str."""
    if isinstance(names, str):
        raise TypeError(f"{input_name} must be a sequence of names, got the one string {names!r}.")
    refuse_sparse(names, input_name, "a sequence of names")
    checked = tuple(str(name) for name in names)
    if len(set(checked)) < len(checked):
        seen: set[str] = set()
        twice = next(name for name in checked if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"{input_name} must be distinct, got {twice!r} twice.")
    return checked
