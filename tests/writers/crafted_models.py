"""Model files that `save` never wrote: a real one, changed in one place.

Every change gives a name and the bytes of a file. The list of changes is the same every time; which
of them are tried first is a matter of the seed.
"""

import copy
import io
import json
import warnings
import zipfile
from itertools import pairwise

import numpy as np

LOADERS = (
    *("DictNode", "DTypeNode", "FunctionNode", "JsonNode", "ListNode", "LossNode", "NdArrayNode"),
    *("ObjectNode", "RandomStateNode", "SetNode", "SliceNode", "SparseMatrixNode", "TreeNode"),
    *("TupleNode", "TypeNode", "MethodNode", "PartialNode", "ConstructorFromReduceNode"),
)
TYPES = (
    ("builtins", "dict"),
    ("builtins", "int"),
    ("os", "system"),
    ("numpy", "ndarray"),
    ("numpy", "void"),
    ("scipy.sparse._csr", "csr_array"),
    ("scipy.sparse._csc", "csc_matrix"),
    ("sklearn.tree._tree", "Tree"),
    ("sklearn.svm._classes", "SVC"),
    ("labelwise.learners", "OkapiNeighbors"),
    ("labelwise.learners", "Forests"),
    ("labelwise.measures", "f_measure"),
)
VALUES = (
    *("null", "true", "0", "-1", "3", "2147483648", "1e308", "NaN", "Infinity", '""', "[]", "{}"),
    *('"precomputed"', '"haversine"', '"mean"', "50000", "[[[[]]]]", "1" * 5000, "[", "[0, 1]"),
)
SHADOWS = (
    *("_check_loaded", "predict", "decision_function", "fit", "__class__", "__dict__", "_impl"),
    *("__sklearn_tags__", "get_params", "_features", "_sums", "_weighed", "transform"),
)


def crafted_models(content, seed=0):
    """Give (name, bytes) for every change of the file, in an order drawn with the seed."""
    changes = changes_of(content)
    for place in np.random.default_rng(seed).permutation(len(changes)):
        name, change = changes[place]
        changed = change()
        if changed is not None:
            yield name, changed


def changes_of(content):
    """Return (name, function) for every change; the function gives bytes, or None for no change."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    return [*_in_schema(members), *_in_arrays(members), *_in_archive(members)]


def packed_members(members):
    """The bytes of an archive with these (name, bytes), of which two may have the same name.

    The date in the archive is fixed, so that the same members give the same bytes.
    """
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        warnings.simplefilter("ignore", UserWarning)
        for name, part in members:
            packed.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _in_schema(members):
    schema = json.loads(members["schema.json"])
    nodes = list(_nodes(schema, ()))
    for where in nodes:
        for name, change in _of_node(_at(schema, where)):
            yield f"{_label(schema, where)}: {name}", _Changed(members, schema, where, change)


def _nodes(part, where):
    """Give the places of all nodes; of the types of a dictionary's keys, the first."""
    if isinstance(part, dict) and "__loader__" in part:
        yield where
    if where[-2:] == ("key_types", "content"):
        part = part[:1]
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, child in items:
        if isinstance(child, dict | list):
            yield from _nodes(child, (*where, key))


def _at(part, where):
    for key in where:
        part = part[key]
    return part


def _label(schema, where):
    node = _at(schema, where)
    keys = [str(key) for key in where if key not in ("content", "__reduce__")]
    return f"{'.'.join(keys) or 'model'} ({node['__class__']})"


class _Changed:
    """The file with one node of its schema changed, in place, by a function."""

    def __init__(self, members, schema, where, change):
        self.members, self.schema, self.where, self.change = members, schema, where, change

    def __call__(self):
        schema = copy.deepcopy(self.schema)
        self.change(_at(schema, self.where))
        return packed_members((self.members | {"schema.json": json.dumps(schema)}).items())


def _of_node(node):
    """Give changes of one node: its loader, its type, its number, its content."""
    for loader in LOADERS:
        yield f"loader {loader}", lambda node, loader=loader: node.update(__loader__=loader)
    for module, name in TYPES:
        yield (
            f"type {name}",
            lambda node, pair=(module, name): node.update(__module__=pair[0], __class__=pair[1]),
        )
    for number in (None, 1, "1", True):
        yield f"number {number!r}", lambda node, number=number: node.update(__id__=number)
    for key in ("content", "__loader__", "__id__", "file", "shape", "key_types", "__reduce__"):
        if key in node:
            yield f"without {key}", lambda node, key=key: node.pop(key)
            yield f"{key} empty", lambda node, key=key: node.update({key: []})
    if node["__loader__"] == "JsonNode":
        for value in VALUES:
            yield f"value {value:.12}", lambda node, value=value: node.update(content=value)
    if node["__loader__"] == "ObjectNode" and isinstance(node.get("content"), dict):
        yield from _of_attributes(node)
    if node["__loader__"] in ("ListNode", "TupleNode") and node["content"]:
        yield "shorter", lambda node: node["content"].pop()
        yield "longer", lambda node: node["content"].append(node["content"][0])
        yield "reversed", lambda node: node["content"].reverse()


def _of_attributes(node):
    """Give changes of an object's attributes: one added, one left out, two exchanged."""
    for name in SHADOWS:
        for what in (_json("0", 10**9 + 1), _function(10**9 + 2)):
            yield (
                f"attribute {name} {what['__class__']}",
                lambda node, name=name, what=what: _set(node, name, what),
            )
    names = list(node["content"].get("content", ()))
    for name in names:
        yield f"without {name}", lambda node, name=name: _unset(node, name)
    for one, other in pairwise(names):
        yield (
            f"{one} and {other} exchanged",
            lambda node, one=one, other=other: _exchange(node["content"]["content"], one, other),
        )


def _json(value, number):
    names = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    return names | {"content": value, "is_json": True, "__id__": number}


def _function(number):
    names = {"__class__": "add", "__module__": "numpy", "__loader__": "FunctionNode"}
    return names | {"__id__": number}


def _set(node, name, what):
    attributes = node["content"]
    attributes["content"][name] = what
    kind = {"__class__": "str", "__module__": "builtins", "__loader__": "TypeNode", "__id__": 10**9}
    attributes["key_types"]["content"].append(kind)


def _unset(node, name):
    del node["content"]["content"][name]
    node["content"]["key_types"]["content"].pop()


def _exchange(attributes, one, other):
    attributes[one], attributes[other] = attributes[other], attributes[one]


def _in_arrays(members):
    for name, part in members.items():
        change = _of_npy if name.endswith(".npy") else _of_npz if name.endswith(".npz") else None
        for what, changed in change(part) if change else ():
            yield (
                f"{name}: {what}",
                lambda name=name, changed=changed: _with_array(members, name, changed),
            )


def _with_array(members, name, changed):
    part = changed()
    return None if part is None else packed_members((members | {name: part}).items())


def _of_npy(part):
    """Give changes of an array: other numbers, another shape, another dtype, a false header."""
    array = np.load(io.BytesIO(part))
    for what, change in ARRAY_CHANGES.items():
        yield what, lambda change=change: _npy(array, change)
    yield "header of another size", lambda: part.replace(b"'shape': (", b"'shape': (9", 1)
    yield "pickled", lambda: part.replace(b"'<f8'", b"'|O' ", 1)
    yield "cut short", lambda: part[:-1]


def _npy(array, change):
    try:
        with np.errstate(all="ignore"):
            changed = change(array)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    stream = io.BytesIO()
    np.save(stream, changed, allow_pickle=False)
    return stream.getvalue()


def _filled(value):
    return lambda array: np.full_like(array, value)


def _first(value):
    def change(array):
        array = array.copy()
        array.flat[0] = value
        return array

    return change


def _field(name, value):
    def change(array):
        array = array.copy()
        array[name][0] = value
        return array

    return change


ARRAY_CHANGES = {
    "nothing": lambda array: array[:0].copy(),
    "shorter": lambda array: array[:-1].copy(),
    "longer": lambda array: np.concatenate([array, array]),
    "a column": lambda array: array.reshape(-1, 1),
    "a row": lambda array: array[None],
    "a number": lambda array: array.reshape(-1)[0],
    "transposed": lambda array: np.ascontiguousarray(array.T),
    "one for all": lambda array: array[:1].copy(),
    "reversed": lambda array: array[::-1].copy(),
    "negative": lambda array: -array - 1,
    "huge": lambda array: array + 10**9,
    "float32": lambda array: array.astype(np.float32),
    "whole": lambda array: array.astype(np.int64),
    "small": lambda array: array.astype(np.int8),
    "text": lambda array: array.astype("U"),
    "complex": lambda array: array.astype(complex),
    "all NaN": _filled(np.nan),
    "all infinite": _filled(np.inf),
    "all 0": _filled(0),
    "first NaN": _first(np.nan),
    "first infinite": _first(np.inf),
    "first huge": _first(2**31 - 1),
    "first negative": _first(-7),
    **{
        f"{field} {value}": _field(field, value)
        for field in ("left_child", "right_child", "feature")
        for value in (-7, 0, 1, 2**40)
    },
}


def _of_npz(part):
    """Give changes of a sparse matrix: its format, its indices, its members."""
    with zipfile.ZipFile(io.BytesIO(part)) as packed:
        arrays = {name: packed.read(name) for name in packed.namelist()}
    for form in (b"csr", b"csc", b"coo", b"bsr"):
        told = {"format.npy": _npy(np.array(form), np.asarray)}
        yield f"format {form.decode()}", lambda told=told: packed_members((arrays | told).items())
    for name in arrays:
        yield f"{name} twice", lambda name=name: packed_members([*arrays.items(), (name, b"")])
        bare = name.removesuffix(".npy")
        yield (
            f"{name} twice by another name",
            lambda name=name, bare=bare: packed_members([*arrays.items(), (bare, arrays[name])]),
        )
        for what, changed in _of_npy(arrays[name]):
            yield (
                f"{name}: {what}",
                lambda name=name, changed=changed: _with_array(arrays, name, changed),
            )
    nothing = {"data.npy": "nothing", "indices.npy": "nothing", "indptr.npy": "all 0"}
    emptied = {
        name: _npy(np.load(io.BytesIO(arrays[name])), ARRAY_CHANGES[what])
        for name, what in nothing.items()
    }
    yield "empty", lambda: packed_members((arrays | emptied).items())


def _in_archive(members):
    """Give changes of the archive: members twice, left out, unknown or cut."""
    whole = packed_members(members.items())
    for name in list(members)[-8:]:
        yield f"{name} twice", lambda name=name: packed_members([*members.items(), (name, b"{}")])
        rest = {key: part for key, part in members.items() if key != name}
        yield f"without {name}", lambda rest=rest: packed_members(rest.items())
        yield (
            f"{name} empty",
            lambda name=name: packed_members((members | {name: b""}).items()),
        )
    yield "unknown member", lambda: packed_members([*members.items(), ("code.py", b"1")])
    for part in (0.1, 0.5, 0.9):
        yield f"cut at {part}", lambda part=part: whole[: int(part * len(whole))]
