"""Study files: the arguments of a study as TOML, each field checked before it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labelwise._io import DataError, plain_name
from labelwise._validation import check_names
from labelwise.data import BUNDLED, Dataset, load
from labelwise.experiments.study_files._named_classes import make_object
from labelwise.experiments.study_files._toml_file import read_toml

_Name = Annotated[str, Field(min_length=1)]


class StudyFileError(DataError):
    """Error of a study file that cannot be used; the message names the file and the field."""


class StudyFile(NamedTuple):
    """Content of a study file: the arguments of `Study`, and the path of the store."""

    arguments: dict[str, Any]
    store: Path


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _DatasetField(_Strict):
    """A data set: arguments of `labelwise.data.load`."""

    load: _Name
    labels: str | int | list[str] | None = None


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
    undefined: str | float = "nan"
    timeout: float | None = None
    lower_is_better: list[_Name] | None = None
    data_home: str | None = None
    max_bytes: Annotated[int, Field(ge=1)] | None = None
    store: _Name | None = None


def read_study_file(path: str | Path, max_bytes: int | None = None) -> StudyFile:
    """Read the arguments of a study, and the path of its store, from a TOML file.

    Parameters
    ----------
    path : str or Path
        A TOML file with the arguments of `Study`: ``datasets`` (a list of names and files, or a
        table from names to names and files), tables ``[models.NAME]`` and ``[splits.NAME]`` with a
        ``class`` and its ``params``, ``measures``, and optionally ``seeds``, ``name``,
        ``undefined``, ``timeout``, ``lower_is_better``, ``data_home``, ``max_bytes`` and ``store``.
        A split may be
        "train-test". A table with ``class`` inside ``params`` is an object as well.
    max_bytes : int, default=None
        Argument of `labelwise.data.load` for all data sets; None uses ``max_bytes`` of the file.

    Returns
    -------
    StudyFile
        Arguments and store. The default store is the file with the suffix .sqlite. Paths are
        relative to the folder of the file.

    Raises
    ------
    StudyFileError
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
    files = _DataFiles(path.parent, home, fields.max_bytes if max_bytes is None else max_bytes)
    with errors_with_place(path):
        datasets = files.sources(fields.datasets)
    arguments = {
        "datasets": datasets,
        "models": _objects(path, "models", fields.models),
        "splits": _objects(path, "splits", fields.splits),
        "measures": fields.measures,
        "seeds": fields.seeds,
        "name": fields.name,
        "undefined": fields.undefined,
        "timeout": fields.timeout,
        "lower_is_better": fields.lower_is_better,
    }
    store = path.with_suffix(".sqlite") if fields.store is None else path.parent / fields.store
    return StudyFile(arguments, store)


@contextmanager
def errors_with_place(path: str | Path, place: str = "") -> Iterator[None]:
    """Turn errors of wrong values into a StudyFileError that names the file and the field."""
    where = f"{place}: " if place else ""
    try:
        yield
    except RecursionError as error:
        raise StudyFileError(path, f"{where}is nested too deeply.") from error
    except (ValueError, TypeError) as error:
        raise StudyFileError(path, f"{where}{error}") from error


def _objects(path: Path, kind: str, fields: Mapping[str, str | _ObjectField]) -> dict[str, Any]:
    """Return an object for each field; a text stands for itself."""
    objects: dict[str, Any] = {}
    for name, field in fields.items():
        with errors_with_place(path, f"{kind}.{name}"):
            objects[name] = (
                field if isinstance(field, str) else make_object(field.name, field.params)
            )
    return objects


@dataclass(frozen=True)
class _LoadedWhenCalled:
    """A data set of a study file, loaded in the process that runs a cell."""

    name_or_path: str
    home: str | None
    labels: Any
    max_bytes: int | None

    def __call__(self) -> Dataset:
        return load(
            self.name_or_path, data_home=self.home, labels=self.labels, max_bytes=self.max_bytes
        )


class _DataFiles(NamedTuple):
    """Where the data sets of a study file are, and the largest size of each."""

    folder: Path
    home: str | None
    max_bytes: int | None

    def sources(
        self, datasets: list[str] | dict[str, str | _DatasetField]
    ) -> dict[str, _LoadedWhenCalled]:
        """Return how to load each data set, by name."""
        if isinstance(datasets, list):
            names = check_names(map(plain_name, datasets), "datasets")
            return {name: self.source(one) for name, one in zip(names, datasets, strict=True)}
        return {name: self.source(one) for name, one in datasets.items()}

    def source(self, one: str | _DatasetField) -> _LoadedWhenCalled:
        """Return how to load one data set."""
        what, labels = (one, None) if isinstance(one, str) else (one.load, one.labels)
        is_file = what not in BUNDLED and (self.folder / what).exists()
        place = str(self.folder / what) if is_file else what
        return _LoadedWhenCalled(place, self.home, labels, self.max_bytes)


def _fields(path: Path) -> _Fields:
    with errors_with_place(path):
        content = read_toml(path)
    try:
        return _Fields.model_validate(content)
    except ValidationError as error:
        problems = [f"{_field_path(one['loc'])}: {one['msg']}" for one in error.errors()]
        raise StudyFileError(path, "; ".join(dict.fromkeys(problems)) + ".") from error


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
