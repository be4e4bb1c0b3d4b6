"""Read tables whose columns are features, labels and identifiers: csv, JSON lines, parquet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._io import TEXT_BYTES, DataError, plain_name, reading, warn_of_assumption
from labelwise._tables import (
    ROW_NAMES,
    TABLE_ENDINGS,
    EncodedTable,
    Tables,
    encode,
    encode_table,
    from_columns,
    from_sets,
    is_binary,
    joined_texts,
    names_with_prefix,
    texts,
)
from labelwise._text import listed
from labelwise._validation import is_whole
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, ReadRequest


def read_table(
    path: str | Path,
    *,
    labels: str | Sequence[str],
    ids: str | Sequence[str] | None = None,
    text: str | Sequence[str] | None = None,
    separator: str | None = None,
    bags: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    r"""Read a data set from a csv, JSON lines or parquet table, plain or gzip.

    A csv file has a header. Its separator is the comma, the semicolon or the tab, whichever occurs
    most often in the header. If it is not the comma, a column whose cells are all numbers, some of
    them with a decimal comma, is a column of numbers. Text is UTF-8, or UTF-16 if the file begins
    with a byte order mark; a file with bytes that are not UTF-8 is read as Latin-1. A
    `DataWarning` names what was assumed, unless it is commas, decimal points and UTF-8.

    A file of JSON lines has an object in each line, whose keys are the columns. null and a key that
    is absent are missing values; a key of numbers or booleans must not be absent.

    Parameters
    ----------
    path : str or Path
        The file. parquet and gzip are recognised by the content of the file, JSON lines by the
        ending .jsonl.
    labels : str or sequence of str
        Which columns are labels: their names; a prefix with a star, such as ``"label:*"``; or the
        name of one column whose cells list label names (in JSON and parquet also as lists). Cells
        of other label columns must be 0, 1, true, false, yes, no, t, f, y or n, in any case.
    ids : str or sequence of str, default=None
        Columns that identify the samples; they are not in X but in ``Dataset.ids``. None
        recognises them.
    text : str or sequence of str, default=None
        Columns of texts; they are not in X but in ``Dataset.frame``. None recognises them, and an
        empty sequence means that there are none. Other columns that read like text, with almost as
        many values as rows, are then left out with a `DataWarning`.
    separator : str, default=None
        Text between the names in a column of label names. None means: if every cell that is not
        empty begins with "[", cells are lists as in JSON or Python, such as ``["sea", "sky"]``;
        else the first of ";", "|" and "," that occurs in any cell. A `DataWarning` names what was
        found unless it is ";". An empty cell means no labels.
    bags : str, default=None
        For multi-instance data, the column with the bag of each row. Bags have the order in which
        they first occur, and all rows of a bag must have the same labels.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        The data. X is dense, or CSR if categories make it more than eight times as wide as the
        table. ``Y`` is None if all labels are missing. If there are texts or categories, ``frame``
        has the columns as they were in the table, for `labelwise.features.TableFeatures`.

    Raises
    ------
    DataError
        If the file cannot be read, with the file, the line (in parquet the row, counted from 1)
        and the reason; also if some labels are missing and others are not.
    ValueError
        If `labels` is empty, if a column is a label and also in `ids`, `text` or `bags`, or if
        `separator` is empty or given for several label columns.

    See Also
    --------
    load : Load a data set by name, or from a file or folder.

    Notes
    -----
    A column of numbers or booleans is one column of X; missing values are NaN. A column of words
    with two values is one column of 0 and 1, in which yes, true, t or y is 1, or else the second
    value in sorted order. Any other column of words is one 0/1 column for each value, named
    ``column=value``; a missing value ("" or "?") is NaN in all of them. Columns of lists, except
    labels, and of objects are left out with a `DataWarning`. The texts of a list in a column that
    `text` names, such as sentences, are joined by U+2029, at which alone `split_sentences` splits.

    A column is taken as text if its values have at least three words on average, and more than half
    of them are distinct. A column of words is an identifier if no value occurs twice or, from 20
    rows on, if more than 80 % of its values are distinct. A column of numbers is an identifier if
    it is called "id" or "row" and no value occurs twice or, from 20 rows on, if it has whole
    numbers that increase from row to row. Row names that pandas wrote are identifiers, too.

    If `labels` is the name of one column whose cells are all 0, 1 or words for them, as above, the
    column is one label of that name, unless `separator` is given. An identifier whose values differ
    within a bag is dropped.

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
    request = ReadRequest(plain_name(path), labels, ids, text, bags, max_bytes)
    return _read([Path(path)], request, separator)


def _read(paths: Sequence[Path], request: ReadRequest, separator: str | None = None) -> Dataset:
    """Read one data set from one file, or from a training and a test file of equal columns.

    With an empty list of labels every column is a feature or an identifier, as for prediction.
    """
    labels, ids, text, bags = (
        _named_labels(paths[0], request),
        request.ids,
        request.text,
        request.bags,
    )
    id_names = [ids] if isinstance(ids, str) else list(ids or ())
    text_names = [text] if isinstance(text, str) else text
    _check_arguments(labels, separator)
    as_text = {*id_names, *(text_names or ()), *ROW_NAMES, *([] if bags is None else [bags])}
    if isinstance(labels, str) and not labels.endswith("*"):
        as_text.add(labels)
    with reading(paths[0], request.max_bytes):
        tables = Tables(paths, as_text, request.max_bytes)
        Y, label_names, label_columns = _labels(tables, labels, separator)
    id_names += [row_name for row_name in ROW_NAMES if row_name in tables.known]
    others = {*id_names, bags}
    for column in label_columns:
        if column in others.union(text_names or ()):
            raise ValueError(f"labels must not name {column!r} too, which is in ids, text or bags.")
    with reading(paths[0]):
        used = others.union(label_columns)
        found = _features(
            tables, [column for column in tables.names if column not in used], text_names
        )
        tables.bound.check(tables.n_rows * len(id_names) * TEXT_BYTES, "its identifiers")
        named = {column: texts(tables.column(column)) for column in id_names} | found.ids
        X, frame, text_columns, starts = found.X, found.frame, found.texts, None
        files = tables.file_of(np.arange(tables.n_rows))
        if bags is not None:
            frame, text_columns = None, ()
            first, bag = _bags(tables, bags, files)
            if Y is not None:
                Y = sparse.csr_array(Y)
                _check_agreement(tables, Y, first[bag])
                Y = Y[first]
            named = {bags: texts(tables.column(bags))} | named
            named = {key: of[first] for key, of in named.items() if (of == of[first][bag]).all()}
            X, files = X[np.argsort(bag, kind="stable")], files[first]
            starts = np.concatenate(([0], np.cumsum(np.bincount(bag))))
        train = test = None
        if len(paths) == 2:
            train, test = np.flatnonzero(files == 0), np.flatnonzero(files == 1)
        return Dataset(
            X,
            Y,
            request.name,
            found.names,
            label_names,
            train,
            test,
            starts,
            named,
            frame,
            text_columns,
        )


def _named_labels(path: Path, request: ReadRequest) -> str | Sequence[str]:
    """Return the names of the columns of labels, or their prefix with a star."""
    labels = request.labels
    if labels is None:
        raise DataError(
            path,
            "does not say which columns are labels: name them by labels (--labels, or "
            "{ load = ..., labels = [...] } in a study file).",
        )
    if is_whole(labels):
        problem = (
            f"is a table, for which a count of labels ({labels}) does not say which columns are "
            "meant: give their names, or a prefix with a star."
        )
        raise DataError(path, problem)
    if not isinstance(labels, str | Sequence):
        raise TypeError(f"labels must be names of columns for a table, got {labels!r}.")
    return labels


TABLE = FileFormat(
    "a table",
    TABLE_ENDINGS,
    _read,
    uses=frozenset({"labels", "ids", "text", "bags"}),
)


def _labels(
    tables: Tables, labels: str | Sequence[str], separator: str | None
) -> tuple[Any, list[str], list[str]]:
    """Return the label matrix, the names of the labels, and the columns that they come from."""
    if isinstance(labels, str) and not labels.endswith("*"):
        if separator is not None or not is_binary(tables, labels):
            return *from_sets(tables, labels, separator), [labels]
        names = [labels]
    elif isinstance(labels, str):
        names = names_with_prefix(tables, labels[:-1])
    else:
        names = list(labels)
    return from_columns(tables, names), names, names


def _bags(tables: Tables, name: str, files: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each bag, and the bag of each row: equal values in the same file."""
    codes = encode(tables.column(name))
    if codes.numbers.min() < 0:
        raise tables.fault(f"has no value for the bag {name!r}.", int(np.argmin(codes.numbers)))
    keys = files * len(codes.values) + codes.numbers
    _, first, bag = np.unique(keys, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    return first[by_appearance], np.argsort(by_appearance)[bag]


def _check_agreement(tables: Tables, Y: sparse.csr_array, first_in_bag: np.ndarray) -> None:
    if Y.dtype != bool:
        # Missing labels, NaN, agree with missing labels.
        Y = sparse.csr_array((np.nan_to_num(Y.data, nan=2.0), Y.indices, Y.indptr), shape=Y.shape)
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


def _features(tables: Tables, names: Sequence[str], text: Collection[str] | None) -> EncodedTable:
    """Encode the named columns, in their order, within the bound of the file.

    Columns of lists are left out with a warning, and so are columns that read like text if `text`
    names other columns.
    """
    import pyarrow as pa

    path = tables.files[0].path
    table = tables.table
    for name in text or ():
        if pa.types.is_nested(tables.column(name).type):
            joined = joined_texts(tables.column(name))
            if joined is None:
                raise DataError(path, f"has lists or objects in column {name!r}, not text.")
            table = table.set_column(table.column_names.index(name), name, joined)
    lists = [name for name in names if pa.types.is_nested(table.column(name).type)]
    if lists:
        can_join = any(joined_texts(table.column(name)[:0]) is not None for name in lists)
        hint = "; text (--text) may name lists of texts" if can_join else ""
        warn_of_assumption(
            path, f"{listed(lists)} left out: lists and objects are not features{hint}"
        )
    try:
        plain = table.select([name for name in names if name not in lists])
        found = encode_table(plain, text, tables.bound.check)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(path, str(error)) from error
    if found.unused:
        reads, it = ("it reads", "it") if len(found.unused) == 1 else ("they read", "them")
        warn_of_assumption(
            path,
            f"{listed(found.unused)} left out: {reads} like text, and text (--text) does not name "
            f"{it}",
        )
    return found
