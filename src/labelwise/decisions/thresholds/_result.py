"""Thresholds: what tuning gives, and what decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from labelwise._text import printable
from labelwise._validation import Scores, check_scores, columns_in_order

# The table of a repr shows so many labels.
_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds:
    """A threshold for each label, with the value they reach and what is known about it.

    Made by `best_thresholds` and `scan_thresholds`, or read by `load`.

    Attributes
    ----------
    values : ndarray of shape (n_labels,)
        A label is decided where ``score >= threshold``: inf decides nobody, -inf everybody.
    value : float
        The value of the measure on the tuning data, or the cost.
    measure, average, beta
        What was maximised: the name of the measure, "micro", "macro" or "sample", and beta; the
        measure "cost" was minimised.
    support : ndarray of int of shape (n_labels,)
        Positives of each label in the tuning data.
    decided : ndarray of int of shape (n_labels,)
        How often each label is decided in the tuning data.
    n_samples : int
        Rows of the tuning data.
    label_names : tuple of str or None
        Names of the labels, None if they came without.
    exact : bool
        Whether it is proven that no other thresholds that keep to the constraints have a higher
        value on the tuning data. For which measures, see `average` of `best_thresholds`.
    gap : float or None
        How much higher than `value` any such thresholds may come: 0 if exact, None if unknown.
    certificate : float or None
        The λ that proves a micro average without constraints: every label by itself maximises
        ``true positives - λ·decisions``. For F it is ``F / (1 + beta²)``. None if the value is
        not proven, or by a search.
    shrink : float
        How much was shrunk, as given or as found by "auto".
    fbr : float or None
        The least F of a label that kept its threshold, as given or as found by "auto".
    shared : bool
        Whether one threshold was sought for all labels.
    interval : tuple of float or None
        If asked for, a confidence interval of the value that these thresholds have on new samples.
        It is not one of `value`, which is higher, because thresholds were tuned on the same
        samples. None with few samples, and for a macro average if a label has no positives.
    intervals : ndarray of shape (2, n_labels) or None
        If asked for, the spread of each threshold over resampled rows. These are no confidence
        intervals of the best thresholds: see the notes of `best_thresholds`.
    """

    values: np.ndarray
    value: float
    measure: str
    average: str
    support: np.ndarray
    decided: np.ndarray
    n_samples: int
    beta: float = 1.0
    label_names: tuple[str, ...] | None = None
    gap: float | None = None
    certificate: float | None = None
    shared: bool = False
    shrink: float = 0.0
    fbr: float | None = None
    interval: tuple[float, float] | None = None
    intervals: np.ndarray | None = None

    # Only arrays compare elementwise; two Thresholds are the same if they are the same object.
    __hash__: ClassVar[Any] = object.__hash__

    @property
    def exact(self) -> bool:
        """Whether the value is proven to be the highest on the tuning data."""
        return self.gap == 0

    def decide(self, scores: Any) -> Any:
        """Return which labels are decided, in the order of these thresholds.

        Parameters
        ----------
        scores : array, CSR matrix or frame of shape (n_samples, n_labels)
            In a CSR matrix, what is absent is not decided. The columns of a frame may stand in
            any order if the labels have names.

        Returns
        -------
        ndarray of int8, or csr_array of bool if the scores are sparse

        Examples
        --------
        >>> from labelwise.decisions import best_thresholds
        >>> tuned = best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]])
        >>> tuned.decide([[0.8, 0.1], [0.7, 0.35]])
        array([[1, 0],
               [0, 1]], dtype=int8)
        """
        matrix = self._in_order(check_scores(scores))
        if not sparse.issparse(matrix):
            return (matrix >= self.values).astype(np.int8)
        rows = sparse.csr_array(matrix)
        reached = rows.data >= self.values[rows.indices]
        starts = np.concatenate(([0], np.cumsum(reached)))[rows.indptr]
        ones = np.ones(int(starts[-1]), dtype=bool)
        return sparse.csr_array((ones, rows.indices[reached], starts), shape=rows.shape)

    def _in_order(self, scores: Scores) -> Any:
        """Return the matrix of scores with its columns in the order of the thresholds."""
        if self.label_names is not None and scores.names is not None:
            order = columns_in_order(self.label_names, scores.names, "scores")
            return scores.matrix[:, order]
        if scores.matrix.shape[1] != self.values.size:
            raise ValueError(
                f"scores has {scores.matrix.shape[1]} labels, but there are "
                f"{self.values.size} thresholds."
            )
        return scores.matrix

    def save(self, path: str | Path) -> None:
        """Write the thresholds to a JSON file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            Where to write; ``-`` is the standard output.
        """
        from labelwise.decisions.thresholds._result_json import write_thresholds

        write_thresholds(self, path)

    @staticmethod
    def load(path: str | Path) -> Thresholds:
        """Return the thresholds of a file written by `save`; nothing else is accepted.

        A file of more than 128 MiB, and anything that is wrong with a file, is a `DataError`.
        """
        from labelwise.decisions.thresholds._result_json import read_thresholds

        return read_thresholds(path)

    def _check_loaded(self) -> None:
        """Refuse thresholds that are not one number for each label, as a file may have them."""
        check_thresholds(self, len(self.values))

    def __len__(self) -> int:
        return self.values.size

    def __repr__(self) -> str:
        return "\n".join([self._title(), *self._notes(), "", *self._table()])

    def _title(self) -> str:
        beta = "" if self.beta == 1 else f" (beta {self.beta:.6g})"
        reached = f"{self.average} {self.measure}{beta} {self.value:.4f}"
        return f"Thresholds of {len(self)} labels: {reached} on {self.n_samples} samples"

    def _notes(self) -> list[str]:
        """Return what is known about the value, a line each."""
        never = int((self.decided == 0).sum())
        low, high = self.interval or (0.0, 0.0)
        notes = [
            (f"on new samples {low:.4f} to {high:.4f}", self.interval is not None),
            ("the highest of all", self.gap == 0 and self.measure != "cost"),
            ("the least of all", self.gap == 0 and self.measure == "cost"),
            (f"at most {self.gap or 0:.2g} below the highest", bool(self.gap)),
            (f"certificate {self.certificate or 0:.6g}", self.certificate is not None),
            ("one threshold for all labels", self.shared),
            (f"shrink {self.shrink:.3g}", self.shrink > 0),
            (f"fbr {self.fbr or 0:.3g}", self.fbr is not None),
            (f"{never} labels never decided", never > 0),
        ]
        text = ", ".join(note for note, applies in notes if applies)
        return [text] if text else []

    def _table(self) -> list[str]:
        """Return a line for each label, up to a number."""
        names = self.label_names or tuple(map(str, range(len(self))))
        shown = [printable(name) for name in names[:_MOST_SHOWN]]
        width = max([len("label"), *map(len, shown)])
        lines = [f"{'label':<{width}}  {'threshold':>11}  {'support':>8}  {'decided':>8}"]
        for j, name in enumerate(shown):
            lines.append(
                f"{name:<{width}}  {self.values[j]:>11.6g}  {self.support[j]:>8}  "
                f"{self.decided[j]:>8}"
            )
        more = len(self) - len(shown)
        return [*lines, f"... and {more} more"] if more else lines


def check_thresholds(thresholds: Any, n_labels: int) -> None:
    """Refuse loaded thresholds that are not one number for each of so many labels."""
    if type(thresholds) is not Thresholds:
        raise ValueError(f"thresholds must be Thresholds, got {type(thresholds).__name__}")
    values: Any = thresholds.values
    names: Any = thresholds.label_names
    if not isinstance(values, np.ndarray) or values.dtype != np.float64:
        raise ValueError("values must be an array of numbers")
    if values.shape != (n_labels,) or np.isnan(values).any():
        raise ValueError(f"values must be one number for each of {n_labels} labels")
    if names is not None and (type(names) is not tuple or len(names) != n_labels):
        raise ValueError(f"label_names must be those of {n_labels} labels")
