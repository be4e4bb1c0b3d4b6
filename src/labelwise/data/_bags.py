"""Bags of multi-instance data: samples that consist of several rows each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import check_readable, refuse_sparse


class Bags(Sequence[Any]):
    """Sequence of bags, each a 2-D array of instances, stored as one matrix.

    `Dataset.samples` is such a sequence for multi-instance data. Splitters and scikit-learn select
    whole bags from it; learners for bags are fitted on it.

    Parameters
    ----------
    rows : ndarray or CSR matrix of shape (n_instances, n_features)
        Instances of all bags, one bag after the other.
    starts : array of int of shape (n_bags + 1,)
        Bag i consists of the rows ``starts[i]`` to ``starts[i + 1] - 1``, at least one.

    Attributes
    ----------
    rows : ndarray or CSR matrix of shape (n_instances, n_features)
        Instances of all bags.
    starts : ndarray of int64 of shape (n_bags + 1,)
        First row of each bag, and the number of rows.
    sizes : ndarray of int64 of shape (n_bags,)
        Number of instances of each bag.
    bag_of_row : ndarray of int64 of shape (n_instances,)
        Number of the bag of each row.

    Raises
    ------
    TypeError
        If `starts` is not a 1-D array of whole numbers.
    ValueError
        If a bag is empty, or the bags do not cover all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.data import Bags
    >>> bags = Bags(np.arange(6.0).reshape(3, 2), [0, 1, 3])
    >>> bags[1]
    array([[2., 3.],
           [4., 5.]])
    >>> bags[[1, 0]].rows.tolist()
    [[2.0, 3.0], [4.0, 5.0], [0.0, 1.0]]
    """

    def __init__(self, rows: Any, starts: Any) -> None:
        check_readable(rows, "rows")
        self.rows = rows
        self.starts = check_starts(starts, rows.shape[0])

    @classmethod
    def stacked(cls, arrays: Sequence[Any]) -> Bags:
        """Stack a list of bags.

        Parameters
        ----------
        arrays : sequence of arrays or sparse matrices of shape (n_instances_i, n_features)
            The instances of each bag.

        Returns
        -------
        Bags
            The bags; their matrix is CSR if any of them is sparse.

        Raises
        ------
        ValueError
            If a bag is not 2-D, or bags differ in the number of features.
        """
        refuse_sparse(arrays, "arrays", "a sequence of 2-D arrays, one for each bag")
        found = [array if sparse.issparse(array) else np.asarray(array) for array in arrays]
        for i, (array, given) in enumerate(zip(found, arrays, strict=True)):
            check_readable(given, f"X[{i}]")
            if array.ndim != 2:
                raise ValueError(f"X[{i}] must be a 2-D array of instances, got {array.ndim}-D.")
            if array.shape[1] != found[0].shape[1]:
                raise ValueError(
                    f"X[{i}] has {array.shape[1]} features, but X[0] has {found[0].shape[1]}."
                )
        starts = np.cumsum([0, *(array.shape[0] for array in found)])
        if any(sparse.issparse(array) for array in found):
            return cls(sparse.csr_array(sparse.vstack(found, format="csr")), starts)
        return cls(np.concatenate(found), starts)

    @classmethod
    def of(cls, X: Any) -> Bags | None:
        """Take X as bags if it is a sequence of bags.

        Parameters
        ----------
        X : object
            Samples of any kind.

        Returns
        -------
        Bags or None
            The bags, if X is a `Bags`, or a list whose first entry is a 2-D array, matrix or frame;
            None for samples of another kind.
        """
        if isinstance(X, Bags):
            return X
        is_list = isinstance(X, list | tuple) and len(X) > 0
        return cls.stacked(X) if is_list and len(getattr(X[0], "shape", ())) == 2 else None

    @property
    def sizes(self) -> np.ndarray:
        """Number of instances of each bag."""
        return np.diff(self.starts)

    @property
    def bag_of_row(self) -> np.ndarray:
        """Number of the bag of each row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def rows_of(self, bags: Any) -> np.ndarray:
        """List the rows of the matrix that belong to some bags.

        Parameters
        ----------
        bags : array of int
            Numbers of bags.

        Returns
        -------
        ndarray of int64
            Numbers of their rows, one bag after the other.
        """
        refuse_sparse(bags, "bags", "numbers of bags")
        sizes, first = self.sizes[bags], self.starts[:-1][bags]
        before = np.cumsum(sizes) - sizes
        return np.repeat(first - before, sizes) + np.arange(sizes.sum())

    def __len__(self) -> int:
        return int(self.starts.size - 1)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, int | np.integer):
            i = range(len(self))[index]
            return self.rows[self.starts[i] : self.starts[i + 1]]
        bags = np.arange(len(self))[index]
        starts = np.concatenate(([0], np.cumsum(self.sizes[bags])))
        return Bags(self.rows[self.rows_of(bags)], starts)

    def __repr__(self) -> str:
        n_instances, n_features = self.rows.shape
        return f"Bags: {len(self)} bags, {n_instances} instances, {n_features} features"


def check_starts(starts: Any, n_rows: int) -> np.ndarray:
    """Return the first row of each bag as int64, after checking that no bag is empty."""
    pointer = np.asarray(starts)
    if pointer.ndim != 1 or pointer.dtype.kind not in "iu" or pointer.size < 1:
        raise TypeError("bags must be a 1-D array of row numbers.")
    pointer = pointer.astype(np.int64)
    if pointer[0] != 0 or pointer[-1] != n_rows:
        raise ValueError(
            f"bags must run from 0 to the {n_rows} rows of X, got {pointer[0]} to {pointer[-1]}."
        )
    empty = np.flatnonzero(np.diff(pointer) <= 0)
    if empty.size:
        raise ValueError(f"bags must each contain an instance, but bag {empty[0]} has none.")
    return pointer
