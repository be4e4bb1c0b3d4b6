"""Check labels, scores and decisions together: same samples, same labels, same order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation._arrays import frame_names
from labelwise._validation._lists_of_sets import columns_of_sets, is_list_of_sets
from labelwise._validation._matrices import (
    check_labels,
    check_matching,
    check_scores,
    columns_in_order,
    take_columns,
)
from labelwise._validation._missing_cells import without_cells
from labelwise._validation._named_matrices import NamedMatrix
from labelwise._validation._row_index import Rows, rows_in_order, rows_of
from labelwise._validation._weights import check_weights


class Outcome(NamedTuple):
    """Checked matrices whose columns are the same labels in the same order."""

    Y: sparse.csc_array
    scores: np.ndarray | sparse.csr_array | None
    decided: sparse.csc_array | None
    names: tuple[str, ...] | None
    weights: np.ndarray | None = None  # of the samples, above 0; None if all count once
    # Cells without truth; they are no positives, are not decided and have no score in CSR scores.
    missing: sparse.csc_array | None = None

    def weighted(self, sample_weight: Any) -> Outcome:
        """Return the outcome with weights of the samples; those of weight 0 are left out."""
        if sample_weight is None:
            return self
        weights = check_weights(sample_weight, self.Y.shape[0])
        counted = np.flatnonzero(weights)
        outcome = self._replace(weights=weights)
        return outcome if counted.size == weights.size else outcome.rows(counted)

    def rows(self, numbers: np.ndarray) -> Outcome:
        """Return the outcome of some samples."""
        taken = {
            name: sparse.csc_array(part[numbers])
            for name, part in (("Y", self.Y), ("decided", self.decided), ("missing", self.missing))
            if part is not None
        }
        scores = None if self.scores is None else self.scores[numbers]
        weights = None if self.weights is None else self.weights[numbers]
        return self._replace(scores=scores, weights=weights, **taken)

    def labels(self, numbers: np.ndarray) -> Outcome:
        """Return the outcome of some labels; column numbers stand for names if there are none."""
        parts = {name: getattr(self, name) for name in ("Y", "scores", "decided", "missing")}
        taken = {
            name: take_columns(part, numbers) for name, part in parts.items() if part is not None
        }
        names = self.names or tuple(map(str, range(self.Y.shape[1])))
        return self._replace(names=tuple(names[j] for j in numbers), **taken)

    @property
    def n_missing(self) -> int:
        """Number of cells without truth."""
        return 0 if self.missing is None else int(self.missing.nnz)

    def labels_with_truth(self) -> np.ndarray:
        """Return the numbers of the labels that have truth for a sample."""
        n_samples, n_labels = self.Y.shape
        if self.missing is None:
            return np.arange(n_labels)
        return np.flatnonzero(np.diff(self.missing.indptr) < n_samples)

    def rows_with_truth(self) -> np.ndarray:
        """Return the numbers of the samples that have truth for a label."""
        n_samples, n_labels = self.Y.shape
        if self.missing is None:
            return np.arange(n_samples)
        return np.flatnonzero(np.bincount(self.missing.indices, minlength=n_samples) < n_labels)

    def with_truth(self) -> Outcome:
        """Return the outcome without the samples and labels that have no truth at all."""
        if self.missing is None:
            return self
        if self.missing.nnz == self.Y.shape[0] * self.Y.shape[1]:
            raise ValueError("Y must have a label that is not missing, got only missing labels.")
        found, rows = self, self.rows_with_truth()
        found = found.rows(rows) if rows.size < self.Y.shape[0] else found
        labels = found.labels_with_truth()
        return found.labels(labels) if labels.size < self.Y.shape[1] else found


def check_outcome(
    Y: Any,
    *,
    scores: Any = None,
    decided: Any = None,
    label_names: Sequence[str] | None = None,
    allow_missing: bool = False,
    ids: Any = None,
    by_position: bool | None = None,
    labels_of: str = "Y",
) -> Outcome:
    """Check labels, scores and decisions, and bring rows and columns into the order of Y.

    With `labels_of="scores"`, columns are in the order of the scores, for results that decide
    other scores of the same model.

    Rows of frames are matched by `ids` (see `rows_of`), or by an index that is more than a count
    from 0. If only one of two frames has ids, this is an error unless `by_position`. Columns with
    names are matched by name, others by position. The columns of lists of sets are `label_names`,
    the names of a frame, or the column numbers of a matrix without names. With `allow_missing`,
    NaN, null and masked cells of Y are cells without truth: scores (as CSR) and decisions are
    returned without these cells.
    """
    every = {"Y": Y, "scores": scores, "decided": decided}
    rows = {
        name: rows_of(data, ids, name)
        for name, data in every.items()
        if data is not None or name == "Y"
    }
    _refuse_unknown(ids, rows)
    given = {name: rows[name].data if name in rows else None for name in every}
    given = _with_all_labels(given, label_names)
    sets = {name: data for name, data in given.items() if is_list_of_sets(data)}
    if "scores" in sets:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got a list of sets.")
    checks = {**_CHECKS, "Y": partial(check_labels, allow_missing=allow_missing)}
    checked: dict[str, Any] = {
        name: checks[name](data, label_names=label_names, input_name=name)
        for name, data in given.items()
        if name not in sets and (data is not None or name == "Y")
    }
    columns = columns_of_sets(sets, checked) if sets and label_names is None else label_names
    for name, listed_sets in sets.items():
        checked[name] = check_labels(listed_sets, label_names=columns, input_name=name)
    _refuse_empty(checked["Y"].matrix)
    names = next((checked[name].names for name in given if _has_names(checked.get(name))), None)
    truth = checked["Y"]._replace(names=names)
    matched = {
        name: check_matching(truth, _by_ids(checked[name], rows, name, by_position), name)
        for name in ("scores", "decided")
        if name in checked
    }
    if truth.missing is not None:
        matched = {name: without_cells(part, truth.missing) for name, part in matched.items()}
    own = frame_names(given["scores"]) if labels_of == "scores" else None
    scores, decided = (matched.get(name) for name in ("scores", "decided"))
    outcome = Outcome(truth.matrix, scores, decided, names, missing=truth.missing)
    if own is None or names is None or own == names:
        return outcome
    return outcome.labels(columns_in_order(own, names, "Y"))


_CHECKS: dict[str, Any] = {"scores": check_scores, "decided": check_labels}


def _with_all_labels(given: dict[str, Any], label_names: Sequence[str] | None) -> dict[str, Any]:
    """Add the labels that files with lists of label names do not mention, without positives."""
    is_open = {
        name
        for name, data in given.items()
        if isinstance(data, NamedMatrix) and data.has_label_lists
    }
    if not is_open:
        return given
    found = [label_names, *map(frame_names, given.values())]
    every = dict.fromkeys(name for names in found if names is not None for name in names)
    return {name: data.widened(every) if name in is_open else data for name, data in given.items()}


def _refuse_unknown(ids: Any, rows: Mapping[str, Rows]) -> None:
    """Refuse ids of an argument that is not given."""
    unknown = [name for name in ids if name not in rows] if isinstance(ids, Mapping) else []
    if unknown:
        raise ValueError(f"ids must be those of {' or '.join(rows)}, got {unknown[0]!r}.")


def _by_ids(
    checked: Any, rows: Mapping[str, Rows], input_name: str, by_position: bool | None
) -> Any:
    """Return checked labels or scores with their rows in the order of the ids of Y."""
    order = rows_in_order(rows["Y"], rows[input_name], input_name, by_position)
    if order is None:
        return checked
    if not sparse.issparse(checked.matrix):
        return checked._replace(matrix=checked.matrix[order])
    in_order = sparse.csr_array(checked.matrix)[order]
    return checked._replace(matrix=in_order.asformat(checked.matrix.format))


def _has_names(checked: Any) -> bool:
    return checked is not None and checked.names is not None


def _refuse_empty(Y: sparse.csc_array) -> None:
    if 0 in Y.shape:
        rows, columns = Y.shape
        raise ValueError(f"Y must have a row and a label, got {rows} rows and {columns} labels.")
