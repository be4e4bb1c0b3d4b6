"""`BagSummary`: each bag as one row, the mean and the maximum of its instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from labelwise.data import Dataset
from labelwise.learners.bags._bag_scores import bag_maxima, bag_means, learn_bags


def _highest(rows: Any, starts: np.ndarray) -> Any:
    """Return the maximum of each column in each bag, dense or CSR as the rows."""
    if not sparse.issparse(rows):
        return bag_maxima(rows, starts)
    n_bags, n_columns = starts.size - 1, rows.shape[1]
    sizes = np.diff(starts)
    stored = rows.tocoo(copy=True)
    stored.sum_duplicates()
    keys = np.repeat(np.arange(n_bags), sizes)[stored.row] * n_columns + stored.col
    keys, place, n_stored = np.unique(keys, return_inverse=True, return_counts=True)
    bag, column = np.divmod(keys, n_columns)
    # Where not every row of the bag stores a number, there is a 0 as well.
    highest = np.where(n_stored < sizes[bag], 0.0, -np.inf)
    np.maximum.at(highest, place, stored.data)
    found = sparse.csr_array((highest, (bag, column)), shape=(n_bags, n_columns))
    found.eliminate_zeros()
    return found


_PARTS = {"mean": bag_means, "max": _highest}


class BagSummary(TransformerMixin, BaseEstimator):
    """Turn each bag into one row, for any learner of plain rows.

    Parameters
    ----------
    parts : sequence of {"mean", "max"}, default=("mean", "max")
        Statistics of the instances' features; several are placed side by side.

    Attributes
    ----------
    n_features_in_ : int
        Number of features of an instance.
    instance_names_ : tuple of str, or None
        Names of the features, if X was a `Dataset`.
    feature_names_in_ : array of str
        Names of the features, if X was a frame.

    Notes
    -----
    Samples as in `BagPlugin`. The rows of a 2-D array are bags of one instance, which are their own
    mean and maximum. Sparse instances give CSR.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.learners import BagSummary
    >>> bags = [np.array([[1.0, 4.0], [3.0, 0.0]]), np.array([[5.0, 6.0]])]
    >>> BagSummary(["mean", "max"]).fit_transform(bags)
    array([[2., 2., 3., 4.],
           [5., 6., 5., 6.]])
    """

    def __init__(self, parts: Sequence[str] = ("mean", "max")) -> None:
        self.parts = parts

    def fit(self, X: Any, y: Any = None) -> BagSummary:  # noqa: ARG002
        """Learn the number of features and their names.

        Parameters
        ----------
        X : Dataset, Bags, list of arrays, or array of shape (n_bags, n_features)
            Bags of instances; a row of a plain array is a bag of one instance.
        y : object, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        BagSummary
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If `parts` has an unknown name or none, or X is not finite.
        """
        self._checked_parts()
        learn_bags(self, X)
        # Not feature_names_in_, which scikit-learn looks for in every later X and warns of.
        self.instance_names_ = tuple(X.feature_names) if isinstance(X, Dataset) else None
        return self

    def transform(self, X: Any) -> Any:
        """Summarise each bag by one row.

        Parameters
        ----------
        X : Dataset, Bags, list of arrays, or array of shape (n_bags, n_features)
            Bags of instances; a row of a plain array is a bag of one instance.

        Returns
        -------
        array or CSR matrix of shape (n_bags, n_parts * n_features)
            The parts side by side; CSR if the instances are sparse.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        ValueError
            If X does not have the features of the training samples, or is not finite.
        """
        check_is_fitted(self)
        bags = learn_bags(self, X, reset=False)
        found = [_PARTS[part](bags.rows, bags.starts) for part in self._checked_parts()]
        if sparse.issparse(bags.rows):
            return sparse.csr_array(sparse.hstack(found, format="csr"))
        return np.hstack(found)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the features of the rows.

        Parameters
        ----------
        input_features : sequence of str, default=None
            Names of the instances' features, if `fit` did not see any; by default x0, x1, ...

        Returns
        -------
        ndarray of str of shape (n_parts * n_features,)
            "mean of x", "max of x" for each feature x.

        Raises
        ------
        ValueError
            If `input_features` has another length than the features of an instance.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", self.instance_names_ or input_features)
        if names is None:
            names = [f"x{number}" for number in range(self.n_features_in_)]
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to {self.n_features_in_}, "
                f"got {len(names)}."
            )
        named = [f"{part} of {name}" for part in self._checked_parts() for name in names]
        return np.array(named, dtype=object)

    def _checked_parts(self) -> Sequence[str]:
        parts = [self.parts] if isinstance(self.parts, str) else list(self.parts)
        for part in parts:
            if part not in _PARTS:
                raise ValueError(f"parts must be some of {', '.join(_PARTS)}, got {part!r}.")
        if not parts:
            raise ValueError("parts must contain at least one, got none.")
        return parts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
