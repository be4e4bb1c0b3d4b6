"""Checks of X and y in the `fit` of learners, and helpers that all learners share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._estimators import check_target, constant_labels, store_target, warn_of_constants
from labelwise._validation import check_groups, check_readable


class Targets(NamedTuple):
    """The labels to learn: those that have both classes, and the values of the others."""

    matrix: sparse.csc_array  # bool, all labels
    names: tuple[str, ...] | None
    constants: np.ndarray  # 0 or 1, NaN for a label with both classes
    missing: sparse.csc_array | None = None  # cells without truth; None if there are none

    @property
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
) -> Targets:
    """Check the labels of samples and store what they say on the learner.

    X is only asked for its number of rows: `learn_features` checks it for a learner that computes
    with it.

    Parameters
    ----------
    learner : estimator
        Gets the attributes `label_names_` (tuple, or None if y has no names), `constants_` (0 or 1
        for labels with one class, NaN for all others), `classes_` (numbers of the labels, or the
        classes of a vector) and `target_classes_` (the classes of a vector, or None).
    X : samples
        As many as y has rows.
    y : array, sparse matrix, frame, list of sets, or vector of at most two classes
        Labels of the samples.
    label_names : sequence of str, optional
        Names of the columns of y.
    allow_missing : bool, default=False
        Whether the learner can do without labels of some samples (NaN, null or masked).
    groups : array of shape (n_samples,), default=None
        Groups of the samples, which are checked whether or not the learner has folds.

    Returns
    -------
    Targets
        The labels as a boolean matrix, and the cells without truth.

    Raises
    ------
    ValueError, TypeError
        If y is missing, empty, of another length than X, or neither 0/1 labels nor two classes, or
        if groups do not name a group for each sample.

    Warns
    -----
    UserWarning
        Once, naming the labels that have one class only.
    """
    target = check_target(learner, X, y, label_names, allow_missing=allow_missing)
    if groups is not None:
        check_groups(groups, target.matrix.shape[0])
    constants = constant_labels(target.matrix, target.missing)
    warn_of_constants(constants, target.names)
    store_target(learner, target)
    learner.constants_ = constants
    return Targets(target.matrix, target.names, constants, target.missing)


def learn_features(learner: Any, X: Any, *, reset: bool = True, sparse: bool = True) -> Any:
    """Return X as finite float64, row-major or CSR; with `reset` store its number of features."""
    from sklearn.utils.validation import validate_data

    check_readable(X, "X")
    accepted = "csr" if sparse else False
    return validate_data(
        learner, X, accept_sparse=accepted, dtype=np.float64, order="C", reset=reset
    )


def learn_tree_features(learner: Any, X: Any, base: Any, *, reset: bool) -> Any:
    """Return X as float32, row-major or CSR, for packed trees of a classifier of scikit-learn."""
    from sklearn.utils import get_tags
    from sklearn.utils.validation import validate_data

    check_readable(X, "X")
    # Whether values may be missing is for the trees to say, in fit.
    finite = "allow-nan" if get_tags(base).input_tags.allow_nan else True
    return validate_data(
        learner,
        X,
        accept_sparse="csr",
        dtype=np.float32,
        order="C",
        ensure_all_finite=finite,
        reset=reset,
    )


def seeded(model: Any, seed: int | None) -> Any:
    """Return the model with the seed wherever it or a part of it takes one; None changes none."""
    if seed is None:
        return model
    names = [key for key in model.get_params() if key.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(names, seed))


def check_coefficients(learner: Any, n_outputs: int) -> None:
    """Refuse coefficients of a loaded learner that do not fit its features and its outputs."""
    n_features = learner.n_features_in_
    if type(n_features) is not int:
        raise ValueError(f"n_features_in_ must be a whole number, got {n_features!r:.50}")
    for name, shape in (("coef_", (n_outputs, n_features)), ("intercept_", (n_outputs,))):
        array = getattr(learner, name)
        if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
            raise ValueError(f"{name} must be numbers of shape {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite")


def all_labels(varying: np.ndarray, constants: np.ndarray, *, low: float = 0.0) -> np.ndarray:
    """Add columns of labels with one class, `low` or 1, to those of the labels that vary."""
    columns = np.tile(np.where(constants == 1, 1.0, low), (len(varying), 1)).astype(varying.dtype)
    columns[:, np.isnan(constants)] = varying
    return columns
