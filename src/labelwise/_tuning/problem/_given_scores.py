"""Decisions on given scores: in the label order of the rule, returned in the form of the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import columns_in_order, frame_like, is_frame, take_columns


def columns_of_labels(
    label_names: Sequence[str] | None, n_labels: int, names: Sequence[str] | None, n_columns: int
) -> np.ndarray | None:
    """Return the column of each label of a rule in scores; None if the columns are in its order.

    Columns are matched by name if both have names, else by position.
    """
    if label_names is not None and names is not None:
        columns = columns_in_order(label_names, names, "scores")
        return None if np.array_equal(columns, np.arange(n_labels)) else columns
    if n_columns != n_labels:
        raise ValueError(f"scores has {n_columns} labels, but there are {n_labels} thresholds.")
    return None


def decided_by_label(decide: Callable[[Any], Any], scores: Any, columns: np.ndarray | None) -> Any:
    """Decide scores whose columns are brought into the order of the labels of a rule, and back.

    Among equal scores of a row, a limit then keeps the first labels of the rule, whatever the
    order of the columns of the scores.
    """
    if columns is None:
        return decide(scores)
    return take_columns(decide(take_columns(scores, columns)), np.argsort(columns))


def as_given(decided: Any, scores: Any) -> Any:
    """Return decisions as a frame if the scores are a frame, else as they are."""
    is_array = isinstance(scores, np.ndarray) or sparse.issparse(scores)
    return decided if is_array or not is_frame(scores) else frame_like(scores, decided)
