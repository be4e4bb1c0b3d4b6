"""Study files: a study as TOML, checked field by field before anything is imported or read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labelwise._io import plain_name
from labelwise._validation import check_names
from labelwise.data import BUNDLED, Dataset, load
from labelwise.experiments._study import Study
from labelwise.experiments.study_files._named_classes import make_object
from labelwise.experiments.study_files._toml_file import read_toml

_Name = Annotated[str, Field(min_length=1)]


class StudyFileError(ValueError):
    """A study file that cannot be used; the message names the file and the field."""

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class StudyFile(NamedTuple):
    """What a study file says: the study, and where its cells are kept."""

    study: Study
    store: Path


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Data(_Strict):
    """A data set: what `load` takes."""

    load: _Name
    labels: str | int | list[str] | None = None


class _Object(_Strict):
    """A class by its dotted name, and the arguments it is made with."""

    name: _Name = Field(alias="class")
    params: dict[str, Any] = {}


class _Fields(_Strict):
    name: _Name = "study"
    datasets: Annotated[list[_Name], Field(min_length=1)] | dict[_Name, _Name | _Data]
    models: Annotated[dict[_Name, _Object], Field(min_length=1)]
    splits: Annotated[dict[_Name, _Name | _Object], Field(min_length=1)]
    measures: Annotated[list[_Name], Field(min_length=1)]
    seeds: Annotated[list[int], Field(min_length=1)] = [0]
    undefined: str | float = "nan"
    timeout: float | None = None
    data_home: str | None = None
    store: _Name | None = None


def read_study(path: str | Path) -> StudyFile:
    """Return the study that a TOML file describes, and the store it names.

    Parameters
    ----------
    path : str or Path
        A TOML file with the arguments of `Study`: ``datasets`` (names, or a table of names to
        names and files), tables ``[models.NAME]`` and ``[splits.NAME]`` with a ``class`` and its
        ``params``, ``measures``, and if wanted ``seeds``, ``name``, ``undefined``, ``timeout``,
        ``data_home`` and ``store``. A split may be "train-test". A table with ``class`` among the
        params stands for an object, too.

    Returns
    -------
    StudyFile
        Study and store; by default the store stands beside the file. Paths are relative to the
        file's folder.

    Raises
    ------
    StudyFileError
        With the field's path, for instance ``models.knn.params``.

    Notes
    -----
    Only public estimators and splitters of scikit-learn and labelwise can be named, and `memory`,
    a folder from which scikit-learn would unpickle, cannot be given at any depth: a file runs no
    other code.
    """
    path = Path(path)
    fields = _fields(path)
    models = {
        name: _at(path, f"models.{name}", partial(make_object, one.name, one.params))
        for name, one in fields.models.items()
    }
    splits = {
        name: one
        if isinstance(one, str)
        else _at(path, f"splits.{name}", partial(make_object, one.name, one.params))
        for name, one in fields.splits.items()
    }
    home = None if fields.data_home is None else str(path.parent / fields.data_home)
    study = partial(
        Study,
        _at(path, None, partial(_sources, fields.datasets, path.parent, home)),
        models,
        splits,
        fields.measures,
        seeds=fields.seeds,
        name=fields.name,
        undefined=fields.undefined,
        timeout=fields.timeout,
    )
    store = path.with_suffix(".sqlite") if fields.store is None else path.parent / fields.store
    return StudyFile(_at(path, None, study), store)


@dataclass(frozen=True)
class _Load:
    """Loads a data set where a cell needs it."""

    what: str
    home: str | None
    labels: Any

    def __call__(self) -> Dataset:
        return load(self.what, data_home=self.home, labels=self.labels)


def _sources(
    datasets: list[str] | dict[str, str | _Data], folder: Path, home: str | None
) -> Mapping[str, Any]:
    if isinstance(datasets, list):
        names = check_names(map(plain_name, datasets), "datasets")
        return {name: _source(one, folder, home) for name, one in zip(names, datasets, strict=True)}
    return {name: _source(one, folder, home) for name, one in datasets.items()}


def _source(one: str | _Data, folder: Path, home: str | None) -> _Load:
    what, labels = (one, None) if isinstance(one, str) else (one.load, one.labels)
    beside = what not in BUNDLED and (folder / what).exists()
    return _Load(str(folder / what) if beside else what, home, labels)


def _fields(path: Path) -> _Fields:
    content = _at(path, None, partial(read_toml, path))
    try:
        return _Fields.model_validate(content)
    except ValidationError as error:
        problems = [f"{_place(one['loc'])}: {one['msg']}" for one in error.errors()]
        raise StudyFileError(path, "; ".join(dict.fromkeys(problems)) + ".") from error


def _place(location: tuple[int | str, ...]) -> str:
    """Return the path of a field as it stands in the file."""
    # Among several allowed forms pydantic names the form it tried, too.
    forms = ("constrained-str", "str", "float", "_Data", "_Object")
    kept = [
        str(part)
        for part in location
        if part not in forms and not str(part).startswith(("list[", "dict[", "constrained"))
    ]
    return ".".join(kept) or "the file"


def _at(path: Path, place: str | None, make: Callable[[], Any]) -> Any:
    """Return what is made; what is refused is said with the place in the file."""
    try:
        return make()
    except RecursionError as error:
        raise StudyFileError(path, f"{place}: is nested too deeply.") from error
    except (ValueError, TypeError) as error:
        where = "" if place is None else f"{place}: "
        raise StudyFileError(path, f"{where}{error}") from error
