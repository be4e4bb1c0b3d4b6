"""Check single numbers, options and seeds, and what belongs to samples: weights and groups."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np

from labelwise._validation._arrays import as_dense, check_readable


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is a whole number of any type; booleans are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: Any) -> TypeGuard[float]:
    """Return whether a value is a real number of any type; booleans are not."""
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
    """Return the policy for undefined values: a name or a finite number.

    With `allow_zero`, the policies "zero" and "defined" are known, too: both are of measures that
    have conventional values for labels and samples without positives and decisions.
    """
    names = ("nan", "skip", "zero", "defined") if allow_zero else ("nan", "skip")
    if isinstance(undefined, str):
        if undefined in names:
            return undefined
    elif is_real(undefined) and np.isfinite(undefined):
        return float(undefined)
    listed = ", ".join(f'"{name}"' for name in names)
    raise ValueError(f"undefined must be {listed} or a finite number, got {undefined!r}.")


def check_random_state(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed, a generator itself, or that of numpy for None.

    The generators are those of scikit-learn's function of this name, whose import takes longer
    than most commands.
    """
    if random_state is None or random_state is np.random:
        # The generator that `np.random.seed` seeds is public only as the owner of its methods.
        return np.random.rand.__self__  # type: ignore[attr-defined,no-any-return]
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32:
        return np.random.RandomState(int(random_state))
    raise ValueError(
        "random_state must be None, a RandomState or a whole number from 0 to 2**32 - 1, "
        f"got {random_state!r}."
    )


def check_weights(
    weights: Any, size: int, input_name: str = "sample_weight", units: str = "rows"
) -> np.ndarray:
    """Return weights as float64: finite, not negative, and not all zero."""
    found = as_dense(weights, input_name)
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{input_name} must contain numbers, got {found.dtype}.")
    if found.shape != (size,):
        raise ValueError(
            f"{input_name} must have a number for each of {size} {units}, got shape {found.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if wrong.size or not found.any():
        got = f"{found[wrong[0]]:g} at {units[:-1]} {wrong[0]}" if wrong.size else "only 0"
        raise ValueError(
            f"{input_name} must be finite, not negative, and not zero everywhere, got {got}."
        )
    return found.astype(np.float64)


def relative_weights(sample_weight: Any, n_samples: int) -> np.ndarray | None:
    """Return weights for a weighted mean; None if none are given or all are the same."""
    if sample_weight is None:
        return None
    weights = check_weights(sample_weight, n_samples)
    return None if (weights == weights[0]).all() else weights


def check_groups(groups: Any, n_samples: int, input_name: str = "groups") -> np.ndarray:
    """Return the number of each sample's group, counted from 0 in the order of first occurrence.

    Messages have `input_name`, a plural, and its singular.
    """
    must = f"{input_name} must name a {input_name[:-1]} for"
    check_readable(groups, input_name)
    is_list = isinstance(groups, list | tuple)
    # As numbers or text, 1 and "1" in one list would be the same group.
    names = np.fromiter(groups, object, len(groups)) if is_list else np.asarray(groups)
    if names.shape != (n_samples,):
        raise ValueError(f"{must} each of {n_samples} samples, got {names.shape}.")
    if names.dtype.kind in "iub":
        _, first, number = np.unique(names, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[number]
    listed = names.tolist()
    numbers = {name: number for number, name in enumerate(dict.fromkeys(listed))}
    if any(map(_is_missing, numbers)):
        row = next(i for i, name in enumerate(listed) if _is_missing(name))
        raise ValueError(f"{must} every sample, got none at sample {row}.")
    return np.fromiter(map(numbers.__getitem__, listed), np.int64, n_samples)


def _is_missing(name: Any) -> bool:
    """Return whether a name is None, NaN or NA of pandas, which is not equal to itself."""
    if name is None:
        return True
    is_same = name == name
    return not isinstance(is_same, bool | np.bool_) or not is_same


def slice_texts(slices: Any, n_samples: int) -> np.ndarray:
    """Return the slice of each sample as text; 2.0 and 2 are the same slice."""
    numbers = check_groups(slices, n_samples, "slices")
    _, first = np.unique(numbers, return_index=True)
    values = slices if isinstance(slices, list | tuple) else np.asarray(slices)
    named = [values[i] for i in first.tolist()]
    texts = [str(int(one) if is_real(one) and float(one).is_integer() else one) for one in named]
    return np.asarray(np.array(texts, dtype=object)[numbers])
