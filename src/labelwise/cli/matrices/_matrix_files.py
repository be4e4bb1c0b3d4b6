"""Read and write files of one matrix: csv, parquet, JSON lines, npy and npz."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._columns import numbers, texts
from labelwise._io import (
    TEXT_BYTES,
    Arrays,
    Bound,
    DataError,
    arrow_numbers,
    arrow_texts,
    ending_of,
    npy_array,
    npz_arrays,
    read_bytes,
    reading,
    sparse_matrix,
    written_whole,
)
from labelwise._text import safe_cell
from labelwise.cli.matrices._json_lines import read_json_lines, write_json_lines, write_label_lists
from labelwise.data import Tables

_TABLES, _OTHERS = (".csv", ".tsv", ".parquet"), (".jsonl", ".npy", ".npz")
_WRITTEN = (".csv", ".parquet", ".jsonl", ".npy", ".npz")
# The column of ids in parquet files that pandas writes; it is the last one.
_PANDAS_INDEX = "__index_level_0__"
# The first column is an id if it is text or has such a name; pandas writes the last two.
_ID_NAMES = ("id", "Id", "ID", "row", "Row", "", _PANDAS_INDEX)
_NAMES = ("label_names", "ids")
# Endings for each --format of decisions; the first one is that of a stream.
_FORMATS = {"wide": _WRITTEN, "names": (".csv", ".parquet"), "json": (".jsonl",)}


class FileMatrix(NamedTuple):
    """Matrix of a file before it is checked, with names and ids."""

    values: Any
    label_names: tuple[str, ...] | None
    ids: tuple[str, ...] | None
    id_name: str = "id"


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

    `ids` names the column of ids; without it, the column is found by its name, type and place. With
    `allow_gaps`, empty cells of a table are NaN; otherwise they are refused.
    """
    ending = _ending(path)
    if ending not in (*_TABLES, *_OTHERS):
        raise DataError(path, f"has none of the endings {', '.join((*_TABLES, *_OTHERS))}.")
    with reading(path, max_bytes) as bound:
        if ending in _TABLES:
            return _from_table(path, max_bytes, ids, allow_gaps)
        content = read_bytes(path, bound.max_bytes)
        if ending == ".jsonl":
            found = read_json_lines(path, content, bound, _ID_NAMES if ids is None else [ids])
            if ids is not None and (found.ids is None or found.id_name != ids):
                raise DataError(path, f"has no column {ids!r}.")
            return FileMatrix(*found)
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


def check_matrix_ending(path: Path) -> None:
    """Refuse an ending in which no matrix is written."""
    if ending_of(path, ".csv") not in _WRITTEN:
        raise ValueError(f"{path} must end in one of {', '.join(_WRITTEN)}.")


def check_format(form: str, path: Path | None) -> None:
    """Refuse an unknown --format of decisions, and an ending that the format is not for."""
    if form not in _FORMATS:
        raise ValueError(f"--format must be one of {', '.join(_FORMATS)}, got {form!r}.")
    endings = _FORMATS[form]
    if path is not None and ending_of(path, endings[0]) not in endings:
        raise ValueError(f"{path} must end in one of {', '.join(endings)} with --format {form}.")


def write_label_sets(path: Path, decided: FileMatrix, form: str, *, safe_csv: bool = False) -> None:
    """Write the names of the decided labels of each row: json as lists, names joined by "; "."""
    names, rows = np.array(_names(decided), dtype=object), _dense(decided.values) != 0
    sets = [names[row].tolist() for row in rows]
    id_name = _id_name(decided._replace(label_names=("labels",)))
    with written_whole(path) as stream:
        if form == "json":
            write_label_lists(stream, sets, decided.ids, id_name)
            return
        columns = {"labels": ["; ".join(of_row) for of_row in sets]}
        if decided.ids is not None:
            columns = {id_name: list(decided.ids)} | columns
        _write_texts(stream, columns, ending_of(path, ".csv"), safe_cell if safe_csv else str)


def write_matrix(path: Path, matrix: FileMatrix, *, safe_csv: bool = False) -> None:
    """Write decisions or scores, to ``-`` as csv; npy files have no names and ids.

    With `safe_csv`, names and ids that a spreadsheet would run as formulas get an apostrophe.
    """
    ending = ending_of(path, ".csv")
    with written_whole(path) as stream:
        if ending == ".npy":
            np.save(stream, _dense(matrix.values), allow_pickle=False)
        elif ending == ".npz":
            _write_npz(stream, matrix)
        elif ending == ".jsonl":
            values, names = _dense(matrix.values), _names(matrix)
            write_json_lines(stream, values, names, matrix.ids, _id_name(matrix))
        else:
            _write_table(stream, matrix, ending, safe_cell if safe_csv else str)


def _ending(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _from_table(path: Path, max_bytes: int | None, ids: str | None, allow_gaps: bool) -> FileMatrix:
    tables = Tables([path], _ID_NAMES if ids is None else (*_ID_NAMES, ids), max_bytes)
    id_name = _id_column(tables) if ids is None else ids
    names = [name for name in tables.names if name != id_name]
    has_ids = id_name is not None
    tables.bound.check(tables.n_rows * (len(names) * 8 + has_ids * TEXT_BYTES), "its cells")
    values = np.empty((tables.n_rows, len(names)))
    for j, name in enumerate(names):
        values[:, j] = _numbers(tables, name, allow_gaps)
    if id_name is None:
        return FileMatrix(values, tuple(names), None)
    return FileMatrix(values, tuple(names), _ids(tables, id_name), id_name)


def _id_column(tables: Tables) -> str | None:
    """Return the first column if it is one of ids, or the last one as pandas writes its index."""
    import pyarrow as pa

    first, last = tables.names[0], tables.names[-1]
    if first in _ID_NAMES or pa.types.is_string(tables.column(first).type):
        return first
    if _PANDAS_INDEX in tables.known:
        return _PANDAS_INDEX
    is_parquet = _ending(Path(tables.files[0].path)) == ".parquet"
    return last if is_parquet and pa.types.is_string(tables.column(last).type) else None


def _ids(tables: Tables, name: str) -> tuple[str, ...]:
    import pyarrow as pa

    found = texts(tables.column(name).cast(pa.string()))
    if "" in found:
        raise tables.fault(f"has no value for {name!r}.", int(np.argmax(found == "")))
    return tuple(found.tolist())


def _numbers(tables: Tables, name: str, allow_gaps: bool) -> np.ndarray:
    """Return a column of numbers, with NaN in its gaps if these are allowed."""
    import pyarrow as pa

    column = tables.column(name)
    if pa.types.is_nested(column.type):
        raise DataError(tables.files[0].path, f"has lists in column {name!r}, not numbers.")
    try:
        values = numbers(column)
    except pa.ArrowInvalid as error:
        row = _first_row_without_number(column)
        text = column[row].as_py()
        raise tables.fault(
            f"has {text!r:.50} in column {name!r}, not a number (--ids names a column of ids, "
            "--labels a column of label names).",
            row,
        ) from error
    if not allow_gaps and np.isnan(values).any():
        raise tables.fault(f"has no value in column {name!r}.", int(np.argmax(np.isnan(values))))
    return values


def _first_row_without_number(column: Any) -> int:
    """Return the first row that Arrow cannot read as a number, by bisection."""
    import pyarrow as pa

    first, n_rows = 0, len(column)
    while n_rows > 1:
        half = n_rows // 2
        try:
            numbers(column.slice(first, half))
        except pa.ArrowInvalid:
            n_rows = half
        else:
            first, n_rows = first + half, n_rows - half
    return first


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


def _dense(values: Any) -> np.ndarray:
    """Return scores in their type, and decisions as int8."""
    kind = values.dtype if values.dtype.kind == "f" else np.int8
    return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=kind)


def _names(matrix: FileMatrix) -> tuple[str, ...]:
    """Return the label names, or numbers if there are none."""
    return matrix.label_names or tuple(map(str, range(matrix.values.shape[1])))


def _id_name(matrix: FileMatrix) -> str:
    """Return the name for the column of ids, which must not be that of a label."""
    names = _names(matrix)
    return next(name for name in (matrix.id_name, *_ID_NAMES) if name not in names)


def _write_npz(stream: Any, matrix: FileMatrix) -> None:
    """Write scores, or decisions that scipy.sparse.load_npz reads; names and ids beside."""
    extra = {"label_names": matrix.label_names, "ids": matrix.ids}
    known = {key: np.array(value, dtype=np.str_) for key, value in extra.items() if value}
    if matrix.values.dtype.kind == "f":
        np.savez_compressed(stream, scores=_dense(matrix.values), **known)  # type: ignore[arg-type]
        return
    rows = sparse.csr_array(matrix.values, dtype=np.int8)
    parts = {"indices": rows.indices, "indptr": rows.indptr, "data": rows.data}
    about = {"format": np.array(b"csr"), "shape": np.array(rows.shape), "_is_array": True}
    np.savez_compressed(stream, **parts, **about, **known)  # type: ignore[arg-type]


def _write_table(
    stream: Any, matrix: FileMatrix, ending: str, written: Callable[[str], str]
) -> None:
    import pyarrow as pa
    from pyarrow import csv, parquet

    values = _dense(matrix.values)
    names = _names(matrix)
    columns: dict[str, Any] = {}
    if matrix.ids is not None:
        columns[_id_name(matrix)] = arrow_texts(matrix.ids)
    columns |= {name: arrow_numbers(values[:, j]) for j, name in enumerate(names)}
    table = pa.table(columns)
    if ending == ".parquet":
        parquet.write_table(table, stream)
        return
    if matrix.ids is not None:
        ids = arrow_texts([written(text) for text in matrix.ids])
        table = table.set_column(0, table.column_names[0], ids)
    csv.write_csv(table.rename_columns([written(name) for name in table.column_names]), stream)


def _write_texts(
    stream: Any, columns: dict[str, list[str]], ending: str, written: Callable[[str], str]
) -> None:
    """Write columns of text as parquet or csv."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    if ending == ".parquet":
        parquet.write_table(pa.table(columns), stream)
        return
    cells = {written(name): list(map(written, texts)) for name, texts in columns.items()}
    csv.write_csv(pa.table(cells), stream)
