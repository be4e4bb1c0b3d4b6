"""Read scores and labels from files, and match their rows by id and columns by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import DataError, reading
from labelwise._validation import Labels, Scores, check_labels, check_scores, columns_in_order
from labelwise.cli._matrix_files import FileMatrix, is_matrix_file, read_matrix
from labelwise.cli._parsing import check_part, parse_labels, part_of
from labelwise.data import Dataset, load

# A row and a column number, and both again while they are sorted by label.
_POSITIVE_BYTES = 24


class Matrix(NamedTuple):
    """Checked scores (dense or CSR) or labels (boolean CSC) of a file, with names and ids."""

    path: Path
    values: Any
    label_names: tuple[str, ...] | None
    ids: tuple[str, ...] | None
    id_name: str = "id"


def read_scores(path: Path, max_bytes: int | None = None) -> Matrix:
    """Return the scores of a file: csv, parquet, npy or npz."""
    found = read_matrix(path, max_bytes)
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
) -> Matrix:
    """Return the 0/1 labels of a matrix, or of a data set with --labels, --bags and --part."""
    check_part(part)
    if not (columns is bags is part is None and is_matrix_file(path)):
        data = load(str(path), labels=parse_labels(columns), bags=bags, max_bytes=max_bytes)
        return _labels_of(path, part_of(data, part or "all"))
    found = read_matrix(path, max_bytes)
    with reading(path, max_bytes) as bound:
        stored = found.values.data if sparse.issparse(found.values) else found.values
        n_bytes = int(np.count_nonzero(stored)) * _POSITIVE_BYTES
        bound.check(n_bytes, "its labels")
        try:
            checked = check_labels(found.values, label_names=found.label_names, input_name="labels")
        except (TypeError, ValueError) as error:
            raise DataError(path, str(error)) from error
        return _named(path, found, checked)


def matched(truth: Matrix, other: Matrix) -> Matrix:
    """Return the other matrix in the row and column order of the first."""
    rows = _same_rows(truth, other)
    columns, names = _same_columns(truth, other)
    values = other.values if rows is None else _rows_at(other.values, rows)
    if columns is not None:
        values = values[:, columns]
        if sparse.issparse(values):
            values.sort_indices()  # the form of checked scores
    return Matrix(other.path, values, names, truth.ids or other.ids, truth.id_name)


def column_order(
    names: Sequence[str] | None, n_labels: int, other: Matrix, owner: str
) -> np.ndarray | None:
    """Return the column of each label in a matrix, or None if columns are not matched by name."""
    if names is not None and other.label_names is not None:
        same = set(names) == set(other.label_names)
        if same or not (are_numbers(names) or are_numbers(other.label_names)):
            return columns_in_order(names, other.label_names, str(other.path))
    if n_labels != other.values.shape[1]:
        raise DataError(
            other.path, f"has {other.values.shape[1]} labels but {owner} has {n_labels}."
        )
    return None


def _named(path: Path, found: FileMatrix, checked: Labels | Scores) -> Matrix:
    if 0 in checked.matrix.shape:
        rows, columns = checked.matrix.shape
        raise DataError(path, f"must have a row and a label, got {rows} and {columns}.")
    return Matrix(path, checked.matrix, checked.names, found.ids, found.id_name)


def _labels_of(path: Path, data: Dataset) -> Matrix:
    """Return the labels of a data set."""
    if data.Y is None:
        raise DataError(path, "has no labels.")
    if 0 in data.Y.shape:
        raise DataError(path, f"must have a row and a label, got shape {data.Y.shape}.")
    return Matrix(path, data.Y, data.label_names, *ids_of(data))


def ids_of(data: Dataset) -> tuple[tuple[str, ...] | None, str]:
    """Return the ids of samples and the name of their attribute, if there is exactly one."""
    if len(data.ids) != 1:
        return None, "id"
    id_name, values = next(iter(data.ids.items()))
    return tuple(map(str, values)), id_name


def _same_rows(truth: Matrix, other: Matrix) -> np.ndarray | None:
    """Return the row of the other matrix for each row of the first; None without ids."""
    if truth.ids is None or other.ids is None:
        n_rows, n_others = truth.values.shape[0], other.values.shape[0]
        if n_rows != n_others:
            raise DataError(other.path, f"has {n_others} rows but {truth.path} has {n_rows}.")
        return None
    places, others = _places(truth), _places(other)
    for here, there, lacking in ((places, others, other), (others, places, truth)):
        owner = truth if lacking is other else other
        missing = next((name for name in here if name not in there), None)
        if missing is not None:
            raise DataError(lacking.path, f"lacks row {missing!r}, which {owner.path} has.")
    return np.array([others[name] for name in truth.ids], dtype=np.intp)


def _places(matrix: Matrix) -> dict[str, int]:
    """Return the row of each id, which must occur once."""
    places: dict[str, int] = {}
    for row, name in enumerate(matrix.ids or ()):
        if places.setdefault(name, row) != row:
            raise DataError(matrix.path, f"has row {name!r} twice.")
    return places


def _same_columns(truth: Matrix, other: Matrix) -> tuple[np.ndarray | None, tuple[str, ...] | None]:
    order = column_order(truth.label_names, truth.values.shape[1], other, str(truth.path))
    names = (truth.label_names, other.label_names)
    # Numbers take the place of names that are not known.
    known = [given for given in names if given is not None and not are_numbers(given)]
    return order, next(iter([*known, *(given for given in names if given is not None)]), None)


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether names are only the numbers 0, 1, ..., as for data without names."""
    return list(names) == [str(number) for number in range(len(names))]


def _rows_at(values: Any, rows: np.ndarray) -> Any:
    if isinstance(values, sparse.csc_array):
        return sparse.csc_array(sparse.csr_array(values)[rows])
    return values[rows]
