"""Forests of all pairs packed into few arrays, which take a fifth of scikit-learn's memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from labelwise.learners.ranking._pair_forests_kernels import LEAF, pack_tree

_TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)


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


def trees_of(model: Any) -> list[Any]:
    """Return the trees of a fitted tree or forest."""
    return [model] if isinstance(model, _TREES) else list(model.estimators_)


def packed(model: Any, values: np.ndarray | None = None) -> Forests:
    """Pack the trees of one fitted model of two classes.

    A leaf has the probability of the second class; or, for a single tree, the one of `values`,
    which are given for all of its nodes.
    """
    parts = [_packed_tree(tree.tree_, values) for tree in trees_of(model)]
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
