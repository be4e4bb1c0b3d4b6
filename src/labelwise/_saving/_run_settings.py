"""Reset parameters of a loaded model that depend on the machine: workers, caches, output."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from labelwise._saving._parts import parts_of

# Above it, joblib writes its progress to the output stream, between the predictions.
_MOST_VERBOSE = 50
# Parameters of searches that set parameters of other estimators when the search is fitted.
_GRIDS = {"param_grid", "param_distributions"}


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
