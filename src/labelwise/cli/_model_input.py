"""Match the columns of a data set with those that a model takes, and refuse what it cannot take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from labelwise._io import DataError
from labelwise.cli._matrices import are_numbers
from labelwise.data import Dataset
from labelwise.learners import BagPlugin


def check_features(data: Dataset, X: Any, model: Any) -> None:
    """Refuse bags and missing values if the model cannot take them."""
    if data.bags is not None and not isinstance(model, BagPlugin):
        raise ValueError(
            f"{data.name!r} has bags of rows, and this learner takes single rows "
            "(the learner bags takes bags)."
        )
    values = X.data if sparse.issparse(X) else X
    if np.isfinite(values.sum()) or get_tags(model).input_tags.allow_nan:
        return
    places = np.flatnonzero(~np.isfinite(values))
    if places.size:
        where = "" if sparse.issparse(X) else f", first in row {places[0] // X.shape[1]}"
        raise ValueError(
            f"{data.name!r} has {places.size:,} missing or infinite values{where}, "
            "which this learner cannot take (br-forest can)."
        )


def fitted_label_names(path: Path, model: Any) -> tuple[str, ...]:
    """Return the label names of a model from a file, or numbers if it has no names."""
    names = getattr(model, "label_names_", None)
    if names is None and hasattr(model, "thresholds_"):
        names = model.thresholds_.label_names
    n_labels = len(getattr(model, "classes_", ()) if names is None else names)
    if n_labels == 0 or not hasattr(model, "predict"):
        raise DataError(path, "holds no fitted model of labels.")
    return tuple(map(str, range(n_labels) if names is None else names))


def fitted_features(model: Any, data: Dataset, labels: tuple[str, ...], path: str) -> Any:
    """Return the columns of a data set that the model was fitted on, in the model's order."""
    wanted = getattr(model, "feature_names_", getattr(model, "feature_names_in_", None))
    given = list(data.feature_names)
    if wanted is None:
        return data.X
    wanted = [str(name) for name in wanted]
    if given == wanted:
        return data.X
    if are_numbers(wanted) and are_numbers(given) and sparse.issparse(data.X):
        # A sparse file does not mention columns after the last one that it uses.
        return _widened(data.X, len(wanted), path)
    place = {name: j for j, name in enumerate(given)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise DataError(path, f"lacks feature {missing[0]!r}, of {len(missing)} that are missing.")
    known = {*wanted, *labels}
    extra = next((name for name in given if name not in known), None)
    if extra is not None:
        raise DataError(path, f"has feature {extra!r}, which the model does not know.")
    return data.X[:, [place[name] for name in wanted]]


def _widened(X: sparse.csr_array, width: int, path: str) -> sparse.csr_array:
    if X.shape[1] > width:
        raise DataError(path, f"has {X.shape[1]} features but the model knows {width}.")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))
