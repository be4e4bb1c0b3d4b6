"""skops' archive, opened with bounds: no size is believed, and each array is read once."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from labelwise._saving._versions import ABOUT
from labelwise.data._files import DataError
from labelwise.data._numpy_files import check_npy, npz_arrays, sparse_matrix

_SCHEMA = "schema.json"
# What describes the objects grows to some ten times its size in memory.
_MOST_SCHEMA = 2**28
_MOST_MEMBERS = 2**20
# The protocol of skops that `save` wrote first; older ones have weaker checks.
_FIRST_PROTOCOL = 2
_LOADERS = {
    "DictNode",
    "DTypeNode",
    "FunctionNode",
    "JsonNode",
    "ListNode",
    "LossNode",
    "NdArrayNode",
    "ObjectNode",
    "RandomStateNode",
    "SetNode",
    "SliceNode",
    "SparseMatrixNode",
    "TreeNode",
    "TupleNode",
    "TypeNode",
}


class Archive(NamedTuple):
    """An archive whose members are what they claim to be."""

    path: Path
    stream: io.BytesIO
    types: frozenset[str]  # of all objects in it, by their full names
    about: Any  # who wrote it; None if it does not say


def open_archive(path: Path, stream: io.BytesIO, max_bytes: int) -> Archive:
    """Return the archive in a stream, its members checked against `max_bytes` and each other."""
    try:
        with zipfile.ZipFile(stream) as packed:
            members = packed.infolist()
            size = sum(member.file_size for member in members)
            if size > max_bytes:
                raise DataError(path, f"holds more than max_bytes={max_bytes} bytes.")
            names = {member.filename for member in members}
            if len(names) < len(members) or len(members) > _MOST_MEMBERS:
                raise DataError(path, "holds a member twice, or too many of them.")
            _check_arrays(path, packed, max_bytes)
            schema, about = (_read_json(path, packed, name) for name in (_SCHEMA, ABOUT))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(path, f"is no whole model file ({_first_line(error)}).") from error
    except (NotImplementedError, RuntimeError) as error:
        raise DataError(path, f"is packed in an unknown way ({_first_line(error)}).") from error
    if schema is None:
        raise DataError(path, "is no model file: it describes no objects.")
    types = frozenset(_type_of(path, node) for node in _nodes(path, schema))
    return Archive(path, stream, types, about)


def _check_arrays(path: Path, packed: zipfile.ZipFile, max_bytes: int) -> None:
    """Refuse arrays that claim more than their bytes, and matrices with indices outside."""
    for member in packed.infolist():
        if member.filename.endswith(".npy"):
            check_npy(path, packed.read(member))
        elif member.filename.endswith(".npz"):
            sparse_matrix(path, npz_arrays(path, packed.read(member), max_bytes))
        elif member.filename not in (_SCHEMA, ABOUT):
            raise DataError(path, f"holds {member.filename[:50]!r}, which no model has.")


def _read_json(path: Path, packed: zipfile.ZipFile, name: str) -> Any:
    if name not in packed.namelist():
        return None
    if packed.getinfo(name).file_size > _MOST_SCHEMA:
        raise DataError(path, f"holds more than {_MOST_SCHEMA} bytes in {name}.")
    try:
        return json.loads(packed.read(name).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(path, f"has no JSON in {name} ({_first_line(error)}).") from error


def _nodes(path: Path, schema: Any) -> Iterator[dict[str, Any]]:
    """Give the descriptions of all objects, however deep."""
    protocol = schema.get("protocol") if isinstance(schema, dict) else None
    if type(protocol) is not int or protocol < _FIRST_PROTOCOL:
        raise DataError(path, f"has protocol {protocol!r:.50}, which labelwise never wrote.")
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part.values())
            if "__loader__" in part:
                yield part
        elif isinstance(part, list):
            waiting.extend(part)


def _type_of(path: Path, node: dict[str, Any]) -> str:
    """Return the full name of an object's type, refusing descriptions that skops would misread."""
    loader, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    if not isinstance(module, str) or not isinstance(name, str):
        raise DataError(path, "describes an object without a type.")
    if loader not in _LOADERS:
        raise DataError(path, f"holds types that are not trusted: {module}.{name} ({loader}).")
    if "file" in node:
        # skops reads a member for each object anew, unless the object has a number: then once.
        number = node.get("__id__")
        owned = (f"{number}.npy", f"{number}.npz")
        if type(number) is not int or number < 1 or node["file"] not in owned:
            raise DataError(path, "gives an array to an object that is not its owner.")
    return f"{module}.{name}"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
