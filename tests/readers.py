"""Every way in which a file of data is read, by the ending of its name."""

from labelwise.data import (
    DataError,
    load,
    read_arff,
    read_labels,
    read_scores,
    read_svmlight,
    read_table,
)
from labelwise.data._arff import read_label_names

_TABLES = [
    lambda path: read_table(path, labels="y"),
    lambda path: read_table(path, labels=["y"], ids="id"),
    lambda path: read_table(path, labels="y*", bags="n"),
    read_labels,
    read_scores,
]
READERS = {
    ".arff": [read_arff, lambda path: read_arff(path, labels=-1)],
    ".xml": [read_label_names],
    ".svm": [read_svmlight],
    ".csv": _TABLES,
    ".jsonl": _TABLES,
    ".parquet": _TABLES,
    ".npy": [read_labels, read_scores],
    ".npz": [read_labels, read_scores],
    ".sgm": [lambda path: load(path.parent)],
}


def file_name(ending):
    """Return a name by which a file of this ending is found."""
    return "reut2-000.sgm" if ending == ".sgm" else f"x{ending}"


def refusals(path, ending=None):
    """Return what the readers of a file say against it, "" where one reads it."""
    return [_refusal(read, path) for read in READERS[ending or path.suffix]]


def _refusal(read, path):
    try:
        read(path)
    except DataError as error:
        return str(error)
    return ""
