"""Digests of the code that can change the value of a cell: labelwise, and the user's own code.

Code of the user is what a model, a splitter or a measure can reach: its class or function, and the
functions, classes and constants that these name, if they are neither labelwise's, nor Python's, nor
those of an installed package. The versions of installed packages are recorded with each cell.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from labelwise.experiments.running._fingerprint import (
    Definition,
    canonical_form,
    code_hash,
    fingerprint,
)

PACKAGE = Path(__file__).parents[2]
# Packages that show values, or start the same computations in another way.
_WITHOUT_VALUES = ("cli", "engine", "reports")
_INSTALLED = {"site-packages", "dist-packages"}
# Where decorated functions, properties, cached properties and compiled kernels have their function.
_WRAPPED = ("__wrapped__", "fget", "func", "py_func")
# A partial has a function, too, but also arguments, which count.
_NOT_WRAPPED = (types.FunctionType, type, types.ModuleType, partial)
_N_DIGITS = 16


def code_digest(forms: Iterable[Any]) -> str:
    """Return the digest of labelwise's code, and of the user's code that canonical forms name."""
    own = OwnCode()
    for form in forms:
        own.add_form(form)
    return fingerprint(package_digest(PACKAGE), *sorted(own.found))[:_N_DIGITS]


@cache
def package_digest(folder: Path) -> str:
    """Return the digest of a package's code, without comments and docstrings."""
    parts = [
        (path.relative_to(folder).as_posix(), code_hash(_compiled(path)))
        for path in sorted(folder.rglob("*.py"))
        if path.relative_to(folder).parts[0] not in _WITHOUT_VALUES
    ]
    return fingerprint(*parts)


def _compiled(path: Path) -> types.CodeType:
    """Return the code of a file; docstrings and assertions are left out."""
    code: types.CodeType = compile(
        path.read_bytes(), path.name, "exec", dont_inherit=True, optimize=2
    )
    return code


class OwnCode:
    """Collects digests of the user's functions and classes, and of what their code names."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._seen: dict[int, Any] = {}  # objects by number, kept alive so that numbers stay theirs

    def add_form(self, form: Any) -> None:
        """Add the classes and functions that a canonical form names."""
        if isinstance(form, Definition):
            self.add(form.defined)
        elif isinstance(form, list | tuple):
            for part in form:
                self.add_form(part)
        elif isinstance(form, dict):
            self.add_form(list(form.values()))

    def add(self, value: Any) -> None:
        """Add a function or a class; any other value by its canonical form."""
        value = _unwrapped(value)
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif not isinstance(value, types.ModuleType):
            self._add_value(value)

    def _add_function(self, function: types.FunctionType) -> None:
        if not is_own(function.__module__):
            return
        self.found.add(f"{function.__qualname__} {code_hash(function.__code__)}")
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        for value in (function.__defaults__, function.__kwdefaults__, cells):
            self.add(value)
        names = set(_names(function.__code__))
        spaces = [function.__globals__]
        # A name may be that of a module of the user's, and another one that of a thing in it.
        known = [function.__globals__[name] for name in names & function.__globals__.keys()]
        spaces += [vars(module) for module in known if _is_own_module(module)]
        for space in spaces:
            for name in sorted(names & space.keys()):
                self.add(space[name])

    def _add_class(self, kind: type) -> None:
        for base in kind.__mro__:
            if not is_own(base.__module__):
                continue
            self.found.add(f"{base.__module__}.{base.__qualname__}")
            for name, part in vars(base).items():
                is_code = isinstance(_unwrapped(part), types.FunctionType)
                if is_code or not name.startswith("_"):
                    self.add(part)

    def _add_value(self, value: Any) -> None:
        try:
            form = canonical_form(value, "code")
        except Exception:  # whatever the text of somebody's object raises
            form = Definition(type(value))
        self.found.add(fingerprint(form))
        self.add_form(form)


def _unwrapped(value: Any) -> Any:
    """Return the function that a decorator, a property or a compiled kernel stands for."""
    while not isinstance(value, _NOT_WRAPPED):
        inner = [found for name in _WRAPPED if callable(found := _attribute(value, name))]
        if not inner:
            return value
        value = inner[0]
    return value


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute, None if there is none."""
    try:
        return getattr(value, name, None)
    except Exception:  # a property of somebody's object may raise anything
        return None


def _names(code: types.CodeType) -> Iterator[str]:
    """Give the names that a function and those inside it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_own_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and is_own(value.__name__)


@cache
def is_own(name: str) -> bool:
    """Return whether a module is the user's: not labelwise's, Python's or an installed one."""
    first = name.partition(".")[0]
    if first == PACKAGE.name or first in sys.stdlib_module_names:
        return False
    path = getattr(sys.modules.get(name), "__file__", None)
    return path is None or _INSTALLED.isdisjoint(Path(path).parts)
