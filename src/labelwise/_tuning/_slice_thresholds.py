"""Thresholds of each slice of the samples, as a part of the result of tuning."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelwise._text import counted, listed, printable, quoted
from labelwise._tuning._evidence import taken
from labelwise._validation import slice_texts

# Number of slices in the table of a repr.
_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False)
class SliceThresholds:
    """Thresholds of each slice, and their counts in the tuning data.

    `Thresholds.slices` is such an object if `best_thresholds` was called with `slices`.

    Attributes
    ----------
    names : tuple of str
        Names of the slices.
    values : ndarray of float64 of shape (n_slices, n_labels)
        The thresholds of each slice.
    support : ndarray of shape (n_slices, n_labels)
        Number of positives of each label in each slice, or the sum of their weights.
    decided : ndarray of shape (n_slices, n_labels)
        Number of decisions of each label in each slice, or the sum of their weights.
    true_positives : ndarray of shape (n_slices, n_labels)
        Number of decisions that are right, or the sum of their weights.
    n_samples : ndarray of int of shape (n_slices,)
        Number of samples of each slice.
    max_decided : ndarray of int of shape (n_slices,) or None
        The most labels that are decided for a sample of each slice. None if this is the same for
        all slices, see `Thresholds.max_decided`.

    See Also
    --------
    best_thresholds : Tune thresholds, with or without slices.
    """

    names: tuple[str, ...]
    values: np.ndarray
    support: np.ndarray
    decided: np.ndarray
    true_positives: np.ndarray
    n_samples: np.ndarray
    max_decided: np.ndarray | None = None

    def _of_labels(self, places: np.ndarray) -> SliceThresholds:
        """Return the thresholds of other labels, as `Thresholds._of_labels` does."""
        return replace(
            self,
            values=taken(self.values, places, np.inf),
            support=taken(self.support, places, 0),
            decided=taken(self.decided, places, 0),
            true_positives=taken(self.true_positives, places, 0),
        )

    def _numbers(self, slices: Any, n_samples: int) -> np.ndarray:
        """Return the number of the slice of each sample, -1 with a warning if it is not known."""
        known = {name: number for number, name in enumerate(self.names)}
        texts = slice_texts(slices, n_samples)
        numbers = np.array([known.get(text, -1) for text in texts], dtype=np.intp)
        unknown = np.flatnonzero(numbers == -1)
        if unknown.size:
            names = listed(sorted({texts[i] for i in unknown}), show=quoted)
            warnings.warn(
                f"The thresholds of all slices together decide {counted(unknown.size, 'sample')} "
                f"of slices that were not tuned on: {names}.",
                stacklevel=3,
            )
        return numbers

    def _rows(self) -> list[list[str]]:
        """Return a table of the slices with its heading; of many, those of lowest precision."""
        sums = (part.sum(axis=1) for part in (self.support, self.decided, self.true_positives))
        support, decided, hits = sums
        with np.errstate(invalid="ignore"):
            rates = np.array([hits / decided, hits / support])
        order = np.arange(len(self.names))
        if order.size > _MOST_SHOWN:
            order = np.argsort(np.nan_to_num(rates[0], nan=2.0), kind="stable")[:_MOST_SHOWN]
        rows = []
        for number in order.tolist():
            counts = (part[number].item() for part in (self.n_samples, support, decided))
            shown = ("" if np.isnan(rate) else f"{rate:.4f}" for rate in rates[:, number])
            rows.append([printable(self.names[number]), *map(sum_text, counts), *shown])
        return [["slice", "samples", "support", "decided", "precision", "recall"], *rows]

    def _more(self) -> list[str]:
        """Return a line on slices that the table does not have, or no line."""
        more = len(self.names) - _MOST_SHOWN
        return [f"... and {more:,} more slices, of higher precision"] if more > 0 else []


def check_slices(slices: Any, n_labels: int) -> None:
    """Refuse loaded thresholds of slices unless each slice has one number for each label."""
    if type(slices) is not SliceThresholds:
        raise ValueError(f"slices must be SliceThresholds, got {type(slices).__name__}")
    if type(slices.names) is not tuple or not all(type(one) is str for one in slices.names):
        raise ValueError("slices must have names")
    values: Any = slices.values
    if not isinstance(values, np.ndarray) or values.dtype != np.float64:
        raise ValueError("slices must have arrays of numbers")
    if values.shape != (len(slices.names), n_labels) or np.isnan(values).any():
        raise ValueError(f"slices must have one number for each of {n_labels} labels")
    most: Any = slices.max_decided
    if most is not None and (
        not isinstance(most, np.ndarray)
        or most.dtype.kind != "i"
        or most.shape != (len(slices.names),)
    ):
        raise ValueError("slices must have one limit of decisions for each slice")


def sum_text(count: Any) -> str:
    """Return a count as text; a sum of weights may have decimals."""
    return f"{count:.6g}" if isinstance(count, float) else f"{count}"
