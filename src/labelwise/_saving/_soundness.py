"""Check the parts of a loaded model before compiled code, or the model itself, relies on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble._forest import BaseForest
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.neighbors._base import NeighborsBase
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import Tree

from labelwise._saving._parts import parts_of
from labelwise._saving._sklearn_parts import (
    check_columns,
    check_forest,
    check_hashed,
    check_machine,
    check_neighbors,
    check_one_hot,
    check_owner,
    check_tree,
)

_TWISTER_WORDS = 624


def check_sound(model: Any) -> None:
    """Refuse, with a ValueError, a model whose parts could crash or hang compiled code."""
    for part in parts_of(model):
        if sparse.issparse(part):
            part.check_format(full_check=True)
            continue
        _check_attributes(part)
        for kinds, check in _CHECKS:
            if isinstance(part, kinds):
                check(part)
        # A labelwise class checks its own state. Looked up on the class, because a file sets
        # attributes of instances.
        own: Callable[[Any], None] | None = getattr(type(part), "_check_loaded", None)
        if own is not None:
            own(part)


def _check_attributes(part: Any) -> None:
    """Refuse attributes in the place of a method, a property or a constant of the class."""
    allowed = {field.name for field in fields(part)} if is_dataclass(part) else set()
    if isinstance(part, BaseEstimator):
        allowed = set(type(part)._get_param_names())
    for name in getattr(part, "__dict__", ()):
        if not isinstance(name, str) or (name not in allowed and hasattr(type(part), name)):
            raise ValueError(f"{type(part).__name__} must not have {name!r:.50} as an attribute")


def _check_random_state(random: np.random.RandomState) -> None:
    state: Any = random.get_state(legacy=False)
    if not 0 <= state["state"].get("pos", 0) <= _TWISTER_WORDS:
        raise ValueError("the place of a random state must be within its words")


_CHECKS: tuple[tuple[Any, Callable[[Any], None]], ...] = (
    (np.random.RandomState, _check_random_state),
    (Tree, check_tree),
    ((DecisionTreeClassifier, DecisionTreeRegressor), check_owner),
    (BaseForest, check_forest),
    ((SVC, NuSVC), check_machine),
    (NeighborsBase, check_neighbors),
    ((CountVectorizer, DictVectorizer), check_columns),
    ((FeatureHasher, HashingVectorizer), check_hashed),
    (OneHotEncoder, check_one_hot),
)
