"""Labels that have one class in the training data: find, check and report them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._estimators._vector_targets import check_target_classes
from labelwise._text import listed, quoted

_NAMED_AT_MOST = 10


def constant_labels(Y: Any) -> np.ndarray:
    """Value of each label that is the same in all samples, NaN for others."""
    n_positives = np.asarray(Y.sum(axis=0)).ravel()
    return np.where(n_positives == 0, 0.0, np.where(n_positives == Y.shape[0], 1.0, np.nan))


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
