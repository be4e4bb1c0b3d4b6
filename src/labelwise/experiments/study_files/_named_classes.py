"""Create estimators and splitters of scikit-learn and labelwise by the name of their class."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

# Modules whose estimators and splitters get their data from fit and split only. No other module is
# imported, so sklearn.datasets, sklearn.externals, sklearn.utils and labelwise.cli are not.
_MODULES = {
    "sklearn": (
        *("calibration", "cluster", "compose", "covariance", "cross_decomposition"),
        *("decomposition", "discriminant_analysis", "dummy", "ensemble", "feature_extraction"),
        *("feature_selection", "frozen", "gaussian_process", "impute", "isotonic"),
        *("kernel_approximation", "kernel_ridge", "linear_model", "manifold", "mixture"),
        *("model_selection", "multiclass", "multioutput", "naive_bayes", "neighbors"),
        *("neural_network", "pipeline", "preprocessing", "random_projection"),
        *("semi_supervised", "svm", "tree"),
    ),
    "labelwise": ("decisions", "features", "learners", "splitting"),
}
# Parameter that names a folder: scikit-learn would unpickle its files, and so run their code.
_REFUSED = "memory"
# Values of `input` that make scikit-learn read files; a study may read its data sets only.
_REFUSED_INPUTS = ("filename", "file")


def make_object(name: str, params: Mapping[str, Any]) -> Any:
    """Create an object of the named class; tables with "class" in `params` become objects, too."""
    found = _class(name)
    arguments = _mapping(params, "params")
    try:
        return found(**arguments)
    except TypeError as error:
        raise TypeError(f"params are wrong for {name} ({error}).") from error


def _class(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    package, *inner = module.split(".")
    if package not in _MODULES:
        allowed = " or ".join(_MODULES)
        raise ValueError(f"class must be of {allowed}, got {name!r}.")
    is_private = any(part.startswith("_") or part == "tests" for part in (*inner, attribute))
    if is_private or not inner or inner[0] not in _MODULES[package]:
        raise ValueError(f"class must be a public estimator or splitter, got {name!r}.")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"class {name!r} does not exist ({error}).") from error
    if not _is_estimator_or_splitter(found):
        raise ValueError(f"class must be an estimator or a splitter, got {name!r}.")
    return found


def _is_estimator_or_splitter(found: Any) -> bool:
    """Check the class itself, since a module also has classes that it imported."""
    from sklearn.base import BaseEstimator

    if not isinstance(found, type) or found.__module__.split(".")[0] not in _MODULES:
        return False
    splits = hasattr(found, "split") and hasattr(found, "get_n_splits")
    return splits or (issubclass(found, BaseEstimator) and hasattr(found, "fit"))


def _value(value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        is_object = "class" in value or "params" in value
        return _object(value, place) if is_object else _mapping(value, place)
    if isinstance(value, list):
        return [_value(one, f"{place}[{i}]") for i, one in enumerate(value)]
    return value


def _mapping(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return a table with its objects created; `model__memory` names a nested parameter."""
    for key, one in value.items():
        parameter = key.rpartition("__")[2]
        options = one if isinstance(one, list) else [one]
        names_files = parameter == "input" and any(text in _REFUSED_INPUTS for text in options)
        if parameter == _REFUSED or names_files:
            given = f" as {one!r}" if names_files else ""
            raise ValueError(f"{place}.{key} cannot be given{given} in a file.")
    return {key: _value(one, f"{place}.{key}") for key, one in value.items()}


def _object(value: Mapping[str, Any], place: str) -> Any:
    unknown = sorted(set(value) - {"class", "params"})
    if unknown:
        raise ValueError(f"{place}.{unknown[0]} is not a field of an object (class, params).")
    params = value.get("params", {})
    if not isinstance(value.get("class"), str) or not isinstance(params, Mapping):
        raise ValueError(f"{place} must have a class, a text, and params, a table.")
    try:
        return make_object(value["class"], params)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{place}.{error}") from error
