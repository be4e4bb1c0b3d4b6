"""Fingerprints: hashes of data and settings that are equal if and only if these are equal."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
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
    """Return the SHA-256 of features, labels, training and test rows, and bags."""
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
