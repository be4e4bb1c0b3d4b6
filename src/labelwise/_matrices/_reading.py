"""Read scores, labels and decisions from csv, parquet, JSON lines, npy and npz files.

A table (csv, JSON lines or parquet) has a column for each label, or a single one of label names,
and may have a column of ids (the rule is that of `labelwise._tables`). An npz file has one matrix,
dense or as `scipy.sparse.save_npz` writes it, and may have `label_names` and `ids` beside it. An
npy file has neither names nor ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._io import (
    TEXT_BYTES,
    Arrays,
    Bound,
    DataError,
    npy_array,
    npz_arrays,
    plain_ending,
    read_bytes,
    reading,
    sparse_matrix,
)
from labelwise._tables import (
    ID_NAMES,
    ROW_NAMES,
    TABLE_ENDINGS,
    Tables,
    as_written,
    find_ids,
    first_row_without_number,
    from_sets,
    is_text,
    named_ids,
    numbers,
    row_names,
    texts,
    zeros_and_ones,
)
from labelwise._validation import (
    Labels,
    NamedMatrix,
    Scores,
    check_labels,
    check_scores,
    check_states,
    columns_like_ids,
    ids_hint,
    with_nan,
)

_ENDINGS = (*TABLE_ENDINGS, ".npy", ".npz")
_NAMES = ("label_names", "ids")
# Rows of a column that are looked at together.
_LOOKED_AT = 2**16
# The only column but the ids where `predict --format names` writes label names.
_LABEL_SETS = "labels"
# What an error about a table of labels says of columns that are none.
_OTHER_COLUMNS = " (--labels names the labels; --groups, --weights and --slices other columns)"
# A row and a column number, and both again while they are sorted by label.
_POSITIVE_BYTES = 24


def is_matrix_file(path: str | Path) -> bool:
    """Return whether the ending of a file is that of a matrix file."""
    return plain_ending(path) in _ENDINGS


def read_scores(
    path: str | Path,
    *,
    ids: str | Sequence[str] | None = None,
    without: Collection[str] = (),
    max_bytes: int | None = None,
) -> NamedMatrix:
    r"""Read scores from a file, with the names of labels and the ids of rows.

    Parameters
    ----------
    path : str or Path
        A csv, tsv, parquet, jsonl, npy or npz file, also .gz.
    ids : str or sequence of str, default=None
        Name of the column of ids, or several names of which the file has one. None recognises a
        first column of texts, of whole numbers under the name "id" or "row", or of row names that
        pandas or R wrote.
    without : collection of str, default=()
        Columns of a table that are not scores and are left out, such as the slice of each sample.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    NamedMatrix
        The scores as `values`, dense or CSR, with `label_names` and `ids`, which are None if the
        file has none. All functions that take scores accept it, match rows by id and labels by
        name.

    Raises
    ------
    DataError
        If the file cannot be read, with the file, the line and the reason, or if a score is missing
        or not finite.

    See Also
    --------
    read_labels : Read labels from a file, with the names of labels and the ids of rows.
    labelwise.decisions.best_thresholds : Find thresholds for scores.

    Examples
    --------
    >>> from labelwise.data import read_scores
    >>> path = getfixture("tmp_path") / "scores.csv"
    >>> _ = path.write_text("id,sea,sky\nb,0.5,0.25\na,0.75,1.0\n")
    >>> scores = read_scores(path)
    >>> scores.label_names, scores.ids
    (('sea', 'sky'), ('b', 'a'))
    >>> scores.values
    array([[0.5 , 0.25],
           [0.75, 1.  ]])
    """
    found = read_matrix(path, ids=ids, without=without, max_bytes=max_bytes)
    if found.has_label_lists:
        raise DataError(path, "has label names, not scores: a number for each label is needed.")
    try:
        checked = check_scores(found.values, label_names=found.label_names)
    except (TypeError, ValueError) as error:
        raise DataError(path, str(error)) from error
    return _checked(found, checked)


def read_label_matrix(
    path: str | Path, *, ids: str | Sequence[str] | None = None, max_bytes: int | None = None
) -> NamedMatrix:
    """Read the labels of a matrix file as boolean CSC, or as float64 with NaN for missing ones."""
    found = read_matrix(path, ids=ids, max_bytes=max_bytes, allow_gaps=True)
    return _as_labels(found, max_bytes, allow_missing=True)


def read_decisions(
    path: str | Path, *, ids: str | Sequence[str] | None = None, max_bytes: int | None = None
) -> NamedMatrix:
    """Read decisions from a matrix file: boolean, or int8 with -1 if some cells are to review."""
    found = read_matrix(path, ids=ids, max_bytes=max_bytes)
    stored = found.values.data if sparse.issparse(found.values) else found.values
    if not (stored == -1).any():
        return _as_labels(found, max_bytes)
    checked = check_scores(found.values, label_names=found.label_names)
    try:
        states = sparse.csc_array(check_states(checked.matrix, "decisions"))
    except ValueError as error:
        raise DataError(path, str(error)) from error
    return _checked(found, Labels(states, checked.names))


def read_matrix(
    path: str | Path,
    *,
    ids: str | Sequence[str] | None = None,
    without: Collection[str] = (),
    max_bytes: int | None = None,
    allow_gaps: bool = False,
) -> NamedMatrix:
    """Read the numbers of a file, not yet checked, with names and ids if the file has them.

    Columns of a table that `without` names are left out. With `allow_gaps`, empty cells of a table
    are NaN; otherwise they are refused.
    """
    path = Path(path)
    asked = [ids] if isinstance(ids, str) else ids
    ending = plain_ending(path)
    if ending not in _ENDINGS:
        raise DataError(path, f"has none of the endings {', '.join(_ENDINGS)}.")
    with reading(path, max_bytes) as bound:
        if ending in TABLE_ENDINGS:
            return _from_table(path, max_bytes, asked, without, allow_gaps)
        content = read_bytes(path, bound.max_bytes)
        if ending == ".npy":
            return NamedMatrix(_two_sided(path, npy_array(path, content)), source=path)
        return _from_npz(path, bytes(content), bound)


def _as_labels(
    found: NamedMatrix, max_bytes: int | None, *, allow_missing: bool = False
) -> NamedMatrix:
    """Return the 0/1 labels of the numbers in a file."""
    path = found.source
    with reading(path, max_bytes) as bound:
        stored = found.values.data if sparse.issparse(found.values) else found.values
        n_bytes = int(np.count_nonzero(stored)) * _POSITIVE_BYTES
        bound.check(n_bytes, "its labels")
        try:
            checked = check_labels(
                found.values,
                label_names=found.label_names,
                input_name="labels",
                allow_missing=allow_missing,
            )
        except (TypeError, ValueError) as error:
            hint = ids_hint(columns_like_ids(found.values, found.label_names))
            advice = f": give {hint}" if hint else _OTHER_COLUMNS if found.label_names else ""
            problem = f"{str(error).removesuffix('.')}{advice}."
            raise DataError(path, problem) from error
        return _checked(found, checked._replace(matrix=with_nan(*checked[::2])))


def _checked(found: NamedMatrix, checked: Labels | Scores) -> NamedMatrix:
    if 0 in checked.matrix.shape:
        rows, columns = checked.matrix.shape
        raise DataError(found.source, f"must have a row and a label, got {rows} and {columns}.")
    return replace(found, values=checked.matrix, label_names=checked.names)


# Tables.


def _from_table(
    path: Path,
    max_bytes: int | None,
    asked: Sequence[str] | None,
    without: Collection[str],
    allow_gaps: bool,
) -> NamedMatrix:
    # Ids of a csv file are read as text because of their zeros in front; parquet has types, which
    # distinguish a label called "id" from an index.
    is_parquet = plain_ending(path) == ".parquet"
    as_text = () if is_parquet else (*ID_NAMES, *ROW_NAMES, *(asked or ()))
    tables = Tables([path], as_text, max_bytes)
    id_name = named_ids(path, asked, tables.names) if asked else _found_ids(tables, is_parquet)
    beside = {id_name, *row_names(tables.names), *without}
    names = [name for name in tables.names if name not in beside]
    if len(names) == 1 and _lists_labels(tables, names[0]):
        return _from_label_sets(path, tables, names[0], id_name)
    has_ids = id_name is not None
    tables.bound.check(tables.n_rows * (len(names) * 8 + has_ids * TEXT_BYTES), "its cells")
    values = np.empty((tables.n_rows, len(names)))
    for j, name in enumerate(names):
        values[:, j] = _column_numbers(tables, name, allow_gaps)
    return NamedMatrix(values, tuple(names), *_ids_of(tables, id_name), path)


def _from_label_sets(path: Path, tables: Tables, column: str, id_name: str | None) -> NamedMatrix:
    """Return 0/1 for the label names that each row lists."""
    Y, names = from_sets(tables, column, None)
    if Y is None:
        raise DataError(path, f"has no label name in column {column!r}.")
    return NamedMatrix(Y, tuple(names), *_ids_of(tables, id_name), path, has_label_lists=True)


def _found_ids(tables: Tables, is_parquet: bool) -> str | None:
    """Return the column of ids; values are looked at in batches, and only until they show it."""

    def parts(name: str) -> Iterator[Any]:
        for batch in tables.table.select([name]).to_batches(_LOOKED_AT):
            yield batch.column(0)

    return find_ids(tables.names, parts, is_parquet=is_parquet)


def _lists_labels(tables: Tables, name: str) -> bool:
    """Return whether a column has lists, or text under the name "labels" that is not yes and no."""
    import pyarrow as pa

    column = tables.column(name)
    is_named = name == _LABEL_SETS and is_text(column) and zeros_and_ones(tables, name) is None
    return is_named or bool(pa.types.is_nested(column.type))


def _ids_of(tables: Tables, name: str | None) -> tuple[tuple[str, ...] | None, str]:
    """Return the ids and the name of their column."""
    if name is None:
        return None, "id"
    found = texts(as_written(tables.column(name)))
    if "" in found:
        raise tables.fault(f"has no value for {name!r}.", int(np.argmax(found == "")))
    return tuple(found.tolist()), name


def _column_numbers(tables: Tables, name: str, allow_gaps: bool) -> np.ndarray:
    """Return a column of numbers, or of yes and no as 1 and 0; gaps are NaN if they are allowed."""
    import pyarrow as pa

    column = tables.column(name)
    if pa.types.is_nested(column.type):
        raise DataError(tables.files[0].path, f"has lists in column {name!r}, not numbers.")
    binary = zeros_and_ones(tables, name) if is_text(column) else None
    try:
        values = numbers(column) if binary is None else binary
    except pa.ArrowInvalid as error:
        row = first_row_without_number(column)
        text = column[row].as_py()
        raise tables.fault(
            f"has {text!r:.50} in column {name!r}, not a number (--ids names a column of ids, "
            "--labels a column of label names).",
            row,
        ) from error
    if not allow_gaps and np.isnan(values).any():
        raise tables.fault(f"has no value in column {name!r}.", int(np.argmax(np.isnan(values))))
    return values


# NumPy files.


def _from_npz(path: Path, content: bytes, bound: Bound) -> NamedMatrix:
    arrays = npz_arrays(path, content, bound.max_bytes)
    for key in _NAMES:
        bound.check(arrays[key].size * TEXT_BYTES if key in arrays else 0, f"its {key}")
    names, ids = (_strings(path, arrays, key) for key in _NAMES)
    values = sparse_matrix(path, arrays, bound) if "format" in arrays else _only_array(path, arrays)
    if ids is not None and len(ids) != values.shape[0]:
        raise DataError(path, f"has {len(ids)} ids for {values.shape[0]} rows.")
    return NamedMatrix(values, names, ids, source=path)


def _two_sided(path: Path, array: np.ndarray) -> np.ndarray:
    if array.ndim != 2:
        raise DataError(path, f"must contain a 2-D array, rows by labels, got {array.ndim}-D.")
    if array.dtype.kind not in "biuf":
        raise DataError(path, f"must contain numbers or booleans, got {array.dtype}.")
    return array


def _strings(path: Path, arrays: Arrays, key: str) -> tuple[str, ...] | None:
    if key not in arrays:
        return None
    if arrays[key].ndim != 1 or arrays[key].dtype.kind != "U":
        raise DataError(path, f"must contain {key} as a 1-D array of text.")
    return tuple(arrays[key].tolist())


def _only_array(path: Path, arrays: Arrays) -> np.ndarray:
    found = [name for name in arrays if name not in _NAMES]
    if len(found) != 1:
        raise DataError(path, f"must contain one matrix, got {', '.join(found) or 'none'}.")
    return _two_sided(path, arrays[found[0]])
