"""Import skops without the packages of scikit-learn that a model does not use.

This file changes how another package is imported, and nothing else in labelwise does. It is used
with the releases of skops that it was tested with; other releases are imported as they are, which
takes longer and changes no result. `tests/saving/test_trusted.py` fails as soon as skops does
without the imports, and this file can then be replaced by ``import skops.io``.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from threading import Lock
from types import ModuleType
from typing import Any

_PACKAGE = "skops.io"
_TESTED = ("0.16.",)
_LOCK = Lock()


def skops_io() -> ModuleType:
    """Import, on first use, a copy of `skops.io` that trusts no estimator by itself.

    For its list of trusted estimators, skops imports every package of scikit-learn: with adapters
    to CuPy, Dask and PyTorch and with pytest where they are installed, which doubles the time of a
    prediction. For its list of trusted functions, skops looks for each of them in all modules of
    the program. Both lists are empty in the copy, because `_trusted` has a list of its own. The
    copy is not in `sys.modules`, so that a program that imports `skops.io` gets it unchanged.
    """
    import skops

    if not skops.__version__.startswith(_TESTED):
        return import_module(_PACKAGE)
    with _LOCK:
        return _copy()


@cache
def _copy() -> ModuleType:
    import sklearn.utils
    import skops

    of_program = _taken_out()
    listing = sklearn.utils.all_estimators
    sklearn.utils.all_estimators = list
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        return import_module(_PACKAGE)
    finally:
        sys.meta_path.remove(finder)
        sklearn.utils.all_estimators = listing
        _taken_out()
        sys.modules.update(of_program)
        # An import also sets an attribute of the package above.
        if _PACKAGE in of_program:
            vars(skops)["io"] = of_program[_PACKAGE]
        else:
            vars(skops).pop("io", None)


class _Finder(MetaPathFinder):
    """Finds `skops.io` as Python does, but runs it without its list of trusted functions."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Return how the package is loaded; None for all other modules."""
        if fullname != _PACKAGE:
            return None
        spec: Any = PathFinder.find_spec(fullname, path, target)
        run = spec.loader.exec_module

        def run_changed(package: ModuleType) -> None:
            # The package calls the function while it is imported.
            vars(import_module(f"{_PACKAGE}._utils"))["get_public_type_names"] = lambda **_: []
            run(package)

        spec.loader.exec_module = run_changed
        return spec


def _taken_out() -> dict[str, ModuleType]:
    """Remove `skops.io` and its modules from `sys.modules`, and return them."""
    names = [name for name in sys.modules.copy() if f"{name}.".startswith(f"{_PACKAGE}.")]
    return {name: sys.modules.pop(name) for name in names}
