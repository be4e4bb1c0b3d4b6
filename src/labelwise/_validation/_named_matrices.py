"""A matrix with the names of its labels and the ids of its samples, as files have them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import counted, quoted


@dataclass(frozen=True, eq=False, repr=False)
class NamedMatrix:
    """Scores, labels or decisions with the names of labels and the ids of samples.

    `labelwise.data.read_scores` and `read_labels` return it. Functions that take scores and labels
    accept it as they accept a frame: they match samples by id and labels by name.

    Parameters
    ----------
    values : ndarray, csr_array or csc_array of shape (n_samples, n_labels)
        Scores, labels or decisions.
    label_names : tuple of str, default=None
        Names of the columns; None if they have no names.
    ids : tuple of str, default=None
        Ids of the samples; None if they have no ids.
    id_name : str, default="id"
        Name of the column of ids.
    source : str or Path, default=""
        The file, for messages.
    has_label_lists : bool, default=False
        Whether the file lists the label names of each sample. A label that it does not mention is
        then a label without positives, or without scores, and not a missing one.
    """

    values: Any
    label_names: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    id_name: str = "id"
    source: str | Path = ""
    has_label_lists: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of labels."""
        n_samples, n_labels = self.values.shape
        return int(n_samples), int(n_labels)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        dense = self.values.toarray() if sparse.issparse(self.values) else self.values
        return np.array(dense, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        n_samples, n_labels = self.shape
        ids = "without ids" if self.ids is None else f"with ids {quoted(self.id_name)}"
        names = " without names" if self.label_names is None else ""
        size = f"{counted(n_samples, 'sample')} {ids}, {counted(n_labels, 'label')}{names}"
        return f"NamedMatrix: {size}"

    def widened(self, names: Any) -> NamedMatrix:
        """Return the labels with a column without positives for each other name."""
        known = self.label_names or ()
        new = tuple(name for name in names if name not in set(known))
        if not new:
            return self
        empty = sparse.csc_array((len(self), len(new)), dtype=self.values.dtype)
        values = sparse.csc_array(sparse.hstack([sparse.csc_array(self.values), empty]))
        return NamedMatrix(values, (*known, *new), self.ids, self.id_name, self.source)
