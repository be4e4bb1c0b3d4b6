"""Load the public names of a package when they are used, with the package as their ``__module__``.

This is the one mechanism by which labelwise imports its own modules late; CONTRIBUTING.md says what
is imported late, and why.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any


def publish(
    stage: str,
    names: Sequence[str] | None = None,
    packages: Sequence[str] = (),
    known_as: str | None = None,
) -> None:
    """Make a package import its names when they are first used, as PEP 562 describes.

    The package imports its names below ``if TYPE_CHECKING``, where type checkers and import-linter
    find them. Nothing is imported there at run time: the source of the package is read instead,
    and each name is imported from the module that is named there. A command that needs no estimator
    so loads neither scikit-learn nor the kernels of other commands.

    Model files, store keys, tracebacks and the documentation name ``labelwise.decisions`` instead
    of a private module, and modules can be moved without breaking any of them.

    Parameters
    ----------
    stage : str
        Full name of the package, such as "labelwise.decisions".
    names : sequence of str, default=None
        Names of the classes and functions whose ``__module__`` is set to the stage. None means all
        that a stage imports; those of a private package keep their modules.
    packages : sequence of str, default=()
        Names of packages in this one that are imported as well when they are used.
    known_as : str, default=None
        Full name of the stage above a shared package that lists these names, too; their
        ``__module__`` is then that stage. None means the package itself.
    """
    package = sys.modules[stage]
    is_private = stage.rpartition(".")[2].startswith("_")

    def published() -> Collection[str]:
        if names is not None:
            return names
        return () if is_private else _origins(package)

    def attribute(name: str) -> Any:
        if name in packages:
            return import_module(f"{stage}.{name}")
        origins = _origins(package)
        if name not in origins:
            raise AttributeError(f"module {stage!r} has no attribute {name!r}")
        getattr(import_module(origins[name]), name)  # from a package that loads it when used, too
        # Importing one module may have loaded others, whose classes this stage then returns.
        _take_loaded(package, published(), known_as or stage)
        return vars(package)[name]

    def listed() -> list[str]:
        dunders = (name for name in vars(package) if name.startswith("__"))
        return sorted({*published(), *packages, *dunders})

    vars(package).update(__getattr__=attribute, __dir__=listed)


@cache
def _origins(package: ModuleType) -> dict[str, str]:
    """Return the module of each name that a package imports from labelwise."""
    import ast  # not needed by commands that print help

    # numba needs the sources for its cache, so that they are always installed.
    source = package.__loader__.get_source(package.__name__)  # type: ignore[union-attr]
    return {
        alias.name: node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module and node.module != __name__
        for alias in node.names
        if node.module.startswith("labelwise.")
    }


def _take_loaded(package: ModuleType, published: Collection[str], known_as: str) -> None:
    """Set the names of a package whose modules are loaded, and ``__module__`` of public ones."""
    for name, origin in _origins(package).items():
        value = vars(sys.modules.get(origin, package)).get(name)
        if value is None or name in vars(package):
            continue
        if name in published and hasattr(value, "__module__"):
            value.__module__ = known_as
        setattr(package, name, value)
