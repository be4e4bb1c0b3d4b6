"""Input checks of bag learners: bags in every accepted form, and labels of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._estimators import learn_features
from labelwise.data import Bags, Dataset, as_bags, is_bags


def learn_bags(learner: Any, X: Any, *, reset: bool = True) -> Bags:
    """Check X and return it as bags; rows of a matrix are bags of one."""
    X = X.samples if isinstance(X, Dataset) else X
    if is_bags(X):
        bags = as_bags(X)
        return Bags(learn_features(learner, bags.rows, reset=reset), bags.starts)
    rows = learn_features(learner, X, reset=reset)
    return Bags(rows, np.arange(rows.shape[0] + 1))


def bag_labels(X: Any, Y: Any) -> tuple[Any, Sequence[str] | None]:
    """Return Y and its label names, both taken from X if X is a `Dataset`."""
    if not isinstance(X, Dataset):
        return Y, None
    if Y is not None:
        raise ValueError("Y must be left out where X is a Dataset, which has labels of its own.")
    if X.Y is None:
        raise ValueError(f"X must have labels to learn, but those of {X.name!r} are unknown.")
    return X.Y, X.label_names
