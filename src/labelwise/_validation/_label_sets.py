"""Label sets: lists of Python sets as matrices, and the distinct rows of a label matrix."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from labelwise._validation._matrices import Labels, Scores


def is_list_of_sets(Y: Any) -> bool:
    """Return whether Y is a list or tuple of Python sets, each the labels of a row."""
    return (
        isinstance(Y, list | tuple)
        and len(Y) > 0
        and all(isinstance(row, set | frozenset) for row in Y)
    )


def names_in_sets(**label_sets: Any) -> tuple[str, ...]:
    """Return the union of the labels in lists of sets, given by argument name, as sorted names.

    Whole numbers are sorted as numbers, strings as text.
    """
    are_numbers = {name: has_numbers(rows, name) for name, rows in label_sets.items()}
    if {True, False} <= set(are_numbers.values()):
        raise ValueError(
            f"{' and '.join(are_numbers)} must have the same kind of labels in their sets, "
            "got strings and whole numbers."
        )
    found = {str(label) for rows in label_sets.values() for row in rows for label in row}
    return _in_order(found, as_numbers=True in are_numbers.values())


def columns_of_sets(
    label_sets: Mapping[str, Any], matrices: Mapping[str, Labels | Scores]
) -> tuple[str, ...]:
    """Return the labels of the columns of lists of sets that come with matrices.

    Both are given by argument name. With a matrix without names, the columns are those of a
    frame if there is one, and otherwise the members of the sets must be column numbers. Lists of
    sets that come only with frames have the sorted union of all names.
    """
    named = [matrix.names for matrix in matrices.values() if matrix.names is not None]
    unnamed = [name for name, matrix in matrices.items() if matrix.names is None]
    if not matrices:
        return names_in_sets(**label_sets)
    if not named:
        n_columns = matrices[unnamed[0]].matrix.shape[1]
        for name, rows in label_sets.items():
            _check_column_numbers(rows, n_columns, name, unnamed[0])
        return tuple(map(str, range(n_columns)))
    if unnamed or "Y" in matrices:
        return named[0]
    are_numbers = [has_numbers(rows, name) for name, rows in label_sets.items()]
    every_name = {*names_in_sets(**label_sets), *(name for names in named for name in names)}
    return _in_order(every_name, as_numbers=True in are_numbers)


def matrix_of_sets(rows: Sequence[Any], names: tuple[str, ...], input_name: str) -> Any:
    """Return the boolean CSC matrix of a list of sets whose members are among the names."""
    has_numbers(rows, input_name)
    place = {name: j for j, name in enumerate(names)}
    indices: list[int] = []
    indptr = [0]
    for i, row in enumerate(rows):
        for label in row:
            j = place.get(str(label))
            if j is None:
                raise ValueError(f"{input_name} has an unknown label {str(label)!r} in row {i}.")
            indices.append(j)
        indptr.append(len(indices))
    ones = np.ones(len(indices), dtype=bool)
    matrix = sparse.csr_array((ones, indices, indptr), shape=(len(rows), len(names)))
    return sparse.csc_array(matrix)


def has_numbers(rows: Sequence[Any], input_name: str) -> bool | None:
    """Return whether the labels in sets are whole numbers; None if there are no labels.

    Labels that are neither strings nor whole numbers are refused, and so is a mixture of both,
    since 1 and "1" have the same name.
    """
    # Labels have few types; single labels are examined only for the error message.
    kinds = {_is_number(kind) for kind in {type(label) for row in rows for label in row}}
    if None not in kinds and len(kinds) < 2:
        return next(iter(kinds), None)
    cells = [(i, label) for i, row in enumerate(rows) for label in row]
    for i, label in cells:
        if _is_number(type(label)) is None:
            raise TypeError(
                f"{input_name} must have strings or whole numbers in its sets, "
                f"got {label!r} in row {i}."
            )
    i, label = next(cell for cell in cells if _is_number(type(cell[1])) is True)
    j, text = next(cell for cell in cells if _is_number(type(cell[1])) is False)
    raise ValueError(
        f"{input_name} must have either strings or whole numbers in its sets, "
        f"got {label!r} in row {i} and {text!r} in row {j}."
    )


def _is_number(kind: type) -> bool | None:
    """Return whether labels of a type are whole numbers; None if they are not strings either."""
    if issubclass(kind, str):
        return False
    is_whole = issubclass(kind, int | np.integer) and not issubclass(kind, bool)
    return True if is_whole else None


def _in_order(names: Collection[str], *, as_numbers: bool) -> tuple[str, ...]:
    """Sort names, as numbers if `as_numbers` and all names are whole numbers."""
    if as_numbers and all(name.removeprefix("-").isdecimal() for name in names):
        return tuple(sorted(names, key=int))
    return tuple(sorted(names))


def _check_column_numbers(
    rows: Sequence[Any], n_columns: int, input_name: str, matrix_name: str
) -> None:
    """Refuse sets whose members are not numbers of the columns of a matrix without names."""
    are_numbers = has_numbers(rows, input_name)
    for i, row in enumerate(rows):
        for label in row:
            if not are_numbers or not 0 <= label < n_columns:
                raise ValueError(
                    f"{input_name} is a list of sets, but the labels of {matrix_name} have no "
                    "names: give label_names, or sets of column numbers from 0 to "
                    f"{n_columns - 1}, got {label!r} in row {i}."
                )


def label_set_numbers(Y: sparse.sparray) -> np.ndarray:
    """Return the number of each row's label set; only equal rows have the same number.

    Rows of equal length are compared as rows of one array, so memory stays O(nnz).
    """
    rows = sparse.csr_array(Y)
    rows.sort_indices()
    sizes = np.diff(rows.indptr)
    numbers = np.empty(rows.shape[0], dtype=np.int64)
    n_found = 0
    by_size = np.argsort(sizes, kind="stable")
    for same_size in np.split(by_size, np.flatnonzero(np.diff(sizes[by_size])) + 1):
        if same_size.size == 0:
            continue
        size = sizes[same_size[0]]
        members = rows.indices[rows.indptr[same_size][:, None] + np.arange(size)]
        distinct, number = np.unique(members, axis=0, return_inverse=True)
        numbers[same_size] = n_found + number.ravel()
        # Rows without labels have no column to compare: they are one label set.
        n_found += max(1, len(distinct))
    return numbers
