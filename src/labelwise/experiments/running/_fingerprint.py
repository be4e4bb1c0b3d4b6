"""Fingerprints of data, settings and code, which the keys of cells consist of.

`canonical_form` turns a value into numbers, texts, lists and mappings that are the same in every
process, and `fingerprint` hashes them: fingerprints are equal if and only if data and settings are.

`code_digest` covers the code that can change the value of a cell: labelwise's, and the user's. Code
of the user is what a model, a splitter or a measure can reach: its class or function, and the
functions, classes and constants that these name, if they are neither labelwise's, nor Python's, nor
those of an installed package. The versions of installed packages are recorded with each cell.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from scipy import sparse

from labelwise.data import Dataset

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_PLAIN = (bool, int, str, type(None))


class Definition(str):
    """The qualified name of a class or function, with the object itself."""

    defined: Any

    def __new__(cls, defined: Any) -> Definition:
        """Name a class or function by its module and its place there."""
        named = super().__new__(cls, f"{defined.__module__}.{defined.__qualname__}")
        named.defined = defined
        return named


def fingerprint(*texts: Any) -> str:
    """Return the SHA-256 of canonical forms, in hexadecimal."""
    return hashlib.sha256(canonical_json(texts).encode("utf-8", "surrogatepass")).hexdigest()


def canonical_json(value: Any) -> str:
    """Return a canonical form as one line of JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def data_fingerprint(data: Dataset) -> str:
    """Return the SHA-256 of features, labels, training and test samples, and bags."""
    texts = [data.frame[name].to_pylist() for name in data.texts]
    parts = (data.X, data.Y, data.train, data.test, data.bags, *texts)
    return fingerprint(*(canonical_form(part, data.name) for part in parts))


def canonical_form(value: Any, where: str) -> Any:
    """Return a value as numbers, texts, lists and mappings that are the same in every process.

    An estimator becomes its class and parameters, a splitter its class and attributes, an array
    the hash of its bytes, a function its name and the hash of its code. `where` names the value in
    the error message for a value without such a form.
    """
    if type(value) in _PLAIN:
        return value
    # A member of an enumeration may be a float or a text as well: its class and name identify it.
    if isinstance(value, Enum):
        return ["enum", f"{Definition(type(value))}.{value.name}"]
    return _form(value, where)


@functools.singledispatch
def _form(value: Any, where: str) -> Any:
    """Return the canonical form of a value whose type has no form of its own."""
    if hasattr(value, "get_params"):
        return _named(value, value.get_params(deep=False), where)
    if is_dataclass(value):
        return _named(value, {f.name: getattr(value, f.name) for f in fields(value)}, where)
    if hasattr(value, "split") and hasattr(value, "get_n_splits"):
        return _named(value, vars(value), where)
    return _from_repr(value, where)


def _named(value: Any, attributes: Mapping[str, Any], where: str) -> Any:
    """Return the class of an object and the canonical forms of its attributes."""
    found = {name: canonical_form(part, f"{where}.{name}") for name, part in attributes.items()}
    return [Definition(type(value)), found]


@_form.register
def _array(value: np.ndarray, where: str) -> Any:
    if value.dtype == object:
        return ["array", list(value.shape), _items(value.ravel().tolist(), where)]
    # Arrays of equal values have equal fingerprints, whatever their byte order and layout.
    plain = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    digest = hashlib.sha256(plain.reshape(-1).view(np.uint8).data).hexdigest()
    return ["array", list(value.shape), value.dtype.newbyteorder("<").str, digest]


@_form.register(sparse.sparray)
@_form.register(sparse.spmatrix)
def _sparse(value: Any, where: str) -> Any:
    rows = sparse.csr_array(value)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    places = (rows.indptr.astype(np.int64), rows.indices.astype(np.int64))
    return ["sparse", list(rows.shape), *(_array(part, where) for part in (*places, rows.data))]


@_form.register(list)
def _items(values: Any, where: str) -> list[Any]:
    return [canonical_form(value, f"{where}[{i}]") for i, value in enumerate(values)]


@_form.register(Mapping)
def _mapping(value: Mapping[Any, Any], where: str) -> Any:
    pairs = [
        [canonical_form(key, where), canonical_form(part, f"{where}[{key!r}]")]
        for key, part in value.items()
    ]
    return ["mapping", sorted(pairs, key=canonical_json)]


@_form.register
def _float(value: float, where: str) -> Any:  # noqa: ARG001
    return ["float", repr(float(value))]


@_form.register
def _numpy_scalar(value: np.generic, where: str) -> Any:
    return canonical_form(value.item(), where)


@_form.register
def _bytes(value: bytes, where: str) -> Any:  # noqa: ARG001
    return ["bytes", value.hex()]


@_form.register
def _path(value: PurePath, where: str) -> Any:  # noqa: ARG001
    return ["path", value.as_posix()]


@_form.register
def _tuple(value: tuple, where: str) -> Any:  # type: ignore[type-arg]
    return ["tuple", _items(value, where)]


@_form.register(set)
@_form.register(frozenset)
def _set(value: Any, where: str) -> Any:
    return ["set", sorted(_items(value, where), key=canonical_json)]


@_form.register
def _class(value: type, where: str) -> Any:  # noqa: ARG001
    return ["class", Definition(value)]


@_form.register
def _method(value: types.MethodType, where: str) -> Any:
    parts = (value.__func__, value.__self__)
    return ["method", *(canonical_form(part, where) for part in parts)]


@_form.register
def _builtin(value: types.BuiltinFunctionType, where: str) -> Any:  # noqa: ARG001
    return ["builtin", Definition(value)]


@_form.register
def _ufunc(value: np.ufunc, where: str) -> Any:  # noqa: ARG001
    return ["ufunc", value.__name__]


@_form.register
def _partial(value: functools.partial, where: str) -> Any:  # type: ignore[type-arg]
    return ["partial", *_items([value.func, value.args, value.keywords], where)]


@_form.register
def _function(value: types.FunctionType, where: str) -> Any:
    cells = [cell.cell_contents for cell in value.__closure__ or ()]
    known = [value.__defaults__, value.__kwdefaults__, cells]
    return ["function", Definition(value), code_hash(value.__code__), canonical_form(known, where)]


def code_hash(code: types.CodeType) -> str:
    """Return the hash of the code of a function, without its line numbers."""
    constants = [
        code_hash(c) if isinstance(c, types.CodeType) else canonical_form(c, code.co_name)
        for c in code.co_consts
    ]
    names = [*code.co_names, *code.co_varnames, *code.co_freevars]
    return fingerprint(code.co_code.hex(), constants, names)


def _from_repr(value: Any, where: str) -> Any:
    text = repr(value)
    if _ADDRESS.search(text) or isinstance(value, np.random.RandomState | np.random.Generator):
        raise TypeError(f"{where} must have a text that stays the same, got {text}.")
    return [Definition(type(value)), text]


PACKAGE = Path(__file__).parents[2]
# Packages that only show values.
_WITHOUT_VALUES = ("cli", "reports")
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
        modules = [value for value in known if isinstance(value, types.ModuleType)]
        spaces += [vars(module) for module in modules if is_own(module.__name__)]
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


@cache
def is_own(name: str) -> bool:
    """Return whether a module is the user's: not labelwise's, Python's or an installed one."""
    first = name.partition(".")[0]
    if first == PACKAGE.name or first in sys.stdlib_module_names:
        return False
    path = getattr(sys.modules.get(name), "__file__", None)
    return path is None or _INSTALLED.isdisjoint(Path(path).parts)
