"""Single numbers at the door of a generator: their kind, their range, one sentence if not."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any


def check_whole(value: Any, input_name: str, *, least: int = 1) -> int:
    """Return a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{input_name} must be a whole number, got {value!r}.")
    if value < least:
        raise ValueError(f"{input_name} must be at least {least}, got {value}.")
    return int(value)


def check_real(value: Any, input_name: str, *, least: float, most: float) -> float:
    """Return a number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{input_name} must be a number, got {value!r}.")
    number = float(value)
    if not least <= number <= most:
        raise ValueError(f"{input_name} must be from {least:g} to {most:g}, got {value}.")
    return number
