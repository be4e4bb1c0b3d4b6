"""The list of types that a model file may contain, and checks of a file against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from inspect import isclass, isfunction
from types import ModuleType
from typing import Any

from labelwise._saving._archive import Archive
from labelwise._saving._skops import skops_io

# Classifiers and transformers of scikit-learn. Other types take no part in decisions, or their
# compiled code follows arrays that are not checked here (boosting, isolation forests, clusters).
_STAGES = (
    "calibration",
    "compose",
    "decomposition",
    "discriminant_analysis",
    "dummy",
    "ensemble._forest",
    "ensemble._voting",
    "feature_extraction",
    "feature_selection",
    "impute",
    "isotonic",
    "linear_model",
    "model_selection",
    "multiclass",
    "multioutput",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "pipeline",
    "preprocessing",
    "svm._classes.LinearSVC",
    "svm._classes.NuSVC",
    "svm._classes.SVC",
    "tree",
    "utils",
    "_loss",
)
_PREFIXES = tuple(f"sklearn.{stage}" for stage in _STAGES)
_NUMBERS = (
    *("bool", "float16", "float32", "float64", "longdouble", "longlong", "ulonglong"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)
_NUMPY_SCALARS = frozenset(f"numpy.{name}" for name in (*_NUMBERS, "str_"))
_SPARSE = frozenset(
    f"scipy.sparse._{form}.{form}_{kind}" for form in ("csc", "csr") for kind in ("array", "matrix")
)
_CONTAINERS: tuple[tuple[type, str], ...] = (
    (dict, "DictNode"),
    (list, "ListNode"),
    (set, "SetNode"),
    (tuple, "TupleNode"),
)
_TREE = "sklearn.tree._tree.Tree"
# skops builds an object by the loader that the file names. Each loader gets the types that it
# writes, so that a file cannot have one type built as if it were another.
_TYPES = {
    "DictNode": {"builtins.dict", "collections.OrderedDict"},
    "DTypeNode": {"numpy.dtype"},
    "JsonNode": {"builtins.str"},
    "ListNode": {"builtins.list"},
    "NdArrayNode": {"numpy.ndarray"} | _NUMPY_SCALARS,
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
    "SetNode": {"builtins.set"},
    "SliceNode": {"builtins.slice"},
    "SparseMatrixNode": _SPARSE,
    "TreeNode": {_TREE},
    "TupleNode": {"builtins.tuple"},
    "TypeNode": {f"builtins.{name}" for name in ("bool", "float", "int", "str")} | _NUMPY_SCALARS,
}
# skops lists the names of these types.
_STARTS = {
    "FunctionNode": ("numpy.", "scipy.special."),
    "LossNode": ("sklearn._loss._loss.", "sklearn.linear_model._sgd_fast."),
    "ObjectNode": _PREFIXES,
}


def check_trusted(more: Sequence[type]) -> None:
    """Refuse an argument `trusted` that is no sequence of types."""
    for given in more:
        if not isclass(given):
            raise TypeError(f"trusted must contain types, got {given!r}.")


def trusted_names(more: Sequence[type] = ()) -> list[str]:
    """Return the full names of the types and functions that skops does not know by itself."""
    # The arrays of sparse matrices and trees are checked by `open_archive` and `check_sound`.
    return [*_SPARSE, _TREE, *(_full_name(one) for one in (*_own(), *more))]


def foreign_types(archive: Archive, more: Sequence[type] = ()) -> set[str]:
    """Return the types in an archive that are unknown to the loaders that would build them."""
    names = set(trusted_names(more))
    known = {(loader, name) for loader, types in _TYPES.items() for name in types}
    known |= {(_loader(one), _full_name(one)) for one in (*_own(), *more)}
    known |= {("TypeNode", _full_name(one)) for one in more}
    found = set()
    for one in archive.objects:
        is_listed = one.type.startswith(_STARTS.get(one.loader, ())) and one.type not in names
        if (one.loader, one.type) not in known and not is_listed:
            found.add(f"{one.type:.100} (as {one.loader})" if one.type in names else one.type[:100])
    return found


def unknown_types(archive: Archive, more: Sequence[type] = ()) -> list[str]:
    """Return the names of all types in an archive that are not trusted."""
    found = set(skops_io().get_untrusted_types(file=archive.stream)) - set(trusted_names(more))
    return sorted(found | foreign_types(archive, more))


def _loader(one: Any) -> str:
    """Return the class of skops that writes and builds objects of a type, or a function."""
    if not isclass(one):
        return "FunctionNode"
    for base, loader in _CONTAINERS:
        if issubclass(one, base):
            return loader
    return "ObjectNode"


def _full_name(one: Any) -> str:
    return f"{one.__module__}.{one.__name__}"


def _own() -> Iterator[Any]:
    """Yield the public estimators and their parts, the splitters, and the measures."""
    from labelwise import measures
    from labelwise.decisions import Sigmoid
    from labelwise.learners import Forests

    for stage in ("decisions", "features", "learners", "splitting"):
        if find_spec(f"labelwise.{stage}") is not None:
            yield from _public(import_module(f"labelwise.{stage}"), isclass)
    yield from _public(measures, isfunction)
    yield from (Sigmoid, Forests)


def _public(stage: ModuleType, is_wanted: Any) -> Iterator[Any]:
    named = (getattr(stage, name) for name in stage.__all__)
    yield from (one for one in named if is_wanted(one))
