"""What a model would walk along without looking, looked at before it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import Tree

_TREES = (DecisionTreeClassifier, DecisionTreeRegressor)
_FORESTS = (
    RandomForestClassifier,
    ExtraTreesClassifier,
    RandomForestRegressor,
    ExtraTreesRegressor,
)
_TWISTER_WORDS = 624


def check_sound(model: Any) -> None:
    """Refuse, with a ValueError, a model whose compiled parts could leave their arrays."""
    for part in _parts(model):
        if isinstance(part, Tree):
            _check_tree(part)
        elif isinstance(part, _TREES) and hasattr(part, "tree_"):
            _check_width(part, part)
        elif isinstance(part, _FORESTS) and hasattr(part, "estimators_"):
            for tree in part.estimators_:
                _check_width(tree, part)
        elif isinstance(part, SVC | NuSVC) and hasattr(part, "support_"):
            _check_machine(part)
        elif isinstance(part, np.random.RandomState):
            _check_random_state(part)
        # A learner of ours that walks along arrays says itself what must hold.
        elif hasattr(part, "_check_loaded"):
            part._check_loaded()


def _parts(model: Any) -> Iterator[Any]:
    """Give the model and all that is in it, each once."""
    waiting, seen = [model], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, type | str | int | float | None):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, list | tuple | set):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, np.ndarray):
            waiting.extend(part.ravel().tolist() if part.dtype == object else ())
        elif hasattr(part, "__dict__"):
            waiting.extend(vars(part).values())


def _check_tree(tree: Tree) -> None:
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left != -1)
    children = np.stack([left[inner], right[inner]])
    features = tree.feature[inner]
    sound = (
        tree.node_count > 0
        # scikit-learn numbers children after their parents: every walk goes on, and ends.
        and ((children > inner) & (children < tree.node_count)).all()
        and ((features >= 0) & (features < tree.n_features)).all()
    )
    if not sound:
        raise ValueError("a tree must lead from its root to a leaf.")


def _check_width(tree: Any, owner: Any) -> None:
    """Refuse a tree that looks at more features than its owner asks for."""
    width = owner.n_features_in_
    if not isinstance(tree, _TREES) or type(tree.tree_) is not Tree or type(width) is not int:
        raise ValueError("a forest must hold trees, and know its features.")
    if tree.tree_.n_features > width:
        raise ValueError(f"a tree looks at {tree.tree_.n_features} features of {width}.")


def _check_machine(machine: Any) -> None:
    """Refuse support vectors, weights and classes that do not fit together."""
    n_vectors, n_classes = machine.support_vectors_.shape[0], len(machine._n_support)
    n_pairs = n_classes * (n_classes - 1) // 2
    sound = (
        machine.support_vectors_.shape[1] == machine.shape_fit_[1] == machine.n_features_in_
        and machine._dual_coef_.shape == (n_classes - 1, n_vectors)
        and machine._intercept_.shape == (n_pairs,)
        and machine.support_.shape == (n_vectors,)
        and (machine._n_support >= 0).all()
        and machine._n_support.sum() == n_vectors
        and {machine._probA.size, machine._probB.size} <= {0, n_pairs}
    )
    if not sound:
        raise ValueError("the parts of a support vector machine must fit together.")


def _check_random_state(random: np.random.RandomState) -> None:
    state: Any = random.get_state(legacy=False)
    if not 0 <= state["state"].get("pos", 0) <= _TWISTER_WORDS:
        raise ValueError("the place of a random state must be within its words.")
