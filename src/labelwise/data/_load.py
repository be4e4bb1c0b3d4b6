"""Load a data set by name or path: bundled, from files of any listed format, or from OpenML."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from glob import escape
from pathlib import Path

from labelwise._io import DataError, plain_ending, plain_name, reading, warn_of_assumption
from labelwise._text import listed
from labelwise.data._annif import ANNIF
from labelwise.data._arff import ARFF, xml_beside
from labelwise.data._corpora import make_abstracts, make_corpus
from labelwise.data._dataset import Dataset
from labelwise.data._digits import make_digit_bags
from labelwise.data._file_format import FileFormat, LabelChoice, ReadRequest, refuse_unused
from labelwise.data._multilabel import make_multilabel
from labelwise.data._reuters import REUTERS
from labelwise.data._svmlight import SVMLIGHT
from labelwise.data._table import TABLE

# A new reader is one more line here.
FORMATS: list[FileFormat] = [
    ARFF,
    REUTERS,
    SVMLIGHT,
    ANNIF,
    TABLE,
]
# Data sets that are generated, without a file.
BUNDLED: dict[str, Callable[[], Dataset]] = {
    "abstracts": partial(make_abstracts, random_state=0),
    "digits": partial(make_digit_bags, pictures=True, random_state=0),
    "digit-bags": partial(make_digit_bags, random_state=0),
    "mixture": lambda: make_multilabel(random_state=0)[0],
    "topics": partial(make_corpus, random_state=0),
}
# Benchmark sets that are downloaded.
OPENML_IDS = {
    "birds": 40588,
    "emotions": 40589,
    "enron": 40590,
    "genbase": 40591,
    "image": 40592,
    "reuters": 40594,
    "scene": 40595,
    "slashdot": 40596,
    "yeast": 40597,
}
# How the file of a validation part is called, beside those with "train" and "test".
_VALIDATION = re.compile(r"(^|[-_. ])(dev|val|valid|validate|validation)([-_. ]|$)", re.IGNORECASE)
# What skops, and so `labelwise.save`, calls the description of a model in its archive.
_MODEL_SCHEMA = "schema.json"


def load(
    name_or_path: str | Path,
    *,
    data_home: str | Path | None = None,
    labels: LabelChoice = None,
    ids: str | Sequence[str] | None = None,
    text: str | Sequence[str] | None = None,
    bags: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    """Load a data set by its name, or from a file or folder.

    Fitted models are read by `labelwise.load`.

    Parameters
    ----------
    name_or_path : str or Path
        A bundled set ("abstracts", "digits", "digit-bags", "mixture", "topics"), a file (.arff,
        .svm, .csv, .jsonl, .parquet and others, also .gz), a corpus of Annif (.tsv, or a folder of
        texts, as for `read_annif`), a folder with one data set, or the name of a benchmark set.
        A name is searched for in `data_home`, in the folder that the environment variable
        LABELWISE_DATA names, and in the user's cache. A benchmark set that is in none of them is
        downloaded from OpenML into the cache if OpenML has it.
    data_home : str or Path, default=None
        Folder of data sets: a folder for each, or files side by side.
    labels : str, Path, int or sequence of str, default=None
        Which attributes or columns are labels, as for `read_arff` and `read_table`; a table needs
        it. Of a corpus of Annif, the file of its vocabulary; of one in SKOS, an at sign and a
        language may follow, such as "ykl.ttl@fi". Not for other formats.
    ids : str or sequence of str, default=None
        Columns that identify the samples; they are not in X but in ``Dataset.ids``. Only for
        tables.
    text : str or sequence of str, default=None
        Columns of texts, as for `read_table`. Only for tables; None recognises them.
    bags : str, default=None
        Name of the column with the bag of each row, as for `read_table`. Only for tables.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        The data. A training and a test file side by side become one data set with the fixed rows
        `train` and `test`. A file of a validation part beside them (dev, val, valid, validate or
        validation in its name) is not read, and a `DataWarning` names it.

    Raises
    ------
    DataError
        If nothing is found, with the places searched; if a file cannot be read, with the file, the
        line and the reason; or if the file is a model.
    ValueError
        If `labels`, `ids`, `text` or `bags` is given for data that cannot use it.

    See Also
    --------
    labelwise.load : Read a fitted model.
    read_arff : Read an ARFF file.
    read_svmlight : Read an svmlight file.
    read_table : Read a csv, JSON lines or parquet table.

    Examples
    --------
    >>> from labelwise.data import load
    >>> load("digits")
    Dataset 'digits': 500 samples, 320 features, 10 labels
    """
    wanted = os.fspath(name_or_path)
    if wanted in BUNDLED:
        request = ReadRequest(wanted, labels, ids, text, bags)
        refuse_unused(request, "a bundled data set")
        return replace(BUNDLED[wanted](), name=wanted)
    homes = list(data_homes(data_home))
    with reading(name_or_path, max_bytes):
        files, name = find_files(wanted, homes)
        _warn_of_validation_parts(files)
    request = ReadRequest(name, labels, ids, text, bags, max_bytes)
    if files:
        return _read_files(files, request)
    if name in OPENML_IDS:
        # Before the download: what OpenML sends is an ARFF file.
        refuse_unused(request, ARFF.title, ARFF.uses)
        return _read_files(find_files(str(fetch(name, user_cache())), [])[0], request)
    places = ", ".join(str(home) for home in homes)
    raise DataError(
        name,
        f"is not a file, not a bundled set ({', '.join(BUNDLED)}), not a known set of OpenML, and "
        f"not in {places}; put its folder into one of these or set LABELWISE_DATA.",
    )


def _read_files(files: list[Path], request: ReadRequest) -> Dataset:
    """Read the files by the reader of their format."""
    path = files[0]
    chosen = format_of(path)
    if chosen is None:
        if is_model_file(path):
            raise DataError(path, "is a model, not a data set: read it with labelwise.load.")
        known = ", ".join(ending for one in FORMATS for ending in one.endings)
        raise DataError(path, f"has none of the endings {known} (.gz).")
    refuse_unused(request, chosen.title, chosen.uses)
    return chosen.read(files, request)


def ending_of(path: Path) -> str:
    """Return the ending by which the format of a file is known, without .gz; "" if none is."""
    ending = plain_ending(path)
    return ending if any(ending in known.endings for known in FORMATS) else ""


def format_of(path: Path) -> FileFormat | None:
    """Return the format of a file, or of the files in a folder; None if it is unknown."""
    by_content = (known for known in FORMATS if known.recognises and known.recognises(path))
    found = next(by_content, None)
    if found is not None:
        return found
    if path.is_dir():
        inside = (format_of(file) for file in sorted(path.iterdir()) if file.is_file())
        return next(filter(None, inside), None)
    ending = ending_of(path)
    return next((known for known in FORMATS if ending in known.endings), None)


def find_files(wanted: str, homes: Sequence[Path]) -> tuple[list[Path], str]:
    """Return the files of a path or name, an empty list if none is found, and the data's name.

    The one path of a format that fills a folder is the folder.
    """
    path = Path(wanted)
    if path.is_dir():
        return _files_in(path), path.resolve().name
    if path.is_file():
        return [path], plain_name(path)
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
    name_or_path: str | Path, *, data_home: str | Path | None = None, labels: LabelChoice = None
) -> list[Path]:
    """List the files that `load` reads, which a program must not overwrite.

    Parameters
    ----------
    name_or_path : str or Path
        As for `load`.
    data_home : str or Path, default=None
        As for `load`.
    labels : str, Path, int or sequence of str, default=None
        As for `load`; a file of label names is listed too.

    Returns
    -------
    list of Path
        Files of data and XML files of label names; the path itself if nothing is found, and an
        empty list for a bundled set.

    See Also
    --------
    load : Load a data set by name, or from a file or folder.

    Examples
    --------
    >>> from labelwise.data import input_files
    >>> input_files("digits")
    []
    """
    wanted = os.fspath(name_or_path)
    if wanted in BUNDLED:
        return []
    try:
        found = find_files(wanted, [*data_homes(data_home)])[0]
    except (DataError, OSError):
        found = []
    found = found or [Path(wanted)]
    files = [file for one in found for file in (one.iterdir() if one.is_dir() else [one])]
    vocabulary = [Path(labels)] if isinstance(labels, str | Path) else []
    if not any(".arff" in path.name.lower() for path in files):
        return [*files, *(path for path in vocabulary if path.is_file())]
    beside = [xml for path in files if (xml := xml_beside(path)) is not None]
    return [*files, *beside, *vocabulary]


def is_model_file(path: Path) -> bool:
    """Return whether a file is a fitted model that `labelwise.save` wrote."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return _MODEL_SCHEMA in archive.namelist()


def _files_of(home: Path, name: str) -> list[Path]:
    """Return the files of a named set in a folder of sets: its own folder, or by their names."""
    if (home / name).is_dir():
        return _files_in(home / name)
    wanted = (name, f"{name}-train", f"{name}-test")
    beside = [
        path for path in (*home.glob(f"{name}*"), *home.glob(f"*/{name}*")) if ending_of(path)
    ]
    return _train_first([path for path in beside if plain_name(path) in wanted])


def _files_in(folder: Path) -> list[Path]:
    """Return the one data set of a folder: a training and a test file, or the main file."""
    if any(known.recognises and known.recognises(folder) for known in FORMATS):
        return [folder]
    files = sorted(path for path in folder.iterdir() if ending_of(path))
    formats = {known for path in files if (known := format_of(path)) is not None}
    if files and all(known.is_folder for known in formats):
        return [folder]
    return _train_first(files) or _main_file(files, folder)


def _warn_of_validation_parts(files: Sequence[Path]) -> None:
    """Name the validation parts beside a training and a test file, which are not read."""
    if len(files) < 2:
        return
    folder, stem = files[0].parent, plain_name(files[0])
    prefix = stem[: stem.lower().index("train")]
    beside = [path for path in folder.glob(f"{escape(prefix)}*") if ending_of(path)]
    unread = sorted(path.name for path in beside if _VALIDATION.search(plain_name(path)))
    if unread:
        read = " and ".join(path.name for path in files)
        warn_of_assumption(folder, f"{listed(unread)} not read, only {read}: load it by its path")


def _train_first(files: list[Path]) -> list[Path]:
    """Return the training and the test file if there is one of each, else the only file if any."""
    parts = [[path for path in files if part in path.name.lower()] for part in ("train", "test")]
    if all(len(part) == 1 for part in parts):
        return [parts[0][0], parts[1][0]]
    return files if len(files) == 1 else []


def _main_file(files: list[Path], folder: Path) -> list[Path]:
    """Return the file that is called as the folder, or whose name begins all other names."""
    named = [path for path in files if plain_name(path) == folder.resolve().name]
    if len(named) == 1:
        return named
    for path in files:
        if all(plain_name(other).startswith(plain_name(path)) for other in files):
            return [path]
    found = ", ".join(path.name for path in files) or "none"
    raise DataError(folder, f"must contain one data set, or a train and a test file, got {found}.")


def fetch(name: str, cache: Path) -> Path:
    """Download a set into its folder of the cache and return the folder.

    The folder is created only after the whole set has been downloaded and parsed once.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=cache) as unfinished:
        folder = Path(unfinished) / name
        try:
            _download(name, Path(unfinished), folder)
        # scikit-learn raises many kinds of errors for a bad answer; to the user all mean the same.
        except Exception as error:
            raise DataError(
                name,
                f"is not in {cache} and could not be fetched from OpenML as number "
                f"{OPENML_IDS[name]} ({type(error).__name__}: {error}); put its folder there, or "
                "give data_home= or LABELWISE_DATA.",
            ) from error
        if not (cache / name).exists():
            folder.rename(cache / name)
    return cache / name


def _download(name: str, room: Path, folder: Path) -> None:
    """Let scikit-learn fetch and check the set; store its ARFF file and an XML file of labels."""
    from urllib.parse import urlparse
    from xml.sax.saxutils import quoteattr

    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # retries and cache misses are not the user's concern
        found = fetch_openml(
            data_id=OPENML_IDS[name], data_home=room, as_frame=False, parser="liac-arff"
        )
    place = urlparse(found.details["url"]).path.lstrip("/")
    folder.mkdir()
    shutil.move(room / "openml" / "openml.org" / f"{place}.gz", folder / f"{name}.arff.gz")
    labels = "".join(f"<label name={quoteattr(label)}/>" for label in found.target_names)
    (folder / f"{name}.xml").write_text(f"<labels>{labels}</labels>", encoding="utf-8")
