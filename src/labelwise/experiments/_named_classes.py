"""Objects of scikit-learn and labelwise by the dotted name of their class, and of no others."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

_PACKAGES = ("sklearn", "labelwise")
_METHODS = ("fit", "split")
# Named folders from which scikit-learn would unpickle.
_REFUSED = ("memory",)


def made(name: str, params: Mapping[str, Any]) -> Any:
    """Return an object of the named class; a mapping with "class" among the params is one, too."""
    found = _class(name)
    refused = [key for key in params if key in _REFUSED]
    if refused:
        raise ValueError(f"params.{refused[0]} cannot be given in a file.")
    arguments = {key: _value(value, f"params.{key}") for key, value in params.items()}
    try:
        return found(**arguments)
    except TypeError as error:
        raise TypeError(f"params do not fit {name} ({error}).") from error


def _class(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    if module.split(".")[0] not in _PACKAGES:
        allowed = " or ".join(_PACKAGES)
        raise ValueError(f"class must be of {allowed}, got {name!r}.")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"class {name!r} does not exist ({error}).") from error
    own = isinstance(found, type) and found.__module__.split(".")[0] in _PACKAGES
    if not own or not any(hasattr(found, method) for method in _METHODS):
        raise ValueError(f"class must be an estimator or a splitter, got {name!r}.")
    return found


def _value(value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        is_object = "class" in value or "params" in value
        return _object(value, place) if is_object else _mapping(value, place)
    if isinstance(value, list):
        return [_value(one, f"{place}[{i}]") for i, one in enumerate(value)]
    return value


def _mapping(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    return {key: _value(one, f"{place}.{key}") for key, one in value.items()}


def _object(value: Mapping[str, Any], place: str) -> Any:
    unknown = sorted(set(value) - {"class", "params"})
    if unknown:
        raise ValueError(f"{place}.{unknown[0]} is no field of an object (class, params).")
    params = value.get("params", {})
    if not isinstance(value.get("class"), str) or not isinstance(params, Mapping):
        raise ValueError(f"{place} must have a class, a text, and params, a table.")
    try:
        return made(value["class"], params)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{place}.{error}") from error
