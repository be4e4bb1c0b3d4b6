"""Vector targets: y of one or two classes as the column of one label, and answers in its form.

A classifier of scikit-learn that was fitted to a vector predicts a vector of its classes, scores
samples by a vector and gives a column of probabilities for each class. Estimators fitted to a
matrix of labels answer by matrices, which these functions leave as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import as_dense, is_frame


def as_label_column(y: Any, known: np.ndarray | None = None) -> tuple[Any, np.ndarray | None]:
    """Turn a vector of one or two classes into a column of 0 and 1.

    Parameters
    ----------
    y : array
        A vector of classes (numbers, booleans or strings), or labels as `check_labels` takes them.
    known : array of shape (2,), default=None
        The sorted classes that a vector may have; None means those that it has.

    Returns
    -------
    labels : array of shape (n_samples, 1), or y itself
        Whether each sample has the second of the sorted classes; y if it is not a vector.
    classes : array of shape (n_classes,), or None
        The sorted classes of the vector, or the known ones; None if y is not a vector.

    Raises
    ------
    ValueError
        If y is a vector of complex, infinite, missing or continuous numbers, of more than two
        classes, or of a class that is not a known one.
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


def classes_of_decisions(estimator: Any, decided: np.ndarray) -> np.ndarray:
    """Return the classes that decisions of shape (n_samples, 1) mean after fitting to a vector."""
    classes = _target_classes(estimator)
    if classes is None:
        return decided
    named: np.ndarray = classes[decided[:, 0]]
    return named


def scores_of_classes(estimator: Any, scores: np.ndarray) -> np.ndarray:
    """Return scores of shape (n_samples, 1) as a vector after fitting to a vector."""
    return scores if _target_classes(estimator) is None else scores[:, 0]


def proba_of_classes(estimator: Any, proba: np.ndarray) -> np.ndarray:
    """Return a column of probabilities for each class after fitting to a vector."""
    classes = _target_classes(estimator)
    if classes is None:
        return proba
    return np.hstack([1 - proba, proba])[:, : classes.size]


def check_target_classes(estimator: Any) -> int:
    """Count the labels of a loaded estimator; refuse a wrong `target_classes_`."""
    classes: Any = getattr(estimator, "target_classes_", None)
    if classes is None:
        return len(estimator.classes_)
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or classes.size not in (1, 2):
        raise ValueError("target_classes_ must be an array of one or two classes")
    return 1


def _target_classes(estimator: Any) -> np.ndarray | None:
    """Return the classes of the vector that an estimator was fitted to, or None."""
    classes: np.ndarray | None = getattr(estimator, "target_classes_", None)
    return classes


def is_vector(y: Any) -> bool:
    """Return whether y is one-dimensional: an array, a series or a list of single values."""
    if isinstance(y, list | tuple):
        return len(y) > 0 and all(np.isscalar(value) for value in y)
    if sparse.issparse(y) or is_frame(y):
        return False
    if hasattr(y, "ndim"):
        return bool(y.ndim == 1)
    return hasattr(y, "__array__") and np.asarray(y).ndim == 1
