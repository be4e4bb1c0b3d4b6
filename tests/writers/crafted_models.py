"""Model files that `save` never wrote: a real one, changed in one place.

Every change gives a name and the bytes of a file. The list of changes is the same every time; which
of them are tried first is a matter of the seed. There are changes of the description and of the
archive (`changes_of`), most of which are refused before an object is built, and changes of what
the objects contain (`with_crafted_fields`): fields and arrays of all objects get values out of
range, of another size and of another kind, and the values of other fields.
"""

import contextlib
import copy
import io
import json
import warnings
import zipfile
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from labelwise._saving._archive import ABOUT
from labelwise._saving._files import _versions_here
from labelwise._saving._skops import skops_io

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
    *("1", "2", "-2147483648", "10000000", "9223372036854775807", "1e-308", "false", '"no such"'),
)
# Values of fields that are not plain.
KINDS = {
    "zeros": np.zeros(3),
    "no numbers": np.zeros(0),
    "no columns": np.zeros((3, 0)),
    "a cube": np.zeros((2, 2, 2)),
    "huge numbers": np.array([2**31 - 2, 2**40]),
    "negative numbers": np.array([-1, -(2**40)]),
    "small numbers": np.array([0, 1, 2], dtype=np.int8),
    "texts": np.array(["a", "b"]),
    "objects": np.array([None, "a", 3.0, -1], dtype=object),
    "records": np.zeros(2, dtype=[("a", float), ("b", np.int64)]),
    "complex numbers": np.ones(4, dtype=complex),
    "a CSR array": sparse.csr_array(np.eye(4)),
    "a CSC matrix": sparse.csc_matrix(np.eye(3)),
    "a wide CSR array": sparse.csr_array((1, 2**31 - 2)),
    "a high CSC array": sparse.csc_array((2**31 - 2, 1)),
    "a list": [2**40, -1, 0],
    "a list of arrays": [np.arange(2), np.arange(10**4)],
    "a dictionary": {"sea": -1, "sky": 2**40},
    "a pair": (2**31 - 2, -1),
    "a slice": slice(0, 2**62, 1),
    "a function": np.log1p,
    "a random state": np.random.RandomState(0),
    "an estimator": StandardScaler().fit([[0.0], [1.0]]),
    "a type of numbers": np.dtype(np.float16),
}
# Of each field, how many values of other fields it gets.
N_ALIASES = 4
SHADOWS = (
    *("_check_loaded", "predict", "decision_function", "fit", "__class__", "__dict__", "_impl"),
    *("__sklearn_tags__", "get_params", "_features", "_sums", "_weighed", "transform"),
)


def write_unchecked(model, path):
    """Write the file of a model that `save` would refuse."""
    members = _members(skops_io().dumps(model))
    path.write_bytes(packed_members([*members.items(), (ABOUT, json.dumps(_versions_here()))]))


def crafted_models(content, seed=0):
    """Give (name, bytes) for every change of the file, in an order drawn with the seed."""
    changes = changes_of(content)
    for place in np.random.default_rng(seed).permutation(len(changes)):
        name, change = changes[place]
        changed = change()
        if changed is not None:
            yield name, changed


def with_crafted_fields(content, n_files, seed=0):
    """Give (name, bytes) of files with one to three random changes of fields and arrays."""
    rng = np.random.default_rng(seed)
    members = _members(content)
    changes = [*_in_schema(members, _of_fields), *_in_arrays(members)]
    for number in range(n_files):
        chosen = [changes[place] for place in rng.integers(len(changes), size=1 + number % 3)]
        schema, parts = json.loads(members["schema.json"]), dict(members)
        for _, change in chosen:
            # A place may be gone after the change before.
            with contextlib.suppress(AttributeError, KeyError, IndexError, TypeError):
                change.apply(schema, parts)
        files = {_at(schema, where).get("file") for where in _nodes(schema, ())}
        # `load` refuses arrays that no object owns.
        parts = {name: part for name, part in parts.items() if name in files or "json" in name}
        parts["schema.json"] = json.dumps(schema)
        yield "; ".join(name for name, _ in chosen), packed_members(parts.items())


def changes_of(content):
    """Return (name, function) for every change; the function gives bytes, or None for no change."""
    members = _members(content)
    return [*_in_schema(members, _of_node), *_in_arrays(members), *_in_archive(members)]


def _members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


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


def _in_schema(members, changes):
    schema = json.loads(members["schema.json"])
    nodes = list(_nodes(schema, ()))
    for where in nodes:
        for name, change in changes(_at(schema, where), schema, nodes):
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

    def apply(self, schema, members):
        """Change a schema and the members of its file."""
        members.update(self.change(_at(schema, self.where)) or {})

    def __call__(self):
        schema = copy.deepcopy(self.schema)
        self.change(_at(schema, self.where))
        return packed_members((self.members | {"schema.json": json.dumps(schema)}).items())


def _of_fields(node, schema, nodes):
    """Give changes of a node's value, if it is plain, and of the values of its fields."""
    if node["__loader__"] == "JsonNode":
        for value in VALUES:
            yield (
                f"value {value:.12}",
                lambda node, value=value: node.update(content=value, __id__=10**9 + 10**6),
            )
    fields = node.get("content")
    if node["__loader__"] != "ObjectNode" or not isinstance(fields, dict):
        return
    if not isinstance(fields.get("content"), dict):  # an object without fields
        return
    for number, name in enumerate(fields["content"]):
        for value in VALUES:
            plain = _json(value, 10**9)
            yield (
                f"{name} is {value:.12}",
                lambda node, name=name, to=plain: _replace(node, name, to),
            )
        for kind in KINDS:
            yield (
                f"{name} is {kind}",
                lambda node, name=name, kind=kind: _replace_kind(node, name, kind),
            )
        for step in range(1, N_ALIASES + 1):
            other = _at(schema, nodes[(7 * number + 31 * step) % len(nodes)])
            yield (
                f"{name} is {other['__class__']} {other.get('__id__')}",
                lambda node, name=name, to=other: _replace(node, name, to),
            )


def _replace(node, name, to):
    node["content"]["content"][name] = copy.deepcopy(to)


def _replace_kind(node, name, kind):
    """Replace a field by a value of `KINDS`; return the arrays of the value."""
    members = _members(skops_io().dumps(KINDS[kind]))
    value, arrays, numbers = json.loads(members["schema.json"]), {}, {}
    for where in _nodes(value, ()):
        part = _at(value, where)
        part["__id__"] = numbers.setdefault(part["__id__"], 10**9 + len(numbers))
        if "file" in part:
            file = part["file"]
            part["file"] = f"{part['__id__']}{file[-4:]}"
            arrays[part["file"]] = members[file]
    del value["protocol"], value["_skops_version"]
    _replace(node, name, value)
    return arrays


def _of_node(node, schema, nodes):
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
            yield f"{name}: {what}", _ChangedArray(members, name, changed)


class _ChangedArray:
    """The file with one of its arrays changed by a function."""

    def __init__(self, members, name, change):
        self.members, self.name, self.change = members, name, change

    def apply(self, _schema, members):
        """Change the members of a file."""
        members[self.name] = self.change() or members[self.name]

    def __call__(self):
        return _with_array(self.members, self.name, self.change)


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
