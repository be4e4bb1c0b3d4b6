"""The target y of `fit` as a checked label matrix, and what an estimator stores about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._estimators._vector_targets import as_label_column
from labelwise._validation import check_labels, check_readable, first_cell


class LabelTarget(NamedTuple):
    """The labels that an estimator is fitted to."""

    matrix: sparse.csc_array  # bool, of shape (n_samples, n_labels)
    names: tuple[str, ...] | None  # None if the labels have no names
    classes: np.ndarray | None  # the classes of a vector; None if y was not a vector
    missing: sparse.csc_array | None = None  # cells without truth; None if there are none


def check_target(
    estimator: Any,
    X: Any,
    y: Any,
    label_names: Sequence[str] | None = None,
    *,
    allow_missing: bool = False,
) -> LabelTarget:
    """Check the labels of samples, before any model is fitted.

    Parameters
    ----------
    estimator : estimator
        Its class is named if y is missing.
    X : samples
        As many as y has rows. Broken sparse matrices are refused, before scikit-learn reads them.
    y : array, sparse matrix, frame, list of sets, or vector of at most two classes
        Labels of the samples.
    label_names : sequence of str, default=None
        Names of the columns of y.
    allow_missing : bool, default=False
        Whether labels may be missing (NaN, null or masked).

    Returns
    -------
    LabelTarget
        The labels as a boolean matrix, and the cells without truth.

    Raises
    ------
    ValueError, TypeError
        If X is a sparse matrix with indices outside its shape; if y is missing, empty, of another
        length than X, or neither 0/1 labels nor two classes.
    """
    from sklearn.utils import check_consistent_length

    check_readable(X, "X")
    check_y_given(estimator, y)
    labels, classes = as_label_column(y)
    matrix, names, missing = check_labels(labels, label_names=label_names, allow_missing=True)
    if missing is not None and not allow_missing:
        refuse_missing(estimator, missing, names)
    check_consistent_length(X, matrix)
    check_not_empty(matrix)
    return LabelTarget(matrix, names, classes, missing)


def refuse_missing(
    estimator: Any, missing: sparse.csc_array, names: tuple[str, ...] | None
) -> None:
    """Refuse missing labels for an estimator that learns from whole rows of labels."""
    row, column = first_cell(missing)
    label = column if names is None else repr(names[column])
    raise ValueError(
        f"y must have no missing labels for {type(estimator).__name__}, which needs all labels of "
        f"a sample, got one at row {row}, label {label}."
    )


def check_y_given(estimator: Any, y: Any) -> None:
    """Refuse a missing y in the words of scikit-learn."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )


def check_not_empty(matrix: Any) -> None:
    """Refuse labels without a row or without a column."""
    if 0 in matrix.shape:
        n_samples, n_labels = matrix.shape
        raise ValueError(
            f"Y must have a row and a label, got {n_samples} rows and {n_labels} labels."
        )


def store_target(estimator: Any, target: LabelTarget) -> None:
    """Set `label_names_`, `target_classes_` and `classes_` of an estimator.

    `classes_` are the numbers of the labels, or the classes of a vector.
    """
    is_matrix = target.classes is None
    estimator.label_names_ = target.names
    estimator.target_classes_ = target.classes
    estimator.classes_ = np.arange(target.matrix.shape[1]) if is_matrix else target.classes
