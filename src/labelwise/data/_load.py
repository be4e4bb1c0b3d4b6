"""Load a data set by name or path: bundled, from files of any listed format, or from OpenML."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from labelwise._io import DataError, reading
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import LabelChoice, ReadRequest, refuse_unused
from labelwise.data._finding import data_homes, find_files, is_model_file, user_cache
from labelwise.data._formats import ending_of, format_of, known_endings
from labelwise.data._openml import OPENML_IDS, fetch
from labelwise.data.arff._arff import ARFF
from labelwise.data.generated._bundled import BUNDLED


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
        .svm, .csv, .parquet and others, also .gz), a folder with one data set, or the name of a
        benchmark set.
        A name is searched for in `data_home`, in the folder that the environment variable
        LABELWISE_DATA names, and in the user's cache. A benchmark set that is in none of them is
        downloaded from OpenML into the cache if OpenML has it.
    data_home : str or Path, default=None
        Folder of data sets: a folder for each, or files side by side.
    labels : str, Path, int or sequence of str, default=None
        Which attributes or columns are labels, as for `read_arff` and `read_table`. Only for ARFF
        files and tables; a table needs it.
    ids : str or sequence of str, default=None
        Columns that identify the samples, as for `read_table`. Only for tables.
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
        `train` and `test`.

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
    read_table : Read a csv or parquet table.
    read_reuters : Read the folder of Reuters-21578.

    Examples
    --------
    >>> from labelwise.data import load
    >>> load("digits")
    Dataset 'digits': 500 samples, 320 features, 10 labels
    """
    wanted = os.fspath(name_or_path)
    if wanted in BUNDLED:
        request = ReadRequest(wanted, labels, ids, text, bags)
        refuse_unused(request, "a bundled data set", uses=frozenset())
        return replace(BUNDLED[wanted](), name=wanted)
    homes = list(data_homes(data_home))
    with reading(name_or_path, max_bytes):
        files, name = find_files(wanted, homes)
    request = ReadRequest(name, labels, ids, text, bags, max_bytes)
    if files:
        return _read_files(files, request)
    if name in OPENML_IDS:
        # Before the download: what OpenML sends is an ARFF file.
        ARFF.check_request(request)
        return _read_files(find_files(str(fetch(name, user_cache())), [])[0], request)
    places = ", ".join(str(home) for home in homes)
    raise DataError(
        name,
        f"is no file, no bundled set ({', '.join(BUNDLED)}), on OpenML under no known number, and "
        f"not in {places}; put its folder into one of these or set LABELWISE_DATA.",
    )


def names_data(path: Path) -> bool:
    """Return whether a path is a data set by its name alone: a known name, or a known ending."""
    return str(path) in BUNDLED or str(path) in OPENML_IDS or ending_of(path) != ""


def _read_files(files: list[Path], request: ReadRequest) -> Dataset:
    """Read the files by the reader of their format."""
    path = files[0]
    chosen = format_of(path)
    if chosen is None:
        if is_model_file(path):
            raise DataError(path, "is a model, not a data set: read it with labelwise.load.")
        raise DataError(path, f"has none of the endings {known_endings()} (.gz).")
    chosen.check_request(request)
    return chosen.read(files, request)
