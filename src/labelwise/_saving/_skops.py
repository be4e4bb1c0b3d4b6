"""Import skops without array libraries that no saved model needs."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

# Packages inside scikit-learn that import CuPy, Dask and PyTorch if they are installed.
_ADAPTERS = [f"sklearn.externals.array_api_compat.{name}" for name in ("cupy", "dask", "torch")]


def skops_io() -> ModuleType:
    """Import `skops.io` on first use.

    For its list of estimators, skops has scikit-learn import each of its packages. Among them are
    adapters to other array libraries: that of PyTorch doubles the time of a prediction and takes
    600 MB. They are hidden while skops is imported, and can be imported afterwards.
    """
    if "skops.io" not in sys.modules:
        hidden = [name for name in _ADAPTERS if name not in sys.modules]
        for name in hidden:
            sys.modules[name] = None  # type: ignore[assignment]  # an ImportError for Python
        try:
            import_module("skops.io")
        finally:
            for name in hidden:
                sys.modules.pop(name, None)
    return sys.modules["skops.io"]
