"""What thresholds and new scores must be, so that the thresholds can be adapted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import averaged_records
from labelwise._validation import check_scores, columns_in_order
from labelwise.decisions.expected_f._probabilities import refuse_outside
from labelwise.decisions.label_shift._label_priors import Probabilities
from labelwise.decisions.thresholds._result import Thresholds


def check_adaptable(thresholds: Thresholds) -> None:
    """Refuse thresholds that cannot be adapted."""
    if not isinstance(thresholds, Thresholds):
        raise TypeError(f"thresholds must be Thresholds, got {type(thresholds).__name__}.")
    values, names = thresholds.values, thresholds.label_names
    outside = np.isfinite(values) & ((values < 0) | (values > 1))
    if outside.any():
        j = int(np.argmax(outside))
        label = j if names is None else repr(names[j])
        raise ValueError(
            f"thresholds must be tuned on probabilities from 0 to 1, got {values[j]:g} for label "
            f"{label}; for other scores, give scores and labels of known rows as calibrate "
            "(labelwise adapt --calibrate)."
        )
    known = thresholds.evidence
    reason = _reason_against(thresholds)
    if reason:
        raise ValueError(f"thresholds cannot be adapted: {reason}.")
    if known.n_samples < 1 or (known.support > known.n_samples).any():
        raise ValueError("thresholds must have at least one sample, and not more positives.")


def _reason_against(thresholds: Thresholds) -> str | None:
    """Return why thresholds cannot be adapted, or None if they can."""
    known = thresholds.evidence
    if known.adapted:
        return "they are adapted already; adapt those that were tuned on labels"
    if known.weighted or known.n_missing:
        given = "weights of samples" if known.weighted else "missing labels"
        return f"they were tuned with {given}, and do not store the share of positives"
    if known.average == "sample":
        return "the expected mean over samples depends on more than the probability of each label"
    if known.fbr:
        return "they were tuned with fbr, whose rule they do not store"
    measures = [record.function.__name__ for record in averaged_records().values()]
    if known.measure != "cost" and known.measure not in measures:
        return f"{known.measure} is not one of {', '.join(measures)}"
    if known.guarantee is not None:
        return "their guarantee would not hold for other label frequencies"
    if known.constraints or thresholds.max_rank is not None:
        return "they were tuned with constraints on precision, recall or decisions"
    return None


def check_probabilities(thresholds: Thresholds, new_scores: Any) -> Probabilities:
    """Check new scores, and return them with the labels in the order of the thresholds."""
    checked = check_scores(new_scores, input_name="new_scores", n_labels=len(thresholds))
    matrix = in_order(thresholds, checked.matrix, checked.names, "new_scores")
    if matrix.shape[0] == 0:
        raise ValueError("new_scores must have at least one sample, got 0.")
    values = matrix.data if sparse.issparse(matrix) else matrix
    names = thresholds.label_names or checked.names
    refuse_outside(values, "new_scores", lambda number: _place(matrix, names, number))
    return Probabilities(sparse.csc_array(matrix) if sparse.issparse(matrix) else matrix)


def in_order(
    thresholds: Thresholds, matrix: Any, names: tuple[str, ...] | None, input_name: str
) -> Any:
    """Return the columns of a matrix in the order of the thresholds."""
    if thresholds.label_names is not None and names is not None:
        order = columns_in_order(thresholds.label_names, names, input_name)
        in_place = np.array_equal(order, np.arange(order.size))
        return matrix if in_place else matrix[:, order]
    if matrix.shape[1] != len(thresholds):
        raise ValueError(
            f"{input_name} has {matrix.shape[1]} labels, but there are {len(thresholds)} "
            "thresholds."
        )
    return matrix


def check_tested(labels: Any, thresholds: Thresholds) -> np.ndarray:
    """Return a mask of the labels to test, from their names or numbers; None means all."""
    if labels is None:
        return np.ones(len(thresholds), dtype=bool)
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise TypeError(f"labels must be a sequence of names or numbers, got {labels!r}.")
    names = thresholds.label_names or ()
    numbers: dict[Any, int] = {name: j for j, name in enumerate(names)}
    numbers.update((j, j) for j in range(len(thresholds)))
    tested = np.zeros(len(thresholds), dtype=bool)
    for label in labels:
        if isinstance(label, bool) or label not in numbers:
            raise ValueError(f"labels must be those of the thresholds, got {label!r}.")
        tested[numbers[label]] = True
    return tested


def _place(matrix: Any, names: tuple[str, ...] | None, number: int) -> str:
    """Return the row and the label of a stored score as text."""
    if sparse.issparse(matrix):
        i = int(np.searchsorted(matrix.indptr, number, side="right")) - 1
        j = int(matrix.indices[number])
    else:
        i, j = divmod(number, matrix.shape[1])
    return f"row {i}, label {j if names is None else repr(names[j])}"
