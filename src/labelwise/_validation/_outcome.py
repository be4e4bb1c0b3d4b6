"""Check labels, scores and decisions together: same samples, same labels, same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation._lists_of_sets import columns_of_sets, is_list_of_sets
from labelwise._validation._matrices import Labels, check_labels, check_matching, check_scores
from labelwise._validation._row_index import row_index, rows_in_order
from labelwise._validation._weights import check_weights


class Outcome(NamedTuple):
    """Checked matrices whose columns are the same labels in the same order."""

    Y: sparse.csc_array
    scores: np.ndarray | sparse.csr_array | None
    decided: sparse.csc_array | None
    names: tuple[str, ...] | None
    weights: np.ndarray | None = None  # of the samples, above 0; None if all count once

    def weighted(self, sample_weight: Any) -> Outcome:
        """Return the outcome with weights of the samples; those of weight 0 are left out."""
        if sample_weight is None:
            return self
        weights = check_weights(sample_weight, self.Y.shape[0])
        counted = np.flatnonzero(weights)
        if counted.size == weights.size:
            return self._replace(weights=weights)
        return Outcome(
            sparse.csc_array(self.Y[counted]),
            None if self.scores is None else self.scores[counted],
            None if self.decided is None else sparse.csc_array(self.decided[counted]),
            self.names,
            weights[counted],
        )


def check_outcome(
    Y: Any,
    *,
    scores: Any = None,
    decided: Any = None,
    label_names: Sequence[str] | None = None,
) -> Outcome:
    """Check labels, scores and decisions, and bring rows and columns into the order of Y.

    Rows of frames are matched by index if Y and the other frame have one that is more than a
    count from 0. Columns with names are matched by name, others by position. The columns of lists
    of sets are `label_names`, the names of a frame, or the column numbers of a matrix without
    names.
    """
    given = {"Y": Y, "scores": scores, "decided": decided}
    sets = {name: data for name, data in given.items() if is_list_of_sets(data)}
    if "scores" in sets:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got a list of sets.")
    checked: dict[str, Any] = {
        name: _CHECKS[name](data, label_names=label_names, input_name=name)
        for name, data in given.items()
        if name not in sets and (data is not None or name == "Y")
    }
    columns = columns_of_sets(sets, checked) if sets and label_names is None else label_names
    for name, rows in sets.items():
        checked[name] = check_labels(rows, label_names=columns, input_name=name)
    _refuse_empty(checked["Y"].matrix)
    names = next((checked[name].names for name in given if _has_names(checked.get(name))), None)
    truth = Labels(checked["Y"].matrix, names)
    index = row_index(Y)
    matched = {
        name: check_matching(truth, _by_index(checked[name], index, given[name], name), name)
        for name in ("scores", "decided")
        if name in checked
    }
    return Outcome(truth.matrix, matched.get("scores"), matched.get("decided"), names)


_CHECKS = {"Y": check_labels, "scores": check_scores, "decided": check_labels}


def _by_index(checked: Any, index: Any, data: Any, input_name: str) -> Any:
    """Return checked labels or scores with their rows in the order of the index of Y."""
    rows = None if index is None else rows_in_order(index, row_index(data), input_name)
    if rows is None:
        return checked
    if not sparse.issparse(checked.matrix):
        return checked._replace(matrix=checked.matrix[rows])
    in_order = sparse.csr_array(checked.matrix)[rows]
    return checked._replace(matrix=in_order.asformat(checked.matrix.format))


def _has_names(checked: Any) -> bool:
    return checked is not None and checked.names is not None


def _refuse_empty(Y: sparse.csc_array) -> None:
    if 0 in Y.shape:
        rows, columns = Y.shape
        raise ValueError(f"Y must have a row and a label, got {rows} rows and {columns} labels.")
