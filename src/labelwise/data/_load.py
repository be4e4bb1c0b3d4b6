"""Find data by name or path and read it, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from labelwise._io import DataError, reading
from labelwise.data._dataset import Dataset
from labelwise.data._openml import OPENML_IDS, fetch
from labelwise.data.arff._arff import arff_files
from labelwise.data.generated._corpus import make_corpus
from labelwise.data.generated._digits import make_digit_bags
from labelwise.data.generated._multilabel import make_multilabel
from labelwise.data.svmlight._svmlight import svmlight_files
from labelwise.data.table._table import table_files

BUNDLED: dict[str, Callable[[], Dataset]] = {
    "digits": lambda: make_digit_bags(pictures=True, random_state=0),
    "digit-bags": lambda: make_digit_bags(random_state=0),
    "mixture": lambda: make_multilabel(random_state=0)[0],
    "topics": lambda: make_corpus(random_state=0),
}
# The vocabulary of RCV1-v2; a subset need not use its last terms.
_N_FEATURES = {f"rcv1subset{number}": 47236 for number in range(1, 6)}
_ARFF, _SVMLIGHT, _TABLE = (
    (".arff",),
    (".svm", ".svmlight", ".libsvm"),
    (".csv", ".tsv", ".parquet"),
)
_Labels = str | Path | int | Sequence[str] | None


def load(
    name_or_path: str | Path,
    *,
    data_home: str | Path | None = None,
    labels: _Labels = None,
    bags: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    """Return a data set by its name or from a file or folder.

    Parameters
    ----------
    name_or_path : str or Path
        A bundled set ("digits", "digit-bags", "mixture", "topics"), a file (.arff, .svm, .csv,
        .parquet, also .gz), a folder that holds one data set, or the name of a benchmark set.
        Names are looked for in `data_home`, in the folder ``$LABELWISE_DATA`` and in the user's
        cache; what is nowhere but on OpenML is fetched from there once.
    data_home : str or Path, optional
        Folder of data sets: one folder each, or files side by side.
    labels : optional
        Which columns are labels, as for `read_arff` and `read_table`.
    bags : str, optional
        Of a table, the column that tells the bag of a row, as for `read_table`.
    max_bytes : int, optional
        A file is refused if it, unpacked, or an array built from it would take more bytes. By
        default 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        A training and a test file side by side come as one data set with fixed `train` and
        `test` rows.

    Raises
    ------
    DataError
        If nothing is found, with what was looked for where; or if a file cannot be read.

    Examples
    --------
    >>> from labelwise.data import load
    >>> load("digits")
    Dataset 'digits': 500 samples, 320 features, 10 labels
    """
    if name_or_path in BUNDLED:
        return replace(BUNDLED[str(name_or_path)](), name=str(name_or_path))
    homes = list(_homes(data_home))
    with reading(name_or_path, max_bytes):
        files, name = _find(str(name_or_path), homes)
    if files:
        return _read_files(files, name, labels, bags, max_bytes)
    if name in OPENML_IDS:
        return load(fetch(name, _user_cache()), max_bytes=max_bytes)
    places = ", ".join(str(home) for home in homes)
    raise DataError(
        name,
        f"is no file, no bundled set ({', '.join(BUNDLED)}), on OpenML under no known number, and "
        f"not in {places}; put its folder into one of these or set LABELWISE_DATA.",
    )


def _find(wanted: str, homes: Sequence[Path]) -> tuple[list[Path], str]:
    """Return the files of a path or a name, none if it is nowhere, and the name of the data."""
    path = Path(wanted)
    if path.is_dir():
        return _files_in(path), path.resolve().name
    if path.is_file():
        return [path], _stem(path)
    if path.name != wanted or _format(path):
        raise DataError(path, "does not exist.")
    return next(filter(None, (_files_of(home, wanted) for home in homes)), []), wanted


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "labelwise"


def _homes(data_home: str | Path | None) -> Iterator[Path]:
    if data_home is not None:
        yield Path(data_home)
    if os.environ.get("LABELWISE_DATA"):
        yield Path(os.environ["LABELWISE_DATA"])
    yield _user_cache()


def _stem(path: Path) -> str:
    """Return the file's name without .gz and its format's ending."""
    name = path.name.removesuffix(".gz")
    return name.removesuffix(_format(path))


def _format(path: Path) -> str:
    """Return the ending that tells the format, "" if none does."""
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    return ending if ending in (*_ARFF, *_SVMLIGHT, *_TABLE, ".sgm") else ""


def _files_of(home: Path, name: str) -> list[Path]:
    """Return the files of a named set in a folder of sets: its own folder, or by their names."""
    if (home / name).is_dir():
        return _files_in(home / name)
    wanted = (name, f"{name}-train", f"{name}-test")
    beside = [path for path in (*home.glob(f"{name}*"), *home.glob(f"*/{name}*")) if _format(path)]
    return _train_first([path for path in beside if _stem(path) in wanted])


def _files_in(folder: Path) -> list[Path]:
    """Return the one data set of a folder: a training and a test file, or the main file."""
    files = sorted(path for path in folder.iterdir() if _format(path))
    if files and all(_format(path) == ".sgm" for path in files):
        return [folder]
    return _train_first(files) or _main_file(files, folder)


def _train_first(files: list[Path]) -> list[Path]:
    """Return the training and the test file if there is one of each, else the only file if any."""
    parts = [[path for path in files if part in path.name.lower()] for part in ("train", "test")]
    if all(len(part) == 1 for part in parts):
        return [parts[0][0], parts[1][0]]
    return files if len(files) == 1 else []


def _main_file(files: list[Path], folder: Path) -> list[Path]:
    """Return the file whose name begins those of all others."""
    for path in files:
        if all(_stem(other).startswith(_stem(path)) for other in files):
            return [path]
    found = ", ".join(path.name for path in files) or "none"
    raise DataError(folder, f"must hold one data set, or a train and a test file; found {found}.")


def _read_files(
    files: list[Path], name: str, labels: _Labels, bags: str | None, max_bytes: int | None
) -> Dataset:
    ending = _format(files[0])
    if bags is not None and ending not in _TABLE:
        raise ValueError(f"bags is for csv and parquet tables, got {bags!r} for {files[0].name}.")
    if files[0].is_dir():
        from labelwise.data.reuters._reuters import read_reuters

        return read_reuters(files[0], max_bytes=max_bytes)
    if ending in _ARFF:
        return arff_files(files, labels, name=name, max_bytes=max_bytes)
    if ending in _SVMLIGHT:
        n_features = _N_FEATURES.get(name)
        return svmlight_files(files, name=name, n_features=n_features, max_bytes=max_bytes)
    if ending in _TABLE:
        if labels is None or isinstance(labels, int | Path):
            raise DataError(files[0], "does not say which columns are labels: give labels=.")
        return table_files(files, labels=labels, bags=bags, name=name, max_bytes=max_bytes)
    raise DataError(files[0], "has none of the endings .arff, .svm, .csv, .tsv, .parquet (.gz).")
