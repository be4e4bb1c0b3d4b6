"""Write scores and decisions to files, as a matrix or as label names, and check `--format`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._io import ending_of, written_whole
from labelwise._tables import ID_NAMES, ROW_NAMES, arrow_numbers, arrow_texts
from labelwise._text import safe_cell
from labelwise._validation import NamedMatrix

_WRITTEN = (".csv", ".parquet", ".jsonl", ".npy", ".npz")
# Endings for each --format of decisions; the first one is that of a stream.
_FORMATS = {"wide": _WRITTEN, "names": (".csv", ".parquet"), "json": (".jsonl",)}
# What --format names writes between the labels of a row, before a space.
_SEPARATOR = ";"


def check_matrix_ending(path: Path) -> None:
    """Refuse an ending in which no matrix is written."""
    if ending_of(path, ".csv") not in _WRITTEN:
        raise ValueError(f"{path} must end in {_or(_WRITTEN)}.")


def check_format(form: str, path: Path | None) -> None:
    """Refuse an unknown --format of decisions, and an ending that the format is not for."""
    if form not in _FORMATS:
        raise ValueError(f"--format must be one of {', '.join(_FORMATS)}, got {form!r}.")
    endings = _FORMATS[form]
    if path is not None and ending_of(path, endings[0]) not in endings:
        raise ValueError(f"{path} must end in {_or(endings)} with --format {form}.")


def _or(endings: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))


def check_label_names(form: str, names: Sequence[str]) -> None:
    """Refuse label names that a reader of --format names could not separate again."""
    bad = next((name for name in names if _SEPARATOR in name), None)
    if form == "names" and bad is not None:
        raise ValueError(
            f"--format names joins labels by {_SEPARATOR!r}, which {bad!r} has: use json."
        )


def write_label_sets(
    path: Path, decided: NamedMatrix, form: str, *, safe_csv: bool = False
) -> None:
    """Write the names of the decided labels of each row: json as lists, names joined by "; "."""
    names, rows = np.array(_names(decided), dtype=object), _dense(decided.values) != 0
    sets = [names[row].tolist() for row in rows]
    id_name = _id_name(replace(decided, label_names=("labels",)))
    with written_whole(path) as stream:
        if form == "json":
            lists = ({"labels": of_row} for of_row in sets)
            _write_json_lines(stream, lists, decided.ids, id_name)
            return
        columns = {"labels": [f"{_SEPARATOR} ".join(of_row) for of_row in sets]}
        if decided.ids is not None:
            columns = {id_name: list(decided.ids)} | columns
        _write_table(stream, columns, ending_of(path, ".csv"), safe_cell if safe_csv else str)


def write_matrix(path: Path, matrix: NamedMatrix, *, safe_csv: bool = False) -> None:
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
            names = _names(matrix)
            rows = _dense(matrix.values).tolist()
            cells = (dict(zip(names, row, strict=True)) for row in rows)
            _write_json_lines(stream, cells, matrix.ids, _id_name(matrix))
        else:
            columns: dict[str, Any] = {} if matrix.ids is None else {_id_name(matrix): matrix.ids}
            values = _dense(matrix.values)
            columns |= {name: values[:, j] for j, name in enumerate(_names(matrix))}
            _write_table(stream, columns, ending, safe_cell if safe_csv else str)


def _dense(values: Any) -> np.ndarray:
    """Return scores in their type, and decisions as int8."""
    kind = values.dtype if values.dtype.kind == "f" else np.int8
    return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=kind)


def _names(matrix: NamedMatrix) -> tuple[str, ...]:
    """Return the label names, or numbers if there are none."""
    return matrix.label_names or tuple(map(str, range(matrix.values.shape[1])))


def _id_name(matrix: NamedMatrix) -> str:
    """Return the name for the column of ids, which must not be that of a label."""
    names = _names(matrix)
    return next(name for name in (matrix.id_name, *ID_NAMES, *ROW_NAMES) if name not in names)


def _write_npz(stream: Any, matrix: NamedMatrix) -> None:
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


def _write_json_lines(
    stream: Any, rows: Iterable[dict[str, Any]], ids: Sequence[str] | None, id_name: str
) -> None:
    """Write one object for each row, the id first."""
    for i, cells in enumerate(rows):
        of_id = {} if ids is None else {id_name: ids[i]}
        stream.write(json.dumps({**of_id, **cells}, ensure_ascii=False).encode() + b"\n")


def _write_table(
    stream: Any, columns: dict[str, Any], ending: str, written: Callable[[str], str]
) -> None:
    """Write columns of texts and arrays of numbers as parquet or csv."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    written = str if ending == ".parquet" else written
    arrays = [
        arrow_numbers(of) if isinstance(of, np.ndarray) else arrow_texts(map(written, of))
        for of in columns.values()
    ]
    table = pa.table(arrays, names=list(map(written, columns)))
    (parquet.write_table if ending == ".parquet" else csv.write_csv)(table, stream)
