"""The list of types that a model file may contain, and checks of a file against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from inspect import isabstract, isclass, isfunction
from typing import Any

from labelwise._saving._archive import Archive
from labelwise._saving._skops import skops_io

# Classifiers and transformers of scikit-learn. Other types take no part in decisions, or their
# compiled code follows arrays that are not checked here (gradient boosting without histograms,
# isolation forests, clusters).
_STAGES = (
    "calibration",
    "compose",
    "decomposition",
    "discriminant_analysis",
    "dummy",
    "ensemble._forest",
    "ensemble._hist_gradient_boosting",
    "ensemble._voting",
    "feature_extraction",
    "feature_selection",
    "frozen",
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
# The public modules that offer the classes of these stages; no other is imported for a file.
_MODULES = frozenset(
    ["sklearn.feature_extraction.image", "sklearn.feature_extraction.text"]
    + [prefix.partition("._")[0] for prefix in _PREFIXES]
)
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
# Parts of boosted trees that are not public.
_BOOSTING = frozenset(
    f"sklearn.ensemble._hist_gradient_boosting.{name}"
    for name in ("binning._BinMapper", "predictor.TreePredictor")
)
# skops builds an object by the loader that the file names. Each loader gets the types that it
# writes, so that a file cannot have one type built as if it were another.
_TYPES = {
    "DictNode": {"builtins.dict", "collections.OrderedDict"},
    "DTypeNode": {"numpy.dtype"},
    "JsonNode": {"builtins.str"},
    "ListNode": {"builtins.list"},
    "NdArrayNode": {"numpy.ndarray"} | _NUMPY_SCALARS,
    "ObjectNode": set(_BOOSTING),
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
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
    "ObjectNode": ("sklearn._loss.",),
}
# Stages of labelwise, and which of their public names may be in a file.
_OWN_STAGES: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(("decisions", "features", "learners", "splitting"), isclass),
    "measures": isfunction,
}
_OWN_PARTS = (
    "labelwise.decisions.BandGuarantee",
    "labelwise.decisions.ConstraintCheck",
    "labelwise.decisions.Evidence",
    "labelwise.decisions.Guarantee",
    "labelwise.decisions.Sigmoid",
    "labelwise.learners.Forests",
    "labelwise.learners.Leaderboard",
)


def check_trusted(more: Sequence[type]) -> None:
    """Refuse an argument `trusted` that is not a sequence of types."""
    for given in more:
        if not isclass(given):
            raise TypeError(f"trusted must contain types, got {given!r}.")


def trusted_names(archive: Archive, more: Sequence[type] = ()) -> list[str]:
    """Return the types and functions in an archive that skops does not know by itself."""
    found = {one.type for one in archive.objects}
    return sorted(found & _names(archive, more) | _estimators(archive))


def foreign_types(archive: Archive, more: Sequence[type] = ()) -> set[str]:
    """Return the types in an archive that are unknown to the loaders that would build them."""
    names = _names(archive, more)
    known = {(loader, name) for loader, types in _TYPES.items() for name in types}
    known |= {(_loader(one), _full_name(one)) for one in (*_own(archive), *more)}
    known |= {("TypeNode", _full_name(one)) for one in more}
    known |= {("ObjectNode", name) for name in _estimators(archive)}
    found = set()
    for one in archive.objects:
        is_listed = one.type.startswith(_STARTS.get(one.loader, ())) and one.type not in names
        if (one.loader, one.type) not in known and not is_listed:
            found.add(f"{one.type:.100} (as {one.loader})" if one.type in names else one.type[:100])
    return found


def unknown_types(archive: Archive, more: Sequence[type] = ()) -> list[str]:
    """Return the names of all types in an archive that are not trusted."""
    found = set(skops_io().get_untrusted_types(file=archive.stream))
    return sorted(found - set(trusted_names(archive, more)) | foreign_types(archive, more))


def is_estimator(name: str) -> bool:
    """Return whether a full name is that of a public estimator of scikit-learn's known stages.

    The answer is that of ``sklearn.utils.all_estimators``, which imports all of scikit-learn; here
    only the public module that offers the class is imported.
    """
    module, _, short_name = name.rpartition(".")
    public = module.partition("._")[0]
    if not name.startswith(_PREFIXES) or public not in _MODULES or short_name.startswith("_"):
        return False
    from sklearn.base import BaseEstimator

    one = vars(import_module(public)).get(short_name)
    return (
        isclass(one)
        and issubclass(one, BaseEstimator)
        and one is not BaseEstimator
        and not isabstract(one)
        and _full_name(one) == name
    )


def own_type(name: str) -> Any:
    """Return the public class or function of labelwise that a file may name, or None."""
    stage, _, short_name = name.rpartition(".")
    is_wanted = _OWN_STAGES.get(stage.removeprefix("labelwise."))
    if is_wanted is None or not stage.startswith("labelwise.") or find_spec(stage) is None:
        return None
    package = import_module(stage)
    if name not in _OWN_PARTS and short_name not in package.__all__:
        return None
    one = getattr(package, short_name)
    return one if is_wanted(one) and _full_name(one) == name else None


def _names(archive: Archive, more: Sequence[type]) -> set[str]:
    # The arrays of sparse matrices and trees are checked by `open_archive` and `check_sound`.
    return {*_SPARSE, *_BOOSTING, _TREE, *(_full_name(one) for one in (*_own(archive), *more))}


def _own(archive: Archive) -> list[Any]:
    """Return the estimators of labelwise in an archive, their parts, splitters and measures."""
    found = (own_type(name) for name in sorted({one.type for one in archive.objects}))
    return [one for one in found if one is not None]


def _estimators(archive: Archive) -> set[str]:
    """Return the names of scikit-learn's estimators in an archive."""
    objects = {one.type for one in archive.objects if one.loader == "ObjectNode"}
    return {name for name in objects if is_estimator(name)}


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
