"""The splits of any value of scikit-learn's argument `cv`, as checked indices of samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from labelwise._validation import is_whole, n_rows
from labelwise.splitting import MultilabelStratifiedKFold


def splits_of(cv: Any, X: Any, Y: Any, groups: Any = None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the numbers of the training samples and of the test samples of each split, checked.

    A number means that many folds of `MultilabelStratifiedKFold`. Other splits are those of a
    splitter, or pairs of row numbers or of boolean masks of all rows.
    """
    if is_whole(cv):
        cv = MultilabelStratifiedKFold(int(cv))
    if hasattr(cv, "split") and not isinstance(cv, str):
        pairs = list(cv.split(X, Y, groups))
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        pairs = list(cv)
    else:
        raise TypeError(f"cv must be a number of folds, a splitter or pairs of rows, got {cv!r}.")
    if not pairs:
        raise ValueError("cv must give a split, got none.")
    return [_checked(pair, k, n_rows(Y)) for k, pair in enumerate(pairs)]


def _checked(pair: Any, split: int, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts of a split as row numbers; warn if they have rows in common."""
    if not hasattr(pair, "__len__") or len(pair) != 2:
        raise ValueError(f"cv must give pairs (train, test), got {pair!r} as split {split}.")
    train, test = (
        _rows(part, f"the {name} part of split {split}", n_samples)
        for part, name in zip(pair, ("training", "test"), strict=True)
    )
    trained = np.zeros(n_samples, dtype=bool)
    trained[train] = True
    n_shared = int(trained[test].sum())
    if n_shared:
        warnings.warn(
            f"cv puts {n_shared} of the {test.size} test samples of split {split} into the "
            "training part too: their scores are not held out.",
            stacklevel=5,
        )
    return train, test


def _rows(part: Any, name: str, n_samples: int) -> np.ndarray:
    """Return the row numbers of a part that is given as row numbers or as a mask."""
    rows = np.asarray(part)
    if rows.dtype.kind == "b":
        if rows.shape != (n_samples,):
            raise ValueError(
                f"cv must give masks of all {n_samples} rows, got shape {rows.shape} as {name}."
            )
        rows = np.flatnonzero(rows)
    if rows.size == 0:
        raise ValueError(f"cv must give every part a row, got none in {name}.")
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise TypeError(
            "cv must give 1-D row numbers or boolean masks, "
            f"got {rows.dtype} of shape {rows.shape} as {name}."
        )
    outside = (rows < 0) | (rows >= n_samples)
    if outside.any():
        raise ValueError(
            f"cv must give rows from 0 to {n_samples - 1}, got {rows[outside][0]} in {name}."
        )
    return rows
