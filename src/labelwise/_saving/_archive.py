"""Open a model file as an archive, and check it before skops builds objects from it.

The names and sizes of the members are checked first, then the description of the objects (skops'
`schema.json`), then each array against its header and against the object that owns it.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._io import DataError, check_npy, first_line, npz_arrays, sparse_matrix

ABOUT = "labelwise.json"
_SCHEMA = "schema.json"
_MOST_SCHEMA = 2**28
_MOST_MEMBERS = 2**20
# Bytes in memory for each of these characters of a schema, before and while skops builds objects.
_COSTS = {b"{": 2000, b"[": 100, b",": 100}
# Deflate packs 1032 bytes into one at best, so what `save` writes is below: sparse matrices are
# packed twice, but their indices differ from each other. Small files may always unpack to this.
_MOST_RATIO = 1100
_ALWAYS_ALLOWED = 2**26
# The protocol of skops that `save` wrote first; older ones have weaker checks.
_FIRST_PROTOCOL = 2
# Levels of JSON; an estimator inside another one takes at most seven.
_DEEPEST = 300
# Keys of a description that number an object.
_NUMBERS = ("__id__", "file")
# The default generator of NumPy. Mixing the seed takes the square of `pool_size` steps.
_GENERATOR = (("bit_generator", "bit_generator", '"PCG64"'), ("seed_seq", "pool_size", "4"))
_SPREAD = ("ndarray", "csc_array", "csc_matrix", "csr_array", "csr_matrix")
_FILES = {"NdArrayNode": "npy", "SparseMatrixNode": "npz"}
# What scipy.sparse.save_npz writes for CSR and CSC; `_is_array` only for sparse arrays.
_SPARSE_MEMBERS = {"data.npy", "format.npy", "indices.npy", "indptr.npy", "shape.npy"}


class Archive(NamedTuple):
    """An archive whose members have been checked."""

    path: Path
    stream: io.BytesIO
    objects: frozenset[Described]
    about: Any  # versions of the writer; None if the file has none


def open_archive(
    path: Path, stream: io.BytesIO, max_bytes: int, n_packed: int | None = None
) -> Archive:
    """Return the archive in a stream, its members checked against each other and for their size.

    `n_packed` is the size of the file, if it is packed once more than the stream.
    """
    n_bytes = stream.getbuffer().nbytes if n_packed is None else n_packed

    def check_size(size: int) -> None:
        if size > max_bytes:
            raise DataError(path, f"contains more than max_bytes={max_bytes} bytes.")
        if size > max(_ALWAYS_ALLOWED, _MOST_RATIO * n_bytes):
            raise DataError(
                path,
                f"takes {size} bytes in memory, more than {_MOST_RATIO} times its size on disk.",
            )

    with zipfile.ZipFile(stream) as packed:
        _check_names(path, packed)
        check_size(sum(member.file_size for member in packed.infolist()))
        text = _text(path, packed, _SCHEMA)
        costs = sum(cost * text.count(sign) for sign, cost in _COSTS.items())
        check_size(costs + _unpacked_size(packed))
        objects = _described_objects(path, _parsed(path, text, _SCHEMA))
        _check_members(path, packed, objects, max_bytes)
        about = _parsed(path, _text(path, packed, ABOUT), ABOUT)
    return Archive(path, stream, objects, about)


def _check_names(path: Path, packed: zipfile.ZipFile) -> None:
    names = packed.namelist()
    if len(set(names)) < len(names) or len(names) > _MOST_MEMBERS:
        raise DataError(path, "contains a member twice, or too many of them.")
    for name in set(names) - {_SCHEMA, ABOUT}:
        if not name.endswith((".npy", ".npz")):
            raise DataError(path, f"contains {name[:50]!r}, which no model has.")
    if _SCHEMA not in names:
        raise DataError(path, "is not a model file: it describes no objects.")


def _text(path: Path, packed: zipfile.ZipFile, name: str) -> bytes:
    if name not in packed.namelist():
        return b"null"
    if packed.getinfo(name).file_size > _MOST_SCHEMA:
        raise DataError(path, f"contains more than {_MOST_SCHEMA} bytes in {name}.")
    return packed.read(name)


def _parsed(path: Path, text: bytes, name: str) -> Any:
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(path, f"has no JSON in {name} ({first_line(error)}).") from error


class Described(NamedTuple):
    """Loader, type and array file of one object in a schema."""

    loader: str  # the class of skops that builds the object
    type: str  # full name
    file: str | None  # the member with the array


def _described_objects(path: Path, schema: Any) -> frozenset[Described]:
    """Return the objects of a schema, refusing what skops would misread."""
    protocol = schema.get("protocol") if isinstance(schema, dict) else None
    if type(protocol) is not int or protocol < _FIRST_PROTOCOL:
        raise DataError(path, f"has protocol {protocol!r:.50}, which labelwise never wrote.")
    reader = _SchemaReader(path)
    reader.read(schema, 0)
    if not reader.objects:
        raise DataError(path, "is not a model file: it describes no objects.")
    return frozenset(reader.objects)


class _SchemaReader:
    """Reads the descriptions of a schema, and compares those that have the same number.

    skops builds an object once for each number, wherever the number occurs, and ignores all other
    descriptions of it. A few kilobytes could so describe an object of exponentially many parts, or
    show a harmless object where another one is built. What `save` writes repeats the whole
    description instead, and so must every file: descriptions of one number must be equal, except
    for the numbers in them. It follows, from the innermost objects outwards, that each object is
    built as it is described in every place.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.objects: set[Described] = set()
        self._of_number: dict[int, int] = {}
        self._contents: dict[Any, int] = {}

    def read(self, part: Any, depth: int) -> int:
        """Return a number of the content of a part: equal parts have equal numbers."""
        if depth > _DEEPEST:
            raise DataError(
                self.path, f"nests descriptions of objects in more than {_DEEPEST} levels."
            )
        content: Any = type(part), part
        if isinstance(part, list):
            content = tuple(self.read(child, depth + 1) for child in part)
        elif isinstance(part, dict):
            content = frozenset(
                (key, self.read(child, depth + 1))
                for key, child in part.items()
                if key not in _NUMBERS
            )
        known = self._contents.setdefault(content, len(self._contents))
        if isinstance(part, dict) and "__loader__" in part:
            self.objects.add(_described(self.path, part))
            number = part.get("__id__")
            if type(number) is not int or number < 1:
                raise DataError(self.path, "describes an object without a number.")
            if self._of_number.setdefault(number, known) != known:
                raise DataError(self.path, "describes two objects under one number.")
        return known


def _described(path: Path, node: dict[str, Any]) -> Described:
    loader, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    if not (isinstance(loader, str) and isinstance(module, str) and isinstance(name, str)):
        raise DataError(path, "describes an object without a type.")
    full_name = f"{module}.{name}"
    if loader == "DictNode":
        _check_key_types(path, node)
    if loader == "RandomGeneratorNode":
        _check_generator(path, node)
    if loader == "JsonNode" and not isinstance(node.get("content"), str):
        raise DataError(path, "describes a plain value by something else than text.")
    if loader == "NdArrayNode" and node.get("type") == "json":
        _check_object_array(path, node)
        return Described(loader, full_name, None)
    file = node.get("file")
    # skops reads a member for each object anew, unless the object has a number: then once.
    if file != (f"{node.get('__id__')}.{_FILES[loader]}" if loader in _FILES else None):
        raise DataError(path, "gives an array to an object that is not its owner.")
    return Described(loader, full_name, file)


def _check_key_types(path: Path, node: dict[str, Any]) -> None:
    """Refuse key types of a dictionary that are not types, since skops would call them."""
    kinds = node.get("key_types")
    listed = kinds.get("content") if isinstance(kinds, dict) else None
    if not isinstance(listed, list) or not isinstance(node.get("content"), dict):
        raise DataError(path, "describes a dictionary without keys.")
    for kind in listed:
        loader = kind.get("__loader__") if isinstance(kind, dict) else None
        if loader != "TypeNode":
            raise DataError(path, f"has keys of a dictionary by {loader!s:.50}, not by their type.")


def _check_generator(path: Path, node: dict[str, Any]) -> None:
    """Refuse random generators other than NumPy's default: skops calls what the file names."""
    for part, name, text in _GENERATOR:
        found = node.get("content")
        for key in (part, "content", name, "content"):
            found = found.get(key) if isinstance(found, dict) else None
        if found != text:
            raise DataError(path, f"has a random generator whose {name} must be {text}.")


def _check_object_array(path: Path, node: dict[str, Any]) -> None:
    """Refuse arrays of objects in several dimensions into which other arrays would be spread."""
    shape, items = node.get("shape"), node.get("content")
    sides = shape.get("content") if isinstance(shape, dict) else None
    if not isinstance(sides, list) or not isinstance(items, list) or "file" in node:
        raise DataError(path, "describes an array of objects without a shape.")
    waiting = list(items) if len(sides) != 1 else []
    while waiting:
        item = waiting.pop()
        if not isinstance(item, dict) or item.get("__class__") in _SPREAD:
            raise DataError(path, "has arrays in an array of objects that is not a vector.")
        if item.get("__loader__") in ("ListNode", "TupleNode"):
            waiting.extend(item.get("content", ()))


def _unpacked_size(packed: zipfile.ZipFile) -> int:
    """Return the bytes of all members, and of the arrays in those that are archives themselves.

    Nothing is unpacked but the inner archives; `zipfile` reads no more of a member than the size
    that it claims here.
    """
    size = 0
    for member in packed.infolist():
        size += member.file_size
        if member.filename.endswith(".npz"):
            with zipfile.ZipFile(io.BytesIO(packed.read(member))) as inner:
                size += sum(part.file_size for part in inner.infolist())
    return size


def _check_members(
    path: Path, packed: zipfile.ZipFile, objects: Iterable[Described], max_bytes: int
) -> None:
    """Refuse arrays that differ from their headers or from the objects that own them."""
    owners = {one.file: one for one in objects if one.file is not None}
    arrays = {name for name in packed.namelist() if name.endswith((".npy", ".npz"))}
    for name in sorted(arrays ^ owners.keys()):
        raise DataError(path, f"has no object for, or lacks, the array {name[:50]!r}.")
    for name, owner in owners.items():
        content = packed.read(name)
        if owner.loader == "SparseMatrixNode":
            _check_sparse(path, content, owner.type.rpartition(".")[2], max_bytes)
        else:
            _check_dense(path, content, owner.type, max_bytes)


def _check_dense(path: Path, content: bytes, owner: str, max_bytes: int) -> None:
    check_npy(path, content)
    array = np.load(io.BytesIO(content), allow_pickle=False)
    # Sides without bytes, as of 10**18 empty strings, cost nothing in a file, and much in a loop.
    sides = math.prod(max(side, 1) for side in array.shape)
    if sides * max(array.itemsize, 1) > max_bytes or (array.itemsize == 0 and array.size > 1):
        raise DataError(path, f"claims an array of shape {array.shape} without its bytes.")
    if owner != "numpy.ndarray" and array.ndim > 0:
        raise DataError(path, f"has an array of {array.ndim} dimensions for one {owner}.")


def _check_sparse(path: Path, content: bytes, kind: str, max_bytes: int) -> None:
    """Refuse a matrix whose format is not that of its class, such as CSC for a csr_array."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = packed.namelist()
    # scipy takes `indices` for `indices.npy`, if both are there.
    if len(set(names)) < len(names) or set(names) - {"_is_array.npy"} != _SPARSE_MEMBERS:
        raise DataError(path, f"has no {kind:.50} in a part that must contain one.")
    arrays = npz_arrays(path, content, max_bytes)
    sparse_matrix(path, arrays)
    if not {arrays[name].dtype.name for name in ("indices", "indptr")} <= {"int32", "int64"}:
        raise DataError(path, f"has a {kind:.50} whose indices are not 32 or 64 bits wide.")
    form = bytes(arrays["format"].astype("S8").item()).decode("latin-1")
    suffix = "array" if arrays.get("_is_array", np.False_).any() else "matrix"
    if kind != f"{form}_{suffix}" or arrays["data"].dtype.kind not in "biuf":
        raise DataError(path, f"has a {form}_{suffix} of {arrays['data'].dtype} for a {kind:.50}.")
