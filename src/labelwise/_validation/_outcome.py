"""Check labels, scores and decisions together: same samples, same labels, same order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation._arrays import frame_names
from labelwise._validation._label_sets import columns_of_sets, is_list_of_sets
from labelwise._validation._matching import (
    MatchedSide,
    in_row_order,
    rows_in_order,
    rows_of,
    same_labels,
    side_of_rows,
    take_cells,
    with_all_labels,
    without_position,
)
from labelwise._validation._matrices import (
    check_labels,
    check_scores,
    columns_in_order,
    take_columns,
    without_cells,
)
from labelwise._validation._numbers import check_weights


class Outcome(NamedTuple):
    """Checked matrices whose columns are the same labels in the same order."""

    Y: sparse.csc_array
    scores: np.ndarray | sparse.csr_array | None
    decided: sparse.csc_array | None
    names: tuple[str, ...] | None
    weights: np.ndarray | None = None  # of the samples, above 0; None if all count once
    # Cells without truth; they are not positives, are not decided and have no score in CSR scores.
    missing: sparse.csc_array | None = None
    groups: np.ndarray | None = None  # number of the group of each sample
    samples: MatchedSide | None = None  # the ids of the rows; None if rows go by position

    def in_order(self, values: Any, input_name: str) -> Any:
        """Return values of samples, such as groups, in the order of the rows; None stays None."""
        return values if self.samples is None else in_row_order(values, self.samples, input_name)

    def weighted(self, sample_weight: Any) -> Outcome:
        """Return the outcome with weights of the samples; those of weight 0 are left out."""
        if sample_weight is None:
            return self
        sample_weight = self.in_order(sample_weight, "sample_weight")
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
        groups = None if self.groups is None else self.groups[numbers]
        parts = {"scores": scores, "weights": weights, "groups": groups}
        return self._replace(**parts, **taken, samples=None)

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
    labels_of: str = "Y",
    scores_name: str = "scores",
    decided_name: str = "decided",
) -> Outcome:
    """Check labels, scores and decisions, and bring rows and columns into the order of Y.

    With `labels_of="scores"`, columns are in the order of the scores, for results that decide
    other scores of the same model.

    Rows and columns are matched by the rule of `_matching.py`. The columns of lists of sets are
    `label_names`, the names of a frame, or the column numbers of a matrix without names. With
    `allow_missing`, NaN, null and masked cells of Y are cells without truth: scores (as CSR) and
    decisions are returned without these cells. `scores_name` and `decided_name` are the names of
    the scores and decisions in messages.
    """
    # Without `ids`, a message proposes arrays: not every function has this argument.
    by_position = None
    if ids is not None:
        ids, by_position = without_position(ids)
    every = {"Y": Y, scores_name: scores, decided_name: decided}
    rows = {
        name: rows_of(data, ids, name)
        for name, data in every.items()
        if data is not None or name == "Y"
    }
    _refuse_unknown(ids, rows)
    given = with_all_labels({name: data for name, (data, _) in rows.items()}, label_names)
    sets = {name: data for name, data in given.items() if is_list_of_sets(data)}
    if scores_name in sets:
        raise TypeError(
            f"{scores_name} must be an array, a sparse matrix or a frame, got a list of sets."
        )
    checks: dict[str, Any] = {
        "Y": partial(check_labels, allow_missing=allow_missing),
        scores_name: check_scores,
        decided_name: check_labels,
    }
    checked: dict[str, Any] = {
        name: checks[name](data, label_names=label_names, input_name=name)
        for name, data in given.items()
        if name not in sets
    }
    columns = columns_of_sets(sets, checked) if sets and label_names is None else label_names
    for name, listed_sets in sets.items():
        checked[name] = check_labels(listed_sets, label_names=columns, input_name=name)
    truth = checked["Y"]
    if 0 in truth.matrix.shape:
        n_rows, n_labels = truth.matrix.shape
        raise ValueError(f"Y must have a row and a label, got {n_rows} rows and {n_labels} labels.")
    sides = {
        name: side._replace(label_names=checked[name].names, shape=checked[name].matrix.shape)
        for name, (_, side) in rows.items()
    }
    first = sides.pop("Y")
    of_rows = side_of_rows(first, sides.values())
    orders = [rows_in_order(first, side, by_position, of_rows) for side in sides.values()]
    labels = same_labels(first, [*sides.values()], by_position)
    matched = {
        name: take_cells(checked[name].matrix, order, columns)
        for name, order, columns in zip(sides, orders, labels.places[1:], strict=True)
    }
    if truth.missing is not None:
        matched = {name: without_cells(part, truth.missing) for name, part in matched.items()}
    outcome = Outcome(
        truth.matrix,
        matched.get(scores_name),
        matched.get(decided_name),
        labels.names,
        missing=truth.missing,
        samples=None if by_position else of_rows,
    )
    # `label_names` have reordered the columns of a frame already.
    own = frame_names(given.get(scores_name)) if labels_of == "scores" else None
    if own is None or labels.names is None or own == labels.names or {*own} != {*labels.names}:
        return outcome
    return outcome.labels(columns_in_order(own, labels.names, "Y"))


def ids_of(Y: Any, ids: Any) -> tuple[str, ...] | None:
    """Return the ids of the samples of Y as text; None if it has none."""
    found = rows_of(Y, None if ids is None else without_position(ids)[0], "Y")[1].ids
    return None if found is None else tuple(map(str, found))


def _refuse_unknown(ids: Any, rows: Mapping[str, Any]) -> None:
    """Refuse ids of an argument that is not given."""
    unknown = [name for name in ids if name not in rows] if isinstance(ids, Mapping) else []
    if unknown:
        raise ValueError(f"ids must be those of {' or '.join(rows)}, got {unknown[0]!r}.")
