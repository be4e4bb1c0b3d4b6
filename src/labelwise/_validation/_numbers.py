"""Check single numbers and options: their type and their range."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is a whole number of any type; booleans are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: Any) -> TypeGuard[float]:
    """Return whether a value is a real number of any type; booleans are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_whole(value: Any, input_name: str, *, least: int = 1) -> int:
    """Return a whole number of at least `least` as an int."""
    if not is_whole(value):
        raise TypeError(f"{input_name} must be a whole number, got {value!r}.")
    if value < least:
        raise ValueError(f"{input_name} must be at least {least}, got {value}.")
    return int(value)


def check_real(value: Any, input_name: str, *, least: float, most: float) -> float:
    """Return a number from `least` to `most`, both included, as a float."""
    if not is_real(value):
        raise TypeError(f"{input_name} must be a number, got {value!r}.")
    number = float(value)
    if not least <= number <= most:
        raise ValueError(f"{input_name} must be from {least:g} to {most:g}, got {value}.")
    return number


def check_share(value: Any, input_name: str) -> float:
    """Return a real number strictly between 0 and 1, such as a confidence or a level alpha."""
    if not is_real(value):
        raise TypeError(f"{input_name} must be a number, got {value!r}.")
    number = float(value)
    if not 0 < number < 1:
        raise ValueError(f"{input_name} must be between 0 and 1, got {value}.")
    return number


def check_n_bootstrap(value: Any) -> int:
    """Return a number of resamples: 0 for none, or at least 2."""
    n_bootstrap = check_whole(value, "n_bootstrap", least=0)
    if n_bootstrap == 1:
        raise ValueError("n_bootstrap must be 0 or at least 2, got 1.")
    return n_bootstrap


def check_beta(beta: Any) -> None:
    """Refuse a beta that is not a positive, finite number."""
    if not is_real(beta) or not 0 < beta < np.inf:
        raise ValueError(f"beta must be a positive number, got {beta!r}.")


def check_undefined(undefined: Any, *, allow_zero: bool = False) -> str | float:
    """Return the policy for undefined values: "nan", "skip" (, "zero") or a finite number."""
    names = ("nan", "skip", "zero") if allow_zero else ("nan", "skip")
    if isinstance(undefined, str):
        if undefined in names:
            return undefined
    elif is_real(undefined) and np.isfinite(undefined):
        return float(undefined)
    listed = ", ".join(f'"{name}"' for name in names)
    raise ValueError(f"undefined must be {listed} or a finite number, got {undefined!r}.")
