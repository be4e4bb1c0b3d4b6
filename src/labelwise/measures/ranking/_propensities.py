"""Propensities of labels: how likely a true label is to be in the data at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._validation import check_labels, check_readable


def inverse_propensities(
    Y_train: Any,
    *,
    a: float = 0.55,
    b: float = 1.5,
    label_names: Sequence[str] | None = None,
) -> np.ndarray:
    """Compute how much a hit of each label counts in propensity-scored measures.

    Rare labels are often missing from the labels of a sample although they apply. A hit of a rare
    label therefore counts more.

    Parameters
    ----------
    Y_train : array, sparse matrix, frame or list of sets of shape (n_train, n_labels)
        Labels of the training samples.
    a, b : float, default=0.55 and 1.5
        Parameters of the model of Jain et al.; 0.5 and 0.4 for Wikipedia data, 0.6 and 2.6 for
        Amazon data.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    ndarray of shape (n_labels,)
        One over the propensity of each label, at least 1.

    Raises
    ------
    ValueError
        If `Y_train` has values other than 0 and 1, has fewer than 3 samples, or if `a` or `b` is
        not a positive number.

    See Also
    --------
    evaluate : Measure scores with ``inverse_propensity=``.

    Notes
    -----
    With n training samples, of which n_j have label j, the inverse propensity is ::

        1 + C (n_j + b)^-a,   C = (log(n) - 1) (b + 1)^a.

    References
    ----------
    H. Jain, Y. Prabhu, M. Varma, "Extreme Multi-label Loss Functions for Recommendation, Tagging,
    Ranking and Other Missing Label Applications", KDD 2016.

    Examples
    --------
    >>> from labelwise.measures import inverse_propensities
    >>> inverse_propensities([[1, 0], [1, 0], [1, 1], [1, 0]]).round(3)
    array([1.25 , 1.386])
    """
    for name, number in (("a", a), ("b", b)):
        if not 0 < number < np.inf:
            raise ValueError(f"{name} must be a positive number, got {number!r}.")
    matrix = check_labels(Y_train, label_names=label_names, input_name="Y_train").matrix
    n_samples = matrix.shape[0]
    if n_samples < 3:
        raise ValueError(f"Y_train must have at least 3 samples, got {n_samples}.")
    constant = (np.log(n_samples) - 1) * (b + 1) ** a
    return np.asarray(1 + constant * (np.diff(matrix.indptr) + b) ** -a)


def check_inverse(inverse_propensity: Any, n_labels: int | None = None) -> np.ndarray | None:
    """Check one positive number for each label; None stays None."""
    if inverse_propensity is None:
        return None
    check_readable(inverse_propensity, "inverse_propensity")
    found = np.asarray(inverse_propensity, dtype=np.float64)
    if found.ndim != 1 or n_labels not in (None, found.size):
        wanted = "each label" if n_labels is None else f"each of {n_labels} labels"
        raise ValueError(
            f"inverse_propensity must be a number for {wanted}, got shape {found.shape}."
        )
    if not (np.isfinite(found) & (found > 0)).all():
        raise ValueError("inverse_propensity must be positive numbers.")
    return found
