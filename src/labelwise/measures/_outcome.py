"""An outcome: the truth, the scores and the decisions on the same samples and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._validation import (
    Labels,
    check_labels,
    check_matching,
    check_scores,
    is_frame,
    is_list_of_sets,
    names_in_sets,
)


class Outcome(NamedTuple):
    """Checked matrices whose columns are the same labels in the same order."""

    Y: sparse.csc_array
    scores: np.ndarray | sparse.csr_array | None
    decided: sparse.csc_array | None
    names: tuple[str, ...] | None


def check_outcome(
    Y: Any,
    *,
    scores: Any = None,
    decided: Any = None,
    label_names: Sequence[str] | None = None,
) -> Outcome:
    """Return truth, scores and decisions with matching rows and columns."""
    if is_list_of_sets(Y) and label_names is None:
        truth = check_labels(Y, label_names=_names_in_all(Y, scores, decided))
    else:
        truth = check_labels(Y, label_names=label_names)
    if 0 in truth.matrix.shape:
        rows, columns = truth.matrix.shape
        raise ValueError(f"Y must have a row and a label, got {rows} rows and {columns} labels.")
    names = truth.names
    if scores is not None:
        checked_scores = check_scores(scores, label_names=label_names)
        scores = check_matching(truth, checked_scores, "scores")
        names = names or checked_scores.names
    if decided is not None:
        checked_decided = _check_decided(decided, names, label_names)
        decided = check_matching(Labels(truth.matrix, names), checked_decided, "decided")
        names = names or checked_decided.names
    return Outcome(truth.matrix, scores, decided, names)


def _check_decided(
    decided: Any, names: tuple[str, ...] | None, label_names: Sequence[str] | None
) -> Labels:
    """Return checked decisions; sets of names need the names of the columns."""
    if not is_list_of_sets(decided):
        return check_labels(decided, label_names=label_names, input_name="decided")
    if names is None:
        raise ValueError("decided is a list of sets, but the labels of Y have no names.")
    return check_labels(decided, label_names=names, input_name="decided")


def _names_in_all(*arguments: Any) -> tuple[str, ...]:
    """Return the sorted union of the names in lists of sets and frames."""
    import narwhals as nw

    found = set(names_in_sets(*(data for data in arguments if is_list_of_sets(data))))
    for data in arguments:
        if is_frame(data):
            found.update(map(str, nw.from_native(data).columns))
    return tuple(sorted(found))
