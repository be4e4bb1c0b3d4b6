"""The target y of `fit` as a checked label matrix, and labels that have one class in it.

A vector of at most two classes is the column of one label.
A label with one class in the training data cannot be learned: estimators decide it always as in
the training data, store its value in `constants_`, and warn of it once.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import listed, quoted
from labelwise._validation import (
    as_dense,
    check_groups,
    check_labels,
    check_readable,
    first_cell,
    is_frame,
    refuse_other_index,
)

_NAMED_AT_MOST = 10


@dataclass(frozen=True)
class LabelTarget:
    """The labels that an estimator is fitted to."""

    matrix: sparse.csc_array  # bool, of shape (n_samples, n_labels)
    names: tuple[str, ...] | None  # None if the labels have no names
    classes: np.ndarray | None  # the classes of a vector; None if y was not a vector
    missing: sparse.csc_array | None = None  # cells without truth; None if there are none

    @cached_property
    def constants(self) -> np.ndarray:
        """0 or 1 for labels that have one class, NaN for those with both classes."""
        return constant_labels(self.matrix, self.missing)

    @cached_property
    def varying(self) -> np.ndarray:
        """Numbers of the labels that have both classes."""
        return np.flatnonzero(np.isnan(self.constants))

    def rows_with(self, label: int) -> np.ndarray | None:
        """Return the samples that have truth for a label; None if all have."""
        if self.missing is None:
            return None
        gaps = self.missing.indices[self.missing.indptr[label] : self.missing.indptr[label + 1]]
        if not gaps.size:
            return None
        return np.setdiff1d(np.arange(self.matrix.shape[0]), gaps)

    def dense(self) -> np.ndarray:
        """Return the labels that have both classes, int64 of shape (n_samples, n_varying)."""
        # int64, since some classifiers treat other types of classes differently.
        return np.asarray(self.matrix[:, self.varying].toarray(), dtype=np.int64)


def learn_targets(
    learner: Any,
    X: Any,
    y: Any,
    label_names: Sequence[str] | None = None,
    *,
    allow_missing: bool = False,
    groups: Any = None,
    sample_weight: Any = None,
) -> LabelTarget:
    """Check the labels of samples, and store names, classes and constants on the learner.

    Its attributes are those of `store_target`, and `constants_`, 0 or 1 for labels with one class,
    of which a warning names each, NaN for all others. Only the rows of X are checked;
    `learn_features` checks the rest. Groups are checked whether or not the learner has folds.
    """
    refuse_other_index(X=X, y=y, groups=groups, sample_weight=sample_weight)
    target = check_target(learner, X, y, label_names, allow_missing=allow_missing)
    if groups is not None:
        check_groups(groups, target.matrix.shape[0])
    warn_of_constants(target.constants, target.names)
    store_target(learner, target)
    learner.constants_ = target.constants
    return target


def check_target(
    estimator: Any,
    X: Any,
    y: Any,
    label_names: Sequence[str] | None = None,
    *,
    allow_missing: bool = False,
) -> LabelTarget:
    """Check the labels of samples, before any model is fitted.

    X must have as many samples as y has rows; broken sparse matrices are refused, before
    scikit-learn reads them. The class of the estimator is named if y is missing.
    """
    from sklearn.utils import check_consistent_length

    check_readable(X, "X")
    check_y_given(estimator, y)
    labels, classes = as_label_column(y)
    matrix, names, missing = check_labels(labels, label_names=label_names, allow_missing=True)
    if missing is not None and not allow_missing:
        _refuse_missing(estimator, missing, names)
    check_consistent_length(X, matrix)
    check_not_empty(matrix)
    return LabelTarget(matrix, names, classes, missing)


def as_label_column(y: Any, known: np.ndarray | None = None) -> tuple[Any, np.ndarray | None]:
    """Turn a vector of one or two classes into a column of 0 and 1; also return its sorted classes.

    `known` are the classes that a vector may have, by default those that it has. Labels that are
    not a vector are returned as they are, with None.
    """
    if not is_vector(y):
        return y, None
    from sklearn.utils import assert_all_finite
    from sklearn.utils.multiclass import check_classification_targets

    vector = as_dense(y, "y")
    if vector.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: y must contain classes, got {vector.dtype}.")
    assert_all_finite(vector, input_name="y")
    check_classification_targets(vector)
    classes = np.unique(vector)
    if classes.size > 2:
        raise ValueError(
            f"Only binary classification is supported. A vector y must have at most two classes, "
            f"got {classes.size}; several labels need a matrix of 0 and 1 with a column for each."
        )
    if known is None:
        return (vector != classes[:1])[:, None], classes
    unknown = [value for value in classes.tolist() if value not in known.tolist()]
    if unknown:
        expected = " or ".join(map(repr, known.tolist()))
        raise ValueError(
            f"y must contain the classes of the estimator, {expected}; got {unknown[0]!r}."
        )
    return (vector == known[1])[:, None], known


def is_vector(y: Any) -> bool:
    """Return whether y is one-dimensional: an array, a series or a list of single values."""
    if isinstance(y, list | tuple):
        return len(y) > 0 and all(np.isscalar(value) for value in y)
    if sparse.issparse(y) or is_frame(y):
        return False
    if hasattr(y, "ndim"):
        return bool(y.ndim == 1)
    return hasattr(y, "__array__") and np.asarray(y).ndim == 1


def _refuse_missing(
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


def constant_labels(Y: Any, missing: Any = None) -> np.ndarray:
    """Value of each label that is the same in all samples with truth, NaN for others.

    Cells without truth are NaN in dense labels, and those of `missing` for sparse ones. A label
    without truth for any sample has the value 0.
    """
    n_known = Y.shape[0]
    if missing is not None:
        n_known = n_known - np.diff(missing.indptr)
    elif isinstance(Y, np.ndarray) and Y.dtype.kind == "f":
        n_known = (~np.isnan(Y)).sum(axis=0)
        Y = Y == 1
    n_positives = np.asarray(Y.sum(axis=0)).ravel()
    return np.where(n_positives == 0, 0.0, np.where(n_positives == n_known, 1.0, np.nan))


def constant_scores(constants: np.ndarray, method: str) -> np.ndarray:
    """Return the scores of labels with one class: -1 or 1 by `decision_function`, else 0 or 1."""
    return 2 * constants - 1 if method == "decision_function" else constants


def all_labels(
    varying: np.ndarray, constants: np.ndarray, method: str = "predict_proba"
) -> np.ndarray:
    """Add columns of labels with one class to those of the labels that vary."""
    ends = np.nan_to_num(constant_scores(constants, method))
    columns = np.tile(ends, (len(varying), 1)).astype(varying.dtype)
    columns[:, np.isnan(constants)] = varying
    return columns


class ConstantLabelWarning(UserWarning):
    """Warning of labels that have one class in the training data, with their names if known."""

    def __init__(self, labels: Sequence[int], n_labels: int, names: Sequence[str] | None) -> None:
        shown = [names[j] for j in labels] if names else labels
        text = listed(shown, _NAMED_AT_MOST, show=quoted if names else str)
        super().__init__(
            f"Y has one class only for label {text}: decided as in the training data, always."
        )
        self._arguments = labels, n_labels, names

    def __reduce__(self) -> Any:
        return ConstantLabelWarning, self._arguments

    def with_names(self, names: Sequence[str]) -> ConstantLabelWarning:
        """Name the labels, unless they have names or are only a part of these."""
        labels, n_labels, known = self._arguments
        if known or n_labels != len(names):
            return self
        return ConstantLabelWarning(labels, n_labels, names)


def warn_of_constants(constants: np.ndarray, names: Sequence[str] | None) -> None:
    """Warn once, with their names, about labels that have one class."""
    found = np.flatnonzero(~np.isnan(constants))
    if found.size:
        warning = ConstantLabelWarning(found.tolist(), constants.size, names)
        warnings.warn(warning, stacklevel=3)
