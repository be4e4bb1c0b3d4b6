"""Forests of many labels packed into few arrays: one joint forest, or one for each label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._parallel import for_row_blocks
from labelwise.learners.ranking._pair_forests import (
    Forests,
    check_forests,
    joined,
    packed,
    trees_of,
)
from labelwise.learners.ranking._pair_forests_kernels import LEAF

# Numbers of sparse features that are spread out at a time.
_MOST_SPREAD = 2**22
_NO_TREES = np.zeros((0, 0), dtype=bool)


class PackedLabels(NamedTuple):
    """Trees of all labels: `leaves` is None if each label has its own forest.

    A joint forest has a row of `leaves` for each leaf, with the chances of the labels that occur
    there; the value of a leaf node is the number of its row.
    """

    forests: Forests
    leaves: sparse.csr_array | None

    def chances(self, X: Any, n_labels: int, is_seen: np.ndarray = _NO_TREES) -> np.ndarray:
        """Return the mean chances of the trees, of shape (n_samples, n_labels).

        With `is_seen`, of shape (n_trees, n_samples), the mean of the trees that have not seen the
        sample, NaN if there is none. X is float32, dense or CSR.
        """
        from labelwise.learners.forests._packed_labels_kernels import add_chances, add_leaves

        sums = np.zeros((X.shape[0], n_labels))
        counts = np.zeros((X.shape[0], 1 if self.leaves is not None else n_labels))
        table = None if self.leaves is None else _parts(self.leaves)

        def add(rows: slice) -> None:
            dense = X[rows].toarray() if sparse.issparse(X) else X[rows]
            given = np.ascontiguousarray(is_seen[:, rows]), sums[rows], counts[rows]
            if table is None:
                add_chances(dense, self.forests, *given)
            else:
                add_leaves(dense, self.forests, table, *given)

        for_row_blocks(add, X.shape[0], X.shape[1], _MOST_SPREAD)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / counts)

    def check(self, n_features: int, n_labels: int) -> None:
        """Check trees of a loaded file; kernels follow their links unchecked."""
        check_forests(self.forests, n_features)
        if self.leaves is None:
            if self.forests.starts.size - 1 != n_labels:
                raise ValueError(f"forests_ must be those of {n_labels} labels.")
            return
        if not isinstance(self.leaves, sparse.csr_array) or self.leaves.dtype != np.float64:
            raise ValueError("leaves_ must be a CSR array of numbers.")
        rows = self.forests.value[self.forests.code == LEAF]
        is_sound = (rows >= 0) & (rows < self.leaves.shape[0]) & (rows == np.floor(rows))
        if self.leaves.shape[1] != n_labels or not is_sound.all():
            raise ValueError(f"leaves_ must be those of the trees and of {n_labels} labels.")


def pack_joint(model: Any) -> PackedLabels:
    """Pack a fitted forest of several labels."""
    parts, tables = [], []
    n_before = 0
    for tree in trees_of(model):
        is_leaf = tree.tree_.children_left == LEAF
        numbers = n_before + np.cumsum(is_leaf) - 1.0
        parts.append(packed(tree, numbers))
        tables.append(sparse.csr_array(tree.tree_.value[is_leaf][:, :, 1]))
        n_before += int(is_leaf.sum())
    forests = joined(parts)
    # One model of all trees.
    starts = np.array([0, len(parts)], dtype=np.int64)
    return PackedLabels(forests._replace(starts=starts), sparse.csr_array(sparse.vstack(tables)))


def samples_seen(model: Any, n_samples: int) -> np.ndarray:
    """Return which tree of a forest has seen which sample, of shape (n_trees, n_samples)."""
    is_seen = np.zeros((len(model.estimators_), n_samples), dtype=bool)
    for own, rows in zip(is_seen, model.estimators_samples_, strict=True):
        own[rows] = True
    return is_seen


def _parts(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data
