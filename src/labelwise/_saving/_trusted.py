"""The types that a model file may hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from inspect import isclass, isfunction
from types import ModuleType
from typing import Any

from labelwise._saving._archive import Archive
from labelwise.data._files import DataError

# Of scikit-learn: what classifies, and what stands before it. The rest has no part in a decision,
# or walks along arrays in ways that are not checked here (boosting, isolation forests, clusters).
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


def trusted_names(more: Sequence[type] = ()) -> list[str]:
    """Return the full names of labelwise's own types and functions, and of `more`."""
    from scipy.sparse import csc_array, csc_matrix, csr_array, csr_matrix
    from sklearn.tree._tree import Tree

    # What these hold is checked, by `open_archive` and `check_sound`.
    checked = (csc_array, csc_matrix, csr_array, csr_matrix, Tree)
    for given in more:
        if not isclass(given):
            raise TypeError(f"trusted must hold types, got {given!r}.")
    return [f"{one.__module__}.{one.__name__}" for one in (*_own(), *checked, *more)]


def foreign_types(archive: Archive, more: Sequence[type] = ()) -> set[str]:
    """Return the names of scikit-learn's types in an archive that are not on the list."""
    foreign = (name for name in archive.types if name.startswith("sklearn."))
    return {name for name in foreign if not name.startswith(_PREFIXES)} - set(trusted_names(more))


def unknown_types(archive: Archive, more: Sequence[type] = ()) -> list[str]:
    """Return the names of all types in an archive that are not trusted."""
    from skops.io import get_untrusted_types

    try:
        found = get_untrusted_types(file=archive.stream)
    # Whatever is wrong with a file, it is the file.
    except Exception as error:
        raise DataError(archive.path, f"is no whole model ({type(error).__name__}).") from error
    return sorted((set(found) - set(trusted_names(more))) | foreign_types(archive, more))


def _own() -> Iterator[Any]:
    """Give the public estimators and their parts, the splitters, and the measures."""
    from labelwise import measures
    from labelwise.decisions._calibration import Sigmoid
    from labelwise.learners._pair_forests import Forests

    for stage in ("decisions", "features", "learners", "splitting"):
        if find_spec(f"labelwise.{stage}") is not None:
            yield from _public(import_module(f"labelwise.{stage}"), isclass)
    yield from _public(measures, isfunction)
    yield from (Sigmoid, Forests)


def _public(stage: ModuleType, is_wanted: Any) -> Iterator[Any]:
    named = (getattr(stage, name) for name in stage.__all__)
    yield from (one for one in named if is_wanted(one))
