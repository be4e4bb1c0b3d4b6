"""Trees of scikit-learn packed into few arrays, which take a fifth of the memory.

A node takes 16 bytes. Models follow each other in `Forests`: a forest for each pair of labels, for
each label, or one for all labels, whose leaves then have a row of chances in a table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from labelwise._parallel import for_row_blocks
from labelwise.learners.trees._packed_trees_kernels import LEAF, add_chances, pack_tree

_TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
# Numbers of sparse features that are spread out at a time.
_MOST_SPREAD = 2**22
_NO_TREES = np.zeros((0, 0), dtype=bool)


class Forests(NamedTuple):
    """Trees of many models, one after the other; `pack_tree` describes a node."""

    code: np.ndarray  # int32, one entry per node, as are value and jump
    value: np.ndarray  # float64
    jump: np.ndarray  # int32
    roots: np.ndarray  # int64: the first node of each tree
    starts: np.ndarray  # int64: the first tree of each model, and the number of trees


def is_packable(base: Any) -> bool:
    """Whether a classifier is a tree or forest of scikit-learn itself.

    A subclass may predict by other rules, and is not packed.
    """
    return type(base) in (*_TREES, *FORESTS)


def _trees_of(model: Any) -> list[Any]:
    """Return the trees of a fitted tree or forest."""
    return [model] if isinstance(model, _TREES) else list(model.estimators_)


def packed(model: Any, values: np.ndarray | None = None) -> Forests:
    """Pack the trees of one fitted model of two classes.

    A leaf has the probability of the second class; or, for a single tree, the one of `values`,
    which are given for all of its nodes.
    """
    parts = [_packed_tree(tree.tree_, values) for tree in _trees_of(model)]
    sizes = np.array([code.size for code, _, _ in parts])
    code, value, jump = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    roots = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    return Forests(code, value, jump, roots, np.array([0, len(parts)], dtype=np.int64))


def joined(parts: list[Forests]) -> Forests:
    """Join the models of all parts, in their order."""
    if not parts:
        whole = np.empty(0, dtype=np.int64)
        none = np.empty(0, dtype=np.int32)
        return Forests(none, np.empty(0), none, whole, np.zeros(1, dtype=np.int64))
    n_nodes = np.cumsum([0] + [part.code.size for part in parts])
    n_trees = np.cumsum([0] + [part.roots.size for part in parts])
    return Forests(
        np.concatenate([part.code for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.jump for part in parts]),
        np.concatenate([part.roots + n for part, n in zip(parts, n_nodes, strict=False)]),
        np.concatenate(
            [[0], *(part.starts[1:] + n for part, n in zip(parts, n_trees, strict=False))]
        ),
    )


def check_forests(forests: Forests, n_features: int) -> None:
    """Check trees of a loaded file; kernels follow their links unchecked."""
    code, value, jump, roots, starts = forests
    kinds = [(array.dtype.name, array.ndim) for array in forests]
    if kinds != [("int32", 1), ("float64", 1), ("int32", 1), ("int64", 1), ("int64", 1)]:
        raise ValueError("trees must be stored as arrays of the right kind.")
    inner = np.flatnonzero(code != LEAF)
    sound = (
        code.size == value.size == jump.size
        and (code >= LEAF).all()
        and (code[inner] >> 1 < n_features).all()
        # Both children come after their parent, so that every path ends at a leaf.
        and (jump[inner] > 0).all()
        and (inner + np.maximum(jump[inner], 1) < code.size).all()
        and ((roots >= 0) & (roots < code.size)).all()
        and starts.size > 0
        and (starts[0], starts[-1]) == (0, roots.size)
        and (np.diff(starts) > 0).all()
    )
    if not sound:
        raise ValueError("trees must lead from each root to a leaf.")


def _packed_tree(tree: Any, values: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return pack_tree(  # type: ignore[no-any-return]
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        tree.missing_go_to_left,
        np.ascontiguousarray(tree.value[:, 0, 1]) if values is None else values,
    )


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
        sums = np.zeros((X.shape[0], n_labels))
        counts = np.zeros((X.shape[0], 1 if self.leaves is not None else n_labels))
        parts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)
        if self.leaves is not None:
            indptr, labels = self.leaves.indptr, self.leaves.indices
            parts = indptr.astype(np.int64), labels.astype(np.int32), self.leaves.data

        def add(rows: slice) -> None:
            dense = X[rows].toarray() if sparse.issparse(X) else X[rows]
            given = np.ascontiguousarray(is_seen[:, rows]), sums[rows], counts[rows]
            add_chances(dense, self.forests, parts, *given)

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
    for tree in _trees_of(model):
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
