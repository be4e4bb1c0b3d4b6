"""Fingerprints: a stable text for every setting of a cell, so that equal texts mean equal work."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np
from scipy import sparse

from labelwise.data import Dataset

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_PLAIN = (bool, int, str, type(None))


def fingerprint(*texts: Any) -> str:
    """Return the SHA-256 of plain values (what `stable` gives), in hexadecimal."""
    return hashlib.sha256(as_text(texts).encode("utf-8", "surrogatepass")).hexdigest()


def as_text(value: Any) -> str:
    """Return what `stable` gave as one line of text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def data_fingerprint(data: Dataset) -> str:
    """Return the SHA-256 of the bytes of features, labels, fixed rows and bags."""
    parts = (data.X, data.Y, data.train, data.test, data.bags)
    return fingerprint(*(stable(part, data.name) for part in parts))


def stable(value: Any, where: str) -> Any:
    """Return a value as plain numbers, texts, lists and mappings, the same in every process.

    Estimators become their class and parameters, splitters their class and attributes, arrays the
    hash of their bytes, functions their name and the hash of their code. `where` names the value
    in the error for what has no such form.
    """
    if type(value) in _PLAIN:
        return value
    for kinds, form in _FORMS:
        if isinstance(value, kinds):
            return form(value, where)
    if hasattr(value, "get_params"):
        return _named(value, value.get_params(deep=False), where)
    if is_dataclass(value):
        return _named(value, {f.name: getattr(value, f.name) for f in fields(value)}, where)
    if hasattr(value, "split") and hasattr(value, "get_n_splits"):
        return _named(value, vars(value), where)
    return _from_repr(value, where)


def _named(value: Any, attributes: Mapping[str, Any], where: str) -> Any:
    """Return the class of an object and what it was made of."""
    found = {name: stable(part, f"{where}.{name}") for name, part in attributes.items()}
    return [_qualified(type(value)), found]


def _qualified(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


def _array(value: np.ndarray, where: str) -> Any:
    if value.dtype == object:
        return ["array", list(value.shape), _items(value.ravel().tolist(), where)]
    # Byte order and layout say nothing about the values.
    plain = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    digest = hashlib.sha256(plain.reshape(-1).view(np.uint8).data).hexdigest()
    return ["array", list(value.shape), value.dtype.newbyteorder("<").str, digest]


def _sparse(value: Any, where: str) -> Any:
    rows = sparse.csr_array(value)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    places = (rows.indptr.astype(np.int64), rows.indices.astype(np.int64))
    return ["sparse", list(rows.shape), *(_array(part, where) for part in (*places, rows.data))]


def _items(values: Any, where: str) -> list[Any]:
    return [stable(value, f"{where}[{i}]") for i, value in enumerate(values)]


def _mapping(value: Mapping[Any, Any], where: str) -> Any:
    pairs = [[stable(k, where), stable(part, f"{where}[{k!r}]")] for k, part in value.items()]
    return ["mapping", sorted(pairs, key=as_text)]


def _function(value: types.FunctionType, where: str) -> Any:
    cells = [cell.cell_contents for cell in value.__closure__ or ()]
    known = [value.__defaults__, value.__kwdefaults__, cells]
    return ["function", _qualified(value), _code(value.__code__), stable(known, where)]


def _code(code: types.CodeType) -> str:
    """Return the hash of what a function does, whatever lines it stands on."""
    constants = [
        _code(c) if isinstance(c, types.CodeType) else stable(c, code.co_name)
        for c in code.co_consts
    ]
    names = [*code.co_names, *code.co_varnames, *code.co_freevars]
    return fingerprint(code.co_code.hex(), constants, names)


def _from_repr(value: Any, where: str) -> Any:
    text = repr(value)
    if _ADDRESS.search(text) or isinstance(value, np.random.RandomState | np.random.Generator):
        raise TypeError(f"{where} must have a text that stays the same, got {text}.")
    return [_qualified(type(value)), text]


_FORMS: tuple[tuple[Any, Callable[[Any, str], Any]], ...] = (
    (Enum, lambda value, _: ["enum", f"{_qualified(type(value))}.{value.name}"]),
    (float, lambda value, _: ["float", repr(float(value))]),
    (np.generic, lambda value, where: stable(value.item(), where)),
    (np.ndarray, _array),
    ((sparse.sparray, sparse.spmatrix), _sparse),
    (bytes, lambda value, _: ["bytes", value.hex()]),
    (PurePath, lambda value, _: ["path", value.as_posix()]),
    (list, _items),
    (tuple, lambda value, where: ["tuple", _items(value, where)]),
    ((set, frozenset), lambda value, where: ["set", sorted(_items(value, where), key=as_text)]),
    (Mapping, _mapping),
    (type, lambda value, _: ["class", _qualified(value)]),
    (types.FunctionType, _function),
    (types.MethodType, lambda v, w: ["method", stable(v.__func__, w), stable(v.__self__, w)]),
    (types.BuiltinFunctionType, lambda value, _: ["builtin", _qualified(value)]),
    (np.ufunc, lambda value, _: ["ufunc", value.__name__]),
    (functools.partial, lambda v, w: ["partial", *_items([v.func, v.args, v.keywords], w)]),
)
