"""Study files: the arguments of a study as TOML of unknown origin, read without running its code.

The size and the nesting of the text are limited before it is parsed, every field is checked before
it is used, and objects are created only from public classes of scikit-learn and labelwise.
"""

from __future__ import annotations

import importlib
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labelwise._io import DataError, plain_name
from labelwise._matrices import is_matrix_file
from labelwise._validation import check_names
from labelwise.data import input_files, load

_Name = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _DatasetField(_Strict):
    """A data set: arguments of `labelwise.data.load`."""

    load: _Name
    labels: str | int | list[str] | None = None
    ids: _Name | list[_Name] | None = None
    text: _Name | list[_Name] | None = None
    bags: _Name | None = None


class _ObjectField(_Strict):
    """The dotted name of a class, and the parameters to create an object with."""

    name: _Name = Field(alias="class")
    params: dict[str, Any] = {}


class _Fields(_Strict):
    name: _Name = "study"
    datasets: Annotated[list[_Name], Field(min_length=1)] | dict[_Name, _Name | _DatasetField]
    models: Annotated[dict[_Name, _ObjectField], Field(min_length=1)]
    splits: Annotated[dict[_Name, _Name | _ObjectField], Field(min_length=1)]
    measures: Annotated[list[_Name], Field(min_length=1)]
    seeds: Annotated[list[int], Field(min_length=1)] = [0]
    undefined: str | float = "defined"
    timeout: float | None = None
    lower_is_better: list[_Name] | None = None
    groups: _Name | None = None
    weights: _Name | None = None
    data_home: str | None = None
    max_bytes: Annotated[int, Field(ge=1)] | None = None
    store: _Name | None = None


# Fields that are arguments of `Study` as they are.
_ARGUMENTS = (
    *("measures", "seeds", "name", "undefined", "timeout", "lower_is_better"),
    *("groups", "weights"),
)


def read_study_file(path: str | Path, max_bytes: int | None = None) -> tuple[dict[str, Any], Path]:
    """Read the arguments of a study, and the path of its store, from a TOML file.

    Parameters
    ----------
    path : str or Path
        A TOML file with the arguments of `Study`: ``datasets`` (a list of names and files, or a
        table from names to names and files), tables ``[models.NAME]`` and ``[splits.NAME]`` with a
        ``class`` and its ``params``, ``measures``, and optionally ``seeds``, ``name``,
        ``undefined``, ``timeout``, ``groups``, ``weights``, ``lower_is_better``, ``data_home``,
        ``max_bytes`` and ``store``.
        A split may be "train-test". A table with ``class`` inside ``params`` is an object as well.
    max_bytes : int, default=None
        Argument of `labelwise.data.load` for all data sets; None uses ``max_bytes`` of the file.

    Returns
    -------
    arguments : dict
        Arguments of `Study`.
    store : Path
        File of the results, by default the study file with the suffix .sqlite. Paths are relative
        to the folder of the study file.

    Raises
    ------
    DataError
        If a field is wrong; the message has the path of the field, such as ``models.knn.params``.

    Notes
    -----
    Only public estimators and splitters of scikit-learn and labelwise can be named, and `memory`,
    a folder from which scikit-learn would unpickle, is refused at any depth. A study file
    therefore runs no other code.
    """
    path = Path(path)
    fields = _fields(path)
    home = None if fields.data_home is None else str(path.parent / fields.data_home)
    most = fields.max_bytes if max_bytes is None else max_bytes
    with errors_with_place(path):
        sources = _sources(fields.datasets, path.parent)

    beside = [name for name in (fields.groups, fields.weights) if name is not None]

    def source(one: str, options: dict[str, Any]) -> Any:
        if beside and is_matrix_file(one):
            # Columns of groups and weights of a table are not features.
            ids = options["ids"] or []
            options = options | {"ids": [*([ids] if isinstance(ids, str) else ids), *beside]}
        return partial(load, one, data_home=home, max_bytes=most, **options)

    arguments = {name: getattr(fields, name) for name in _ARGUMENTS} | {
        "datasets": {name: source(*one) for name, one in sources.items()},
        "models": _objects(path, "models", fields.models),
        "splits": _objects(path, "splits", fields.splits),
    }
    store = path.with_suffix(".sqlite") if fields.store is None else path.parent / fields.store
    return arguments, store


@contextmanager
def errors_with_place(path: str | Path, place: str = "") -> Iterator[None]:
    """Turn errors of wrong values into a DataError that names the file and the field."""
    where = f"{place}: " if place else ""
    try:
        yield
    except RecursionError as error:
        raise DataError(path, f"{where}is nested too deeply.") from error
    except (ValueError, TypeError) as error:
        raise DataError(path, f"{where}{error}") from error


def _objects(path: Path, kind: str, fields: Mapping[str, str | _ObjectField]) -> dict[str, Any]:
    """Return an object for each field; a text stands for itself."""
    objects: dict[str, Any] = {}
    for name, field in fields.items():
        with errors_with_place(path, f"{kind}.{name}"):
            objects[name] = (
                field if isinstance(field, str) else make_object(field.name, field.params)
            )
    return objects


def _sources(
    datasets: list[str] | dict[str, str | _DatasetField], folder: Path
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return name or file, and options, of each data set; files are relative to the folder."""
    if isinstance(datasets, list):
        names = check_names(map(plain_name, datasets), "datasets")
        datasets = dict(zip(names, datasets, strict=True))
    found = {}
    for name, one in datasets.items():
        field = _DatasetField(load=one) if isinstance(one, str) else one
        what = field.load
        # A bundled set has no files.
        is_file = bool(input_files(what)) and (folder / what).exists()
        found[name] = str(folder / what) if is_file else what, field.model_dump(exclude={"load"})
    return found


def _fields(path: Path) -> _Fields:
    with errors_with_place(path):
        content = read_toml(path)
    try:
        return _Fields.model_validate(content)
    except ValidationError as error:
        problems = [f"{_field_path(one['loc'])}: {one['msg']}" for one in error.errors()]
        raise DataError(path, "; ".join(dict.fromkeys(problems)) + ".") from error


def _field_path(location: tuple[int | str, ...]) -> str:
    """Return the path of a field as it is written in the file."""
    # For a field that allows several types, pydantic adds the type that it tried.
    types = ("constrained-str", "str", "float", "_DatasetField", "_ObjectField")
    kept = [
        str(part)
        for part in location
        if part not in types and not str(part).startswith(("list[", "dict[", "constrained"))
    ]
    return ".".join(kept) or "the file"


# Modules whose estimators and splitters get their data from fit and split only. No other module is
# imported, so sklearn.datasets, sklearn.externals, sklearn.utils and labelwise.cli are not.
_MODULES = {
    "sklearn": (
        *("calibration", "cluster", "compose", "covariance", "cross_decomposition"),
        *("decomposition", "discriminant_analysis", "dummy", "ensemble", "feature_extraction"),
        *("feature_selection", "frozen", "gaussian_process", "impute", "isotonic"),
        *("kernel_approximation", "kernel_ridge", "linear_model", "manifold", "mixture"),
        *("model_selection", "multiclass", "multioutput", "naive_bayes", "neighbors"),
        *("neural_network", "pipeline", "preprocessing", "random_projection"),
        *("semi_supervised", "svm", "tree"),
    ),
    "labelwise": ("decisions", "features", "learners", "splitting"),
}
# Parameter that names a folder: scikit-learn would unpickle its files, and so run their code.
_REFUSED = "memory"
# Values of `input` that make scikit-learn read files; a study may read its data sets only.
_REFUSED_INPUTS = ("filename", "file")


def make_object(name: str, params: Mapping[str, Any]) -> Any:
    """Create an object of the named class; tables with "class" in `params` become objects, too."""
    found = _class(name)
    arguments = _mapping(params, "params")
    try:
        return found(**arguments)
    except TypeError as error:
        raise TypeError(f"params are wrong for {name} ({error}).") from error


def _class(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    package, *inner = module.split(".")
    if package not in _MODULES:
        allowed = " or ".join(_MODULES)
        raise ValueError(f"class must be of {allowed}, got {name!r}.")
    is_private = any(part.startswith("_") or part == "tests" for part in (*inner, attribute))
    if is_private or not inner or inner[0] not in _MODULES[package]:
        raise ValueError(f"class must be a public estimator or splitter, got {name!r}.")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"class {name!r} does not exist ({error}).") from error
    if not _is_estimator_or_splitter(found):
        raise ValueError(f"class must be an estimator or a splitter, got {name!r}.")
    return found


def _is_estimator_or_splitter(found: Any) -> bool:
    """Check the class itself, since a module also has classes that it imported."""
    from sklearn.base import BaseEstimator

    if not isinstance(found, type) or found.__module__.split(".")[0] not in _MODULES:
        return False
    splits = hasattr(found, "split") and hasattr(found, "get_n_splits")
    return splits or (issubclass(found, BaseEstimator) and hasattr(found, "fit"))


def _value(value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        is_object = "class" in value or "params" in value
        return _object(value, place) if is_object else _mapping(value, place)
    if isinstance(value, list):
        return [_value(one, f"{place}[{i}]") for i, one in enumerate(value)]
    return value


def _mapping(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return a table with its objects created; `model__memory` names a nested parameter."""
    for key, one in value.items():
        parameter = key.rpartition("__")[2]
        options = one if isinstance(one, list) else [one]
        names_files = parameter == "input" and any(text in _REFUSED_INPUTS for text in options)
        if parameter == _REFUSED or names_files:
            given = f" as {one!r}" if names_files else ""
            raise ValueError(f"{place}.{key} cannot be given{given} in a file.")
    return {key: _value(one, f"{place}.{key}") for key, one in value.items()}


def _object(value: Mapping[str, Any], place: str) -> Any:
    unknown = sorted(set(value) - {"class", "params"})
    if unknown:
        raise ValueError(f"{place}.{unknown[0]} is not a field of an object (class, params).")
    params = value.get("params", {})
    if not isinstance(value.get("class"), str) or not isinstance(params, Mapping):
        raise ValueError(f"{place} must have a class, a text, and params, a table.")
    try:
        return make_object(value["class"], params)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{place}.{error}") from error


MAX_BYTES = 2**20
MAX_DEPTH = 16
# tomllib needs time and memory quadratic in the number of parts of a dotted key, and a level of
# Python's stack for each nested bracket.
_PART = r"[^\s.,=\[\]{}]"
_KEY = re.compile(rf"(?<!{_PART}){_PART}++(?:[ \t]*+\.[ \t]*+{_PART}++){{{MAX_DEPTH}}}")
# Matches from left to right, as the parser reads, so that quotes in comments and number signs in
# quotes are text. A text without an end matches as far as possible: the search then takes linear
# time, and the parser refuses the file.
_TEXTS = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raise ValueError with a sentence if it is wrong."""
    try:
        # Checked before the file is opened, since opening a pipe waits for a writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("must be a regular file.")
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ValueError("does not exist.") from error
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror}).") from error
    if len(content) > MAX_BYTES:
        raise ValueError(f"must have at most {MAX_BYTES:,} bytes.")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not a TOML file ({error}).") from error
    check_depth(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not a TOML file ({error}).") from error


def check_depth(text: str) -> None:
    """Refuse TOML with too many nested brackets, or with too many parts in a key."""
    bare = _TEXTS.sub(_replaced, text)
    depth = 0
    for line, found in enumerate(bare.split("\n"), start=1):
        for mark in re.findall(r"[\[\]{}]", found):
            depth += 1 if mark in "[{" else -1
            if depth > MAX_DEPTH:
                raise ValueError(f"line {line} has more than {MAX_DEPTH} nested brackets.")
        if _KEY.search(found):
            raise ValueError(f"line {line} has a key of more than {MAX_DEPTH} parts.")


def _replaced(found: re.Match[str]) -> str:
    """Replace a quoted text by a word, and a comment by nothing; keep line breaks."""
    text = found[0]
    return "" if text.startswith("#") else "q" + "\n" * text.count("\n")
