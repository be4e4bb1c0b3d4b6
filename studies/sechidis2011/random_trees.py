"""Random forests as Weka grows them, for the studies whose papers used Weka.

A forest of `RandomTree`: bagging; at a node int(log2(features) + 1) features are drawn, and more
until one separates the classes; the cut has the highest information gain; trees are grown until
nodes are pure, and the forest averages the shares of the leaves. scikit-learn's forests differ in
little, but take ten times as long on many small problems.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from studies.sechidis2011.random_trees_kernels import IDENTIFIER, add_shares, grow_forest

# Codes of values are stored in 16 bits.
MOST_SAMPLES = 2**16


class Columns(NamedTuple):
    """Features as numbers of their distinct values, from the lowest."""

    codes: np.ndarray  # uint16 of shape (n_features, n_samples)
    flags: np.ndarray  # uint8: bits of the samples with a code above 0, for each feature
    n_values: np.ndarray  # (n_features,)
    indptr: np.ndarray  # with `indices`, samples with the higher value of features with two values
    indices: np.ndarray
    values: np.ndarray  # distinct values of all features
    starts: np.ndarray  # place of the first value of each feature


def coded(X: np.ndarray) -> Columns:
    """Code the features of samples."""
    if len(X) >= MOST_SAMPLES:
        raise ValueError(f"X must have fewer than {MOST_SAMPLES} samples, got {len(X)}.")
    columns = np.ascontiguousarray(X.T, dtype=np.float32)
    ends = np.column_stack([columns.min(axis=1), columns.max(axis=1)])
    varies = ends[:, 0] < ends[:, 1]
    codes = ((columns == ends[:, 1:]) & varies[:, None]).astype(np.uint16)
    n_values = 1 + varies
    values = {}
    for f in np.flatnonzero(((columns != ends[:, :1]) & (columns != ends[:, 1:])).any(axis=1)):
        values[f], codes[f] = np.unique(columns[f], return_inverse=True)
        n_values[f] = values[f].size
    starts = np.cumsum(n_values) - n_values
    distinct = np.empty(n_values.sum())
    distinct[starts], distinct[starts + n_values - 1] = ends.T
    for f, found in values.items():
        distinct[starts[f] : starts[f] + found.size] = found
    flags = np.packbits(codes > 0, axis=1, bitorder="little")
    above = sparse.csr_array(np.where((n_values == 2)[:, None], codes, 0))
    indptr, indices = above.indptr.astype(np.int64), above.indices.astype(np.int32)
    return Columns(codes, flags, n_values, indptr, indices, distinct, starts)


class LastColumns:
    """Codes of the array that was coded last: all labels are learned from the same array.

    An array must not be changed between two labels.
    """

    def __init__(self) -> None:
        self.array: Any = None
        self.columns: Columns | None = None

    def of(self, X: Any) -> Columns:
        """Return the codes of the features of samples."""
        known = None if self.array is None else self.array()
        if self.columns is None or known is not X:
            self.columns = coded(_dense(X))
            self.array = weakref.ref(X)
        return self.columns


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


LAST = LastColumns()


class WekaForest(ClassifierMixin, BaseEstimator):
    """A random forest of two classes, 0 and 1, as Weka grows it."""

    def __init__(self, n_estimators: int = 100, random_state: Any = None) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> WekaForest:
        """Grow the trees."""
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = X.shape[1]
        random = check_random_state(self.random_state)
        seeds = random.randint(1, np.iinfo(np.int64).max, size=self.n_estimators, dtype=np.int64)
        columns, target = self._columns(X), np.asarray(y, dtype=np.int64)
        n_tried = int(np.log2(X.shape[1]) + 1)
        shape = self.n_estimators, 2 * target.size
        tree: tuple[np.ndarray, ...] = (
            *(np.empty(shape, dtype=np.int32) for _ in range(4)),
            np.empty(shape, dtype=np.float64),
        )
        sizes = grow_forest(columns, target, seeds.astype(np.uint64), n_tried, tree)
        self._keep(columns, tree, sizes)
        return self

    def _columns(self, X: Any) -> Columns:
        return LAST.of(X)

    def _keep(self, columns: Columns, tree: tuple[np.ndarray, ...], sizes: np.ndarray) -> None:
        """Keep the nodes of all trees, with thresholds in the middle of two values."""
        is_node = np.arange(tree[0].shape[1]) < sizes[:, None]
        feature, below, above, child, share = (part[is_node] for part in tree)
        inner = np.flatnonzero(feature >= 0)
        starts = columns.starts[feature[inner]]
        threshold = np.zeros(feature.size)
        threshold[inner] = columns.values[starts + below[inner]] / 2
        threshold[inner] += columns.values[starts + above[inner]] / 2
        self.trees_ = feature, threshold, child, share
        self.roots_ = np.cumsum(sizes) - sizes

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of both classes."""
        dense = np.ascontiguousarray(_dense(X), dtype=np.float32)
        sums = np.zeros(len(dense))
        add_shares(dense, self.trees_, self.roots_, sums)
        chance = sums / len(self.roots_)
        return np.column_stack([1 - chance, chance])

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with a probability of at least one half, 1 at a tie."""
        return np.asarray(self.predict_proba(X)[:, 1] >= 0.5, dtype=np.int64)


class IdentifiedForest(WekaForest):
    """The same on samples whose last feature is an identifier, different in each.

    Weka splits by such a feature into a node for each sample. A new sample belongs to none, and
    gets the shares of the node that was split.
    """

    def _columns(self, X: Any) -> Columns:
        columns = LAST.of(X)
        n_values = columns.n_values.copy()
        n_values[-1] = IDENTIFIER
        return columns._replace(n_values=n_values)
