"""Check the parts of a loaded model before code relies on them, and reset its run settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from inspect import Parameter, signature
from numbers import Integral
from types import FunctionType, NoneType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from labelwise._saving._sklearn_parts import check_sklearn_part

# Above it, joblib writes its progress to the output stream, between the predictions.
_MOST_VERBOSE = 50
_PLAIN = (type, FunctionType, np.ufunc, str, int, float, NoneType)
# Parameters of searches that set parameters of other estimators when the search is fitted.
_GRIDS = {"param_grid", "param_distributions"}


def check_sound(model: Any) -> None:
    """Refuse, with a ValueError, a model whose parts could crash or hang compiled code."""
    for part in parts_of(model):
        if sparse.issparse(part):
            part.check_format(full_check=True)
            continue
        _check_attributes(part)
        check_sklearn_part(part)
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


def add_new_parameters(model: Any) -> None:
    """Give parameters that a class has got since the file was written their default."""
    from sklearn.base import BaseEstimator

    for part in parts_of(model):
        if isinstance(part, BaseEstimator) and type(part).__module__.startswith("labelwise."):
            for name, parameter in signature(type(part)).parameters.items():
                if parameter.default is not Parameter.empty:
                    vars(part).setdefault(name, parameter.default)


def reset_run_settings(model: Any) -> None:
    """Reset parameters that would start too many workers, read a cache, or print much.

    `n_jobs` becomes None if it is above the number of cores here, since starting thousands of
    workers stops a machine. `memory` becomes None, and is removed from what a search tries, because
    joblib unpickles what it finds in that folder. `verbose` becomes 0 if it is above 50.
    """
    from joblib import cpu_count
    from sklearn.base import BaseEstimator

    for part in parts_of(model):
        if not isinstance(part, BaseEstimator):
            continue
        settings = vars(part)
        if not _is_whole_up_to(settings.get("n_jobs", 1), cpu_count()):
            settings["n_jobs"] = None
        for name in _GRIDS & settings.keys():
            settings[name] = _without_memory(settings[name])
        if "memory" in settings and type(part).__module__.startswith("sklearn."):
            settings["memory"] = None
        if not _is_whole_up_to(settings.get("verbose", 0), _MOST_VERBOSE):
            settings["verbose"] = 0


def _without_memory(grid: Any) -> Any:
    """Return the parameters that a search tries, without folders of pickled results."""
    if isinstance(grid, dict):
        return {key: one for key, one in grid.items() if str(key).rpartition("__")[2] != "memory"}
    return [_without_memory(one) for one in grid] if isinstance(grid, list | tuple) else grid


def _is_whole_up_to(value: Any, most: int) -> bool:
    return isinstance(value, Integral) and value <= most


def parts_of(model: Any) -> Iterator[Any]:
    """Yield the model and every object in it, each once, except types, functions and texts."""
    waiting, seen = [model], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, _PLAIN):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, list | tuple):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, np.ndarray):
            waiting.extend(part.ravel().tolist() if part.dtype == object else ())
        elif hasattr(part, "__dict__"):
            waiting.extend(vars(part).values())
