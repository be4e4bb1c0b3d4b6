"""Find the files of a data set by its name, its folder or its path, without reading them."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from labelwise._io import DataError
from labelwise.data._formats import ending_of, format_of
from labelwise.data.arff._layout import xml_beside
from labelwise.data.generated._bundled import BUNDLED

# What skops, and so `labelwise.save`, calls the description of a model in its archive.
_MODEL_SCHEMA = "schema.json"


def find_files(wanted: str, homes: Sequence[Path]) -> tuple[list[Path], str]:
    """Return the files of a path or name, an empty list if none is found, and the data's name.

    The one path of a format that fills a folder is the folder.
    """
    path = Path(wanted)
    if path.is_dir():
        return _files_in(path), path.resolve().name
    if path.is_file():
        return [path], _stem(path)
    if path.name != wanted or ending_of(path):
        raise DataError(path, "does not exist.")
    return next(filter(None, (_files_of(home, wanted) for home in homes)), []), wanted


def user_cache() -> Path:
    """Return the folder into which benchmark sets are downloaded."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "labelwise"


def data_homes(data_home: str | Path | None) -> Iterator[Path]:
    """Yield the folders in which names are looked up, in the order of the search."""
    if data_home is not None:
        yield Path(data_home)
    if os.environ.get("LABELWISE_DATA"):
        yield Path(os.environ["LABELWISE_DATA"])
    yield user_cache()


def input_files(
    name_or_path: str | Path, data_home: str | Path | None = None, labels: object = None
) -> list[Path]:
    """List the files that `load` would read, so that a command does not overwrite them.

    Parameters
    ----------
    name_or_path : str or Path
        As for `load`.
    data_home : str or Path, default=None
        As for `load`.
    labels : object, default=None
        As for `load`; a file of label names is listed too.

    Returns
    -------
    list of Path
        Files of data and XML files of label names; empty for a bundled set, or if nothing is
        found.
    """
    if name_or_path in BUNDLED:
        return []
    files = _data_files(Path(name_or_path), data_home)
    if not any(".arff" in path.name.lower() for path in files):
        return files
    beside = [xml for path in files if (xml := xml_beside(path)) is not None]
    return [*files, *beside, *([Path(labels)] if isinstance(labels, str | Path) else [])]


def is_model_file(path: Path) -> bool:
    """Return whether a file is a fitted model that `labelwise.save` wrote."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return _MODEL_SCHEMA in archive.namelist()


def _data_files(path: Path, data_home: str | Path | None) -> list[Path]:
    try:
        if path.is_dir():
            found = _files_in(path)
        elif path.is_file() or path.name != str(path):
            found = [path]
        else:
            homes = data_homes(data_home)
            found = next(filter(None, (_files_of(home, path.name) for home in homes)), [])
    except (DataError, OSError):
        return []
    return [file for one in found for file in (one.iterdir() if one.is_dir() else [one])]


def _stem(path: Path) -> str:
    """Return the file's name without .gz and without the ending of its format."""
    name = path.name.removesuffix(".gz")
    return name.removesuffix(ending_of(path))


def _files_of(home: Path, name: str) -> list[Path]:
    """Return the files of a named set in a folder of sets: its own folder, or by their names."""
    if (home / name).is_dir():
        return _files_in(home / name)
    wanted = (name, f"{name}-train", f"{name}-test")
    beside = [
        path for path in (*home.glob(f"{name}*"), *home.glob(f"*/{name}*")) if ending_of(path)
    ]
    return _train_first([path for path in beside if _stem(path) in wanted])


def _files_in(folder: Path) -> list[Path]:
    """Return the one data set of a folder: a training and a test file, or the main file."""
    files = sorted(path for path in folder.iterdir() if ending_of(path))
    formats = {known for path in files if (known := format_of(path)) is not None}
    if files and all(known.is_folder for known in formats):
        return [folder]
    return _train_first(files) or _main_file(files, folder)


def _train_first(files: list[Path]) -> list[Path]:
    """Return the training and the test file if there is one of each, else the only file if any."""
    parts = [[path for path in files if part in path.name.lower()] for part in ("train", "test")]
    if all(len(part) == 1 for part in parts):
        return [parts[0][0], parts[1][0]]
    return files if len(files) == 1 else []


def _main_file(files: list[Path], folder: Path) -> list[Path]:
    """Return the file whose name begins the names of all others."""
    for path in files:
        if all(_stem(other).startswith(_stem(path)) for other in files):
            return [path]
    found = ", ".join(path.name for path in files) or "none"
    raise DataError(folder, f"must contain one data set, or a train and a test file, got {found}.")
