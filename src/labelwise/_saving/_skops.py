"""Import skops without the packages of scikit-learn that a model does not use."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from threading import Lock
from types import ModuleType

_PACKAGE = "skops.io"
_LOCK = Lock()


def skops_io() -> ModuleType:
    """Import, on first use, a copy of `skops.io` that trusts no estimator by itself.

    For its list of trusted estimators, skops imports every package of scikit-learn: with adapters
    to CuPy, Dask and PyTorch and with pytest where they are installed, which doubles the time of a
    prediction. `is_estimator` of `_trusted` takes the place of that list. The copy is not in
    `sys.modules`, so that a program that imports `skops.io` itself has the list of skops.
    """
    with _LOCK:
        return _copy()


@cache
def _copy() -> ModuleType:
    import sklearn.utils
    import skops

    of_program = _taken_out()
    listing = sklearn.utils.all_estimators
    sklearn.utils.all_estimators = list
    try:
        return import_module(_PACKAGE)
    finally:
        sklearn.utils.all_estimators = listing
        _taken_out()
        sys.modules.update(of_program)
        # An import also sets an attribute of the package above.
        if _PACKAGE in of_program:
            vars(skops)["io"] = of_program[_PACKAGE]
        else:
            vars(skops).pop("io", None)


def _taken_out() -> dict[str, ModuleType]:
    """Remove `skops.io` and its modules from `sys.modules`, and return them."""
    names = [name for name in sys.modules if f"{name}.".startswith(f"{_PACKAGE}.")]
    return {name: sys.modules.pop(name) for name in names}
