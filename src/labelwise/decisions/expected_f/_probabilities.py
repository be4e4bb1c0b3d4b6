"""Checks of probabilities and of beta for the functions of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import check_beta, check_readable


def refuse_outside(values: np.ndarray, input_name: str, place: Callable[[int], str]) -> None:
    """Raise ValueError for the first value outside [0, 1]; `place(number)` gives its location."""
    # NaN fails both comparisons; the extremes need no temporary array.
    if values.size == 0 or (values.min() >= 0 and values.max() <= 1):
        return
    first = int(np.argmax(~((values >= 0) & (values <= 1))))
    raise ValueError(
        f"{input_name} must contain probabilities from 0 to 1, got {values.flat[first]:g} at "
        f"{place(first)}; calibrate the scores first, for instance with CalibratedLabels or "
        "labelwise fit --calibrate."
    )


def check_cells(matrix: Any, names: tuple[str, ...] | None, input_name: str) -> None:
    """Raise ValueError for the first cell of a dense or CSR matrix outside [0, 1]."""

    def place(number: int) -> str:
        if sparse.issparse(matrix):
            row = int(np.searchsorted(matrix.indptr, number, side="right")) - 1
            j = int(matrix.indices[number])
        else:
            row, j = divmod(number, matrix.shape[1])
        return f"row {row}, label {j if names is None else repr(names[j])}"

    refuse_outside(matrix.data if sparse.issparse(matrix) else matrix, input_name, place)


def place_in(shape: tuple[int, ...], axes: Mapping[str, int]) -> Callable[[int], str]:
    """Return a function from a flat index to its location as text, such as "row 3, label 7".

    `axes` has the name of each axis, and the number of its first entry.
    """

    def place(number: int) -> str:
        steps = zip(axes.items(), np.unravel_index(number, shape), strict=True)
        return ", ".join(f"{word} {first + int(step)}" for (word, first), step in steps)

    return place


def check_p_empty(p_empty: Any, n_samples: int | None = None) -> np.ndarray:
    """Return the probabilities of no label as float64, checked for shape and type."""
    check_readable(p_empty, "p_empty")
    checked = np.asarray(p_empty)
    if checked.ndim != 1 or checked.dtype.kind not in "biuf":
        raise ValueError(
            f"p_empty must be a number for each sample, got {checked.dtype} {checked.shape}."
        )
    if n_samples is not None and checked.size != n_samples:
        raise ValueError(f"p_empty has {checked.size} entries for {n_samples} samples of joint.")
    return checked.astype(np.float64, copy=False)


def f_weights(beta: float) -> np.ndarray:
    """Return the weights (β², 1) / (1 + β²) of true and decided labels in the denominator of F.

    F = hits / (weights[0] · true labels + weights[1] · decided labels), without overflow for large
    beta.
    """
    check_beta(beta)
    with np.errstate(over="ignore"):
        of_decided = 1 / (1 + np.square(np.float64(beta)))
    return np.array([1 - of_decided, of_decided])
