"""Read csv and parquet tables whose columns are features, labels and identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import TEXT_BYTES, DataError, plain_name, reading
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, ReadRequest
from labelwise.data.table import _labels as label_columns
from labelwise.data.table._columns import encode, features, texts
from labelwise.data.table._files import Tables

# What pandas calls the row names that it writes along.
_ROW_NAMES = ("", "__index_level_0__")


def read_table(
    path: str | Path,
    *,
    labels: str | Sequence[str],
    ids: str | Sequence[str] | None = None,
    separator: str | None = None,
    bags: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    r"""Return the data of a csv or parquet table, plain or gzip.

    A csv file has a header and is separated by commas, semicolons or tabs, whichever the header
    has most. Bytes that are not UTF-8 make the whole file Latin-1.

    Parameters
    ----------
    path : str or Path
        The file. parquet and gzip are told by their content, not by their names.
    labels : str or sequence of str
        The label columns by name; or a prefix with a star, such as ``"label:*"``; or the one
        column that holds label names (for parquet also lists of names). Label columns hold only
        0, 1, true or false.
    ids : str or sequence of str, optional
        Columns that name the samples; they are left out of X and kept as ``Dataset.ids``.
    separator : str, optional
        What separates the names in a column of label names, ";" by default. An empty cell means
        no labels.
    bags : str, optional
        For multi-instance data, the column whose value tells the bag of a row. Bags stand in the
        order in which they first occur, and their rows must agree in the labels.
    max_bytes : int, optional
        A file is refused if it, unpacked, or an array built from it would take more bytes. By
        default 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        Numbers and booleans are one column of X each, NaN where missing. Text with two values is
        one 0/1 column (yes, true, t or y is 1, else the second value in sorted order), other
        text one column for each value, named ``column=value``; missing text ("" or "?") is NaN
        in all of them. Text in which no value occurs twice is an identifier and goes into
        ``ids``, and so do row names that pandas wrote. X is dense, or CSR if text columns make it
        more than eight times as wide as the table. If every label is missing, ``Y=None``.

    Raises
    ------
    DataError
        With the file, the line (in parquet the row, counted from 1) and what is wrong there; also
        if only some labels are missing.

    Notes
    -----
    A single column named by `labels` whose cells are all 0, 1, true or false is one label of
    that name, unless `separator` is given. An identifier that differs within a bag is dropped.

    Examples
    --------
    >>> from labelwise.data import read_table
    >>> path = getfixture("tmp_path") / "tiny.csv"
    >>> _ = path.write_text("size,colour,topics\n1.5,red,sea;sky\n2,blue,sky\n,red,\n4,green,\n")
    >>> tiny = read_table(path, labels="topics")
    >>> tiny.feature_names, tiny.label_names
    (('size', 'colour=blue', 'colour=green', 'colour=red'), ('sea', 'sky'))
    >>> tiny.Y.toarray().astype(int).tolist()
    [[1, 1], [0, 1], [0, 0], [0, 0]]
    """
    if not labels:
        raise ValueError("labels must name at least one column.")
    return table_files(
        [path], labels=labels, ids=ids, separator=separator, bags=bags, max_bytes=max_bytes
    )


def table_files(
    paths: Sequence[str | Path],
    *,
    labels: str | Sequence[str],
    ids: str | Sequence[str] | None = None,
    separator: str | None = None,
    bags: str | None = None,
    name: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    """Return one Dataset of one file, or of a training and a test file of the same columns.

    No labels at all are for prediction: then every column is a feature or an identifier.
    """
    id_names = [ids] if isinstance(ids, str) else list(ids or ())
    _check_arguments(labels, separator)
    as_text = {*id_names, *_ROW_NAMES, *([] if bags is None else [bags])}
    if isinstance(labels, str) and not labels.endswith("*"):
        as_text.add(labels)
    with reading(paths[0], max_bytes):
        tables = Tables(paths, as_text, max_bytes)
        chosen = _labels(tables, labels, separator)
    id_names += [row_name for row_name in _ROW_NAMES if row_name in tables.known]
    others = {*id_names, bags}
    for column in chosen.columns:
        if column in others:
            raise ValueError(f"labels must not name {column!r} too, which is in ids or bags.")
    with reading(paths[0]):
        used = others.union(chosen.columns)
        found = features(tables, [column for column in tables.names if column not in used])
        tables.bound.check(tables.n_rows * len(id_names) * TEXT_BYTES, "its identifiers")
        named = {column: texts(tables.column(column)) for column in id_names} | found.ids
        read = _Rows(found.X, chosen.Y, named, tables.file_of(np.arange(tables.n_rows)), None)
        read = read if bags is None else _in_bags(tables, read, bags)
        train = test = None
        if len(paths) == 2:
            train, test = np.flatnonzero(read.files == 0), np.flatnonzero(read.files == 1)
        name = plain_name(paths[0]) if name is None else name
        return Dataset(
            read.X, read.Y, name, found.names, chosen.names, train, test, read.bags, read.ids
        )


def _read(paths: Sequence[Path], request: ReadRequest) -> Dataset:
    labels = request.labels
    if labels is None:
        raise DataError(paths[0], "does not say which columns are labels: give labels=.")
    if not isinstance(labels, str | Sequence):
        raise TypeError(f"labels must be names of columns for a table, got {labels!r}.")
    return table_files(
        paths, labels=labels, bags=request.bags, name=request.name, max_bytes=request.max_bytes
    )


TABLE = FileFormat(
    "a table", (".csv", ".tsv", ".parquet"), _read, uses=frozenset({"labels", "bags"})
)


class _Chosen(NamedTuple):
    """The labels and the columns of the table that they come from."""

    Y: Any
    names: list[str]
    columns: list[str]


class _Rows(NamedTuple):
    """What the samples are; with bags, only X has a row for every instance."""

    X: Any
    Y: Any
    ids: dict[str, np.ndarray]
    files: np.ndarray
    bags: np.ndarray | None


def _labels(tables: Tables, labels: str | Sequence[str], separator: str | None) -> _Chosen:
    if isinstance(labels, str) and not labels.endswith("*"):
        if separator is not None or not label_columns.is_binary(tables, labels):
            return _Chosen(*label_columns.from_sets(tables, labels, separator or ";"), [labels])
        names = [labels]
    elif isinstance(labels, str):
        names = label_columns.names_with_prefix(tables, labels[:-1])
    else:
        names = list(labels)
    return _Chosen(label_columns.from_columns(tables, names), names, names)


def _in_bags(tables: Tables, read: _Rows, name: str) -> _Rows:
    """Return samples that are bags: rows with the same value in the same file."""
    codes = encode(tables.column(name))
    if codes.numbers.min() < 0:
        raise tables.fault(f"has no value for the bag {name!r}.", int(np.argmin(codes.numbers)))
    keys = read.files * len(codes.values) + codes.numbers
    _, first, bag = np.unique(keys, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    first, bag = first[by_appearance], np.argsort(by_appearance)[bag]
    if read.Y is not None:
        _check_agreement(tables, sparse.csr_array(read.Y), first[bag])
    ids = {name: texts(tables.column(name))} | read.ids
    return _Rows(
        read.X[np.argsort(bag, kind="stable")],
        None if read.Y is None else sparse.csr_array(read.Y)[first],
        {key: of[first] for key, of in ids.items() if (of == of[first][bag]).all()},
        read.files[first],
        np.concatenate(([0], np.cumsum(np.bincount(bag)))),
    )


def _check_agreement(tables: Tables, Y: sparse.csr_array, first_in_bag: np.ndarray) -> None:
    differs = (Y[first_in_bag] != Y).tocoo()
    if differs.nnz:
        row = int(differs.coords[0].min())
        raise tables.fault("has other labels than the first row of its bag.", row)


def _check_arguments(labels: str | Sequence[str], separator: str | None) -> None:
    names = [labels] if isinstance(labels, str) else list(labels)
    if separator == "":
        raise ValueError("separator must not be empty.")
    if separator is not None and (names != [labels] or names[0].endswith("*")):
        raise ValueError("separator is for a single column of label names.")
