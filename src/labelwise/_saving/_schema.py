"""Check the description of objects in a model file, skops' `schema.json`, before use."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from labelwise._io import DataError

# The protocol of skops that `save` wrote first; older ones have weaker checks.
_FIRST_PROTOCOL = 2
# Levels of JSON; an estimator inside another one takes at most seven.
_DEEPEST = 300
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
_SPREAD = ("ndarray", "csc_array", "csc_matrix", "csr_array", "csr_matrix")
_FILES = {"NdArrayNode": "npy", "SparseMatrixNode": "npz"}


class Described(NamedTuple):
    """Loader, type and array file of one object in a schema."""

    loader: str  # the class of skops that builds the object
    type: str  # full name
    file: str | None  # the member with the array
    n_nodes: int  # descriptions in it, its own included


def described_objects(path: Path, schema: Any) -> dict[int, Described]:
    """Return the objects of a schema by their numbers, refusing what skops would misread.

    skops builds an object once for each number, wherever the number occurs, and ignores all other
    descriptions of it. A few kilobytes could so describe an object of exponentially many parts.
    What `save` writes repeats the whole description instead, and so must every file.
    """
    protocol = schema.get("protocol") if isinstance(schema, dict) else None
    if type(protocol) is not int or protocol < _FIRST_PROTOCOL:
        raise DataError(path, f"has protocol {protocol!r:.50}, which labelwise never wrote.")
    found: dict[int, Described] = {}
    if _count_nodes(path, schema, found, 0) == 0:
        raise DataError(path, "is not a model file: it describes no objects.")
    return found


def _count_nodes(path: Path, part: Any, found: dict[int, Described], depth: int) -> int:
    """Return the number of descriptions in a part of the schema, adding each to `found`."""
    if depth > _DEEPEST:
        raise DataError(path, f"nests descriptions of objects in more than {_DEEPEST} levels.")
    children = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    n_nodes = 0
    for child in children:
        if isinstance(child, dict | list):
            n_nodes += _count_nodes(path, child, found, depth + 1)
    if not isinstance(part, dict) or "__loader__" not in part:
        return n_nodes
    described = _described(path, part, n_nodes + 1)
    number = part.get("__id__")
    if type(number) is not int or number < 1:
        raise DataError(path, "describes an object without a number.")
    if found.setdefault(number, described) != described:
        raise DataError(path, "describes two objects under one number.")
    return described.n_nodes


def _described(path: Path, node: dict[str, Any], n_nodes: int) -> Described:
    loader, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    if not isinstance(module, str) or not isinstance(name, str):
        raise DataError(path, "describes an object without a type.")
    full_name = f"{module}.{name}"
    if not isinstance(loader, str) or loader not in _LOADERS:
        raise DataError(
            path, f"contains types that are not trusted: {full_name:.100} ({loader!s:.50})."
        )
    if loader == "DictNode":
        _check_key_types(path, node)
    if loader == "JsonNode" and not isinstance(node.get("content"), str):
        raise DataError(path, "describes a plain value by something else than text.")
    if loader == "NdArrayNode" and node.get("type") == "json":
        _check_object_array(path, node)
        return Described(loader, full_name, None, n_nodes)
    file = node.get("file")
    # skops reads a member for each object anew, unless the object has a number: then once.
    if file != (f"{node.get('__id__')}.{_FILES[loader]}" if loader in _FILES else None):
        raise DataError(path, "gives an array to an object that is not its owner.")
    return Described(loader, full_name, file, n_nodes)


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
