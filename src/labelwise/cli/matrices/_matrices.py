"""Read scores and labels from files, with their label names and ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._columns import ROW_NAMES, columns_like_ids, ids_hint, named_ids
from labelwise._io import DataError, reading
from labelwise._validation import (
    Labels,
    Scores,
    check_labels,
    check_scores,
    first_cell,
    with_nan,
)
from labelwise.cli._data_source import check_part, parse_labels, part_of
from labelwise.cli.matrices._matrix_files import FileMatrix, is_matrix_file, read_matrix
from labelwise.data import Dataset, load, read_frame
from labelwise.decisions import check_states

# A row and a column number, and both again while they are sorted by label.
_POSITIVE_BYTES = 24


class Matrix(NamedTuple):
    """Checked scores (dense or CSR) or labels (boolean CSC) of a file, with names and ids."""

    path: Path
    values: Any
    label_names: tuple[str, ...] | None
    ids: tuple[str, ...] | None
    id_name: str = "id"
    has_label_lists: bool = False  # labels are those that a row mentions


def read_scores(path: Path, max_bytes: int | None = None, *, ids: str | None = None) -> Matrix:
    """Return the scores of a file: csv, parquet, jsonl, npy or npz; `ids` is the text of --ids."""
    found = read_matrix(path, max_bytes, ids)
    if found.has_label_lists:
        raise DataError(path, "has label names, not scores: a number for each label is needed.")
    with reading(path):
        try:
            return _named(path, found, check_scores(found.values, label_names=found.label_names))
        except (TypeError, ValueError) as error:
            raise DataError(path, str(error)) from error


def read_labels(
    path: Path,
    columns: str | None = None,
    max_bytes: int | None = None,
    *,
    bags: str | None = None,
    part: str | None = None,
    ids: str | None = None,
    allow_missing: bool = False,
) -> Matrix:
    """Return the 0/1 labels of a matrix, or of a data set with --labels, --bags and --part.

    Missing labels are NaN. They are refused unless `allow_missing`.
    """
    check_part(part)
    if not (columns is bags is part is None and is_matrix_file(path)):
        labels = parse_labels(columns)
        id_name = _id_name(path, ids, max_bytes)
        data = load(str(path), labels=labels, ids=id_name, bags=bags, max_bytes=max_bytes)
        of_data = _labels_of(path, part_of(data, part or "all"))
        is_list = is_matrix_file(path) and isinstance(labels, str) and not labels.endswith("*")
        truth = of_data._replace(has_label_lists=is_list and of_data.label_names != (labels,))
    else:
        found = read_matrix(path, max_bytes, ids, allow_gaps=True)
        truth = _labels_in(path, found, max_bytes, allow_missing=True)
    if not allow_missing:
        _refuse_missing(truth)
    return truth


def _refuse_missing(truth: Matrix) -> None:
    """Refuse missing labels where the truth of every cell is needed."""
    if truth.values.dtype.kind != "f" or not (gone := np.isnan(truth.values.data)).any():
        return
    cells = truth.values.tocoo()
    missing = sparse.csc_array((gone[gone], (cells.row[gone], cells.col[gone])), cells.shape)
    row, column = first_cell(missing)
    name = column if truth.label_names is None else truth.label_names[column]
    place = f"row {row if truth.ids is None else truth.ids[row]!r}, label {name!r}"
    raise DataError(
        truth.path,
        f"must have no missing labels, because this command needs the truth of every cell, got "
        f"{missing.nnz:,} (first: {place}): fill them in or leave out their rows, or use labelwise "
        "tune without --review and labelwise evaluate, which leave missing cells out.",
    )


def _id_name(path: Path, ids: str | None, max_bytes: int | None) -> str | None:
    """Return the id column of a data set; of several names, the first that its table has."""
    if ids is None or "," not in ids:
        return ids
    return named_ids(path, ids.split(","), read_frame(path, (), max_bytes).column_names)


def read_decisions(path: Path, max_bytes: int | None = None, *, ids: str | None = None) -> Matrix:
    """Return the decisions of a file: labels, or int8 with 1 and -1 if some cells are to review."""
    if not is_matrix_file(path):
        return read_labels(path, max_bytes=max_bytes, ids=ids)
    found = read_matrix(path, max_bytes, ids)
    stored = found.values.data if sparse.issparse(found.values) else found.values
    if not (stored == -1).any():
        return _labels_in(path, found, max_bytes)
    checked = check_scores(found.values, label_names=found.label_names)
    try:
        states = sparse.csc_array(check_states(checked.matrix, "decisions"))
    except ValueError as error:
        raise DataError(path, str(error)) from error
    return _named(path, found, Labels(states, checked.names))


def _labels_in(
    path: Path, found: FileMatrix, max_bytes: int | None, *, allow_missing: bool = False
) -> Matrix:
    """Return the 0/1 labels of a matrix file."""
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
            problem = f"{str(error).removesuffix('.')}: give {hint}." if hint else str(error)
            raise DataError(path, problem) from error
        return _named(path, found, checked._replace(matrix=with_nan(*checked[::2])))


def _named(path: Path, found: FileMatrix, checked: Labels | Scores) -> Matrix:
    if 0 in checked.matrix.shape:
        rows, columns = checked.matrix.shape
        raise DataError(path, f"must have a row and a label, got {rows} and {columns}.")
    ids = found.ids, found.id_name
    return Matrix(path, checked.matrix, checked.names, *ids, found.has_label_lists)


def _labels_of(path: Path, data: Dataset) -> Matrix:
    """Return the labels of a data set."""
    if data.Y is None:
        raise DataError(path, "has no labels.")
    if 0 in data.Y.shape:
        raise DataError(path, f"must have a row and a label, got shape {data.Y.shape}.")
    return Matrix(path, data.Y, data.label_names, *ids_of(data))


def ids_of(data: Dataset) -> tuple[tuple[str, ...] | None, str]:
    """Return the ids of samples and the name of their attribute, if there is exactly one.

    Row names, which R and pandas add to a table, are ids only if there are no others.
    """
    names = [name for name in data.ids if name not in ROW_NAMES] or list(data.ids)
    if len(names) != 1:
        return None, "id"
    return tuple(map(str, data.ids[names[0]])), names[0]


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether names are only the numbers 0, 1, ..., as for data without names."""
    return list(names) == [str(number) for number in range(len(names))]
