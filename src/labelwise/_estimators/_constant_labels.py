"""Labels that have one class in the training data: find, check and report them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._estimators._vector_targets import check_target_classes
from labelwise._text import listed, quoted

_NAMED_AT_MOST = 10


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


def check_constants(estimator: Any) -> int:
    """Check `constants_` of an estimator loaded from a file; count its labels."""
    n_labels = check_target_classes(estimator)
    constants = estimator.constants_
    if not isinstance(constants, np.ndarray) or constants.dtype != np.float64:
        raise ValueError("constants_ must be an array of numbers")
    if constants.shape != (n_labels,) or n_labels == 0:
        raise ValueError(f"constants_ must be those of {n_labels} labels, got {constants.shape}")
    return n_labels


class ConstantLabelWarning(UserWarning):
    """Warning of labels that have one class in the training data.

    Parameters
    ----------
    labels : sequence of int
        Columns of the labels.
    n_labels : int
        Number of all labels.
    names : sequence of str or None
        Names of all labels, if they are known.
    """

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
