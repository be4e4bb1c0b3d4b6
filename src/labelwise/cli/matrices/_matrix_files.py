"""Read files of one matrix: csv, parquet, JSON lines, npy and npz."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._columns import (
    ID_NAMES,
    ROW_NAMES,
    as_written,
    find_ids,
    first_row_without_number,
    is_text,
    named_ids,
    numbers,
    row_names,
    texts,
)
from labelwise._io import (
    TEXT_BYTES,
    Arrays,
    Bound,
    DataError,
    npy_array,
    npz_arrays,
    read_bytes,
    reading,
    sparse_matrix,
)
from labelwise.cli.matrices._json_lines import read_json_lines
from labelwise.data import Tables, from_sets, zeros_and_ones

_TABLES, _OTHERS = (".csv", ".tsv", ".parquet"), (".jsonl", ".npy", ".npz")
_NAMES = ("label_names", "ids")
# Rows of a column that are looked at together.
_LOOKED_AT = 2**16
# The only column but the ids where `predict --format names` writes label names.
_LABEL_SETS = "labels"


class FileMatrix(NamedTuple):
    """Matrix of a file before it is checked, with names and ids."""

    values: Any
    label_names: tuple[str, ...] | None
    ids: tuple[str, ...] | None
    id_name: str = "id"
    has_label_lists: bool = False  # 0/1 for label names, of which a row lists its own


def is_matrix_file(path: Path) -> bool:
    """Return whether the ending of a file is that of a matrix file."""
    return _ending(path) in (*_TABLES, *_OTHERS)


def read_matrix(
    path: Path,
    max_bytes: int | None = None,
    ids: str | None = None,
    *,
    allow_gaps: bool = False,
) -> FileMatrix:
    """Return the matrix of a file, with names and ids if the file has them.

    `ids` is the text of --ids; without it, the column of ids is found by `find_ids`.
    With `allow_gaps`, empty cells of a table are NaN; otherwise they are refused.
    """
    ending = _ending(path)
    if ending not in (*_TABLES, *_OTHERS):
        raise DataError(path, f"has none of the endings {', '.join((*_TABLES, *_OTHERS))}.")
    with reading(path, max_bytes) as bound:
        if ending in _TABLES:
            return _from_table(path, max_bytes, ids, allow_gaps)
        content = read_bytes(path, bound.max_bytes)
        if ending == ".jsonl":
            asked = None if ids is None else ids.split(",")
            return FileMatrix(*read_json_lines(path, content, bound, asked))
        if ending == ".npy":
            return FileMatrix(_two_sided(path, npy_array(path, content)), None, None)
        return _from_npz(path, bytes(content), bound)


def _from_npz(path: Path, content: bytes, bound: Bound) -> FileMatrix:
    arrays = npz_arrays(path, content, bound.max_bytes)
    for key in _NAMES:
        bound.check(arrays[key].size * TEXT_BYTES if key in arrays else 0, f"its {key}")
    names, ids = (_strings(path, arrays, key) for key in _NAMES)
    values = sparse_matrix(path, arrays, bound) if "format" in arrays else _only_array(path, arrays)
    if ids is not None and len(ids) != values.shape[0]:
        raise DataError(path, f"has {len(ids)} ids for {values.shape[0]} rows.")
    return FileMatrix(values, names, ids)


def _ending(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _from_table(path: Path, max_bytes: int | None, ids: str | None, allow_gaps: bool) -> FileMatrix:
    asked = () if ids is None else ids.split(",")
    tables = Tables([path], (*ID_NAMES, *ROW_NAMES, *asked), max_bytes)
    id_name = named_ids(path, asked, tables.names) if asked else _found_ids(tables)
    names = [name for name in tables.names if name not in (id_name, *row_names(tables.names))]
    if names == [_LABEL_SETS] and _is_plain_text(tables, _LABEL_SETS):
        return _from_label_sets(tables, id_name)
    has_ids = id_name is not None
    tables.bound.check(tables.n_rows * (len(names) * 8 + has_ids * TEXT_BYTES), "its cells")
    values = np.empty((tables.n_rows, len(names)))
    for j, name in enumerate(names):
        values[:, j] = _numbers(tables, name, allow_gaps)
    if id_name is None:
        return FileMatrix(values, tuple(names), None)
    return FileMatrix(values, tuple(names), _ids(tables, id_name), id_name)


def _from_label_sets(tables: Tables, id_name: str | None) -> FileMatrix:
    """Return 0/1 for the label names that each row lists."""
    Y, names = from_sets(tables, _LABEL_SETS, None)
    if Y is None:
        raise DataError(tables.files[0].path, f"has no label name in column {_LABEL_SETS!r}.")
    ids = None if id_name is None else _ids(tables, id_name)
    return FileMatrix(Y, tuple(names), ids, id_name or "id", has_label_lists=True)


def _found_ids(tables: Tables) -> str | None:
    """Return the column of ids; values are looked at in batches, and only until they show it."""
    is_parquet = _ending(Path(tables.files[0].path)) == ".parquet"

    def parts(name: str) -> Iterator[Any]:
        for batch in tables.table.select([name]).to_batches(_LOOKED_AT):
            yield batch.column(0)

    return find_ids(tables.names, parts, is_parquet=is_parquet)


def _is_plain_text(tables: Tables, name: str) -> bool:
    """Return whether a column is text, and not yes and no."""
    return is_text(tables.column(name)) and zeros_and_ones(tables, name) is None


def _ids(tables: Tables, name: str) -> tuple[str, ...]:
    found = texts(as_written(tables.column(name)))
    if "" in found:
        raise tables.fault(f"has no value for {name!r}.", int(np.argmax(found == "")))
    return tuple(found.tolist())


def _numbers(tables: Tables, name: str, allow_gaps: bool) -> np.ndarray:
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
