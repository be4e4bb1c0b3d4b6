"""Check label and score matrices: one storage, missing cells, and columns matched by name.

Labels become boolean CSC. Cells without truth are NaN at public functions, and a matrix of their
own behind. Scores become dense, or CSR, in which an absent cell is never decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import listed
from labelwise._validation._arrays import (
    as_dense,
    check_names,
    check_readable,
    column_without_numbers,
    frame_columns,
    is_array_per_label,
    is_frame,
    scores_of_class_1,
)
from labelwise._validation._label_sets import is_list_of_sets, matrix_of_sets, names_in_sets
from labelwise._validation._named_matrices import NamedMatrix


class Labels(NamedTuple):
    """A checked label matrix, boolean CSC, and its column names (None if it has none).

    `missing` has the cells without truth, which are False in the matrix; None if there are none.
    """

    matrix: sparse.csc_array
    names: tuple[str, ...] | None
    missing: sparse.csc_array | None = None


class Scores(NamedTuple):
    """Checked scores, dense float or CSR, and their column names (None if they have none)."""

    matrix: np.ndarray | sparse.csr_array
    names: tuple[str, ...] | None


def check_labels(
    Y: Any,
    *,
    label_names: Sequence[str] | None = None,
    input_name: str = "Y",
    allow_missing: bool = False,
) -> Labels:
    """Convert Y to a boolean CSC matrix of shape (n_samples, n_labels), with its label names.

    Y is an array, a sparse matrix, a frame or a list of sets, with only 0 and 1 or booleans. The
    columns of a frame and the members of sets (strings, or whole numbers) are label names; a list
    of lists is a matrix. `label_names` name the columns, and give the order of those of a frame;
    for sets, None means the sorted members, numbers in the order of numbers. With `allow_missing`,
    NaN, null and masked cells are labels without truth; otherwise they are refused.
    """
    if is_list_of_sets(Y):
        known = (
            names_in_sets(**{input_name: Y})
            if label_names is None
            else check_names(label_names, "label_names")
        )
        return Labels(matrix_of_sets(Y, known, input_name), known)
    array, names = _array_and_names(unmasked(Y) if allow_missing else Y, label_names, input_name)
    if sparse.issparse(array):
        matrix = sparse.csc_array(array)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()  # the argument must not be changed
            matrix.sum_duplicates()
        bad, gone = _not_binary(matrix.data, allow_missing)
        _refuse_first(bad, matrix, names, input_name, "contain only 0 and 1")
        if gone is not None:
            positive = ~gone & (matrix.data > 0)
            return Labels(_stored(matrix, positive), names, _stored(matrix, gone))
        matrix = matrix.astype(bool)
        matrix.eliminate_zeros()
        return Labels(matrix, names)
    positive = array if array.dtype == bool else array == 1
    # Two passes without further arrays; NaN counts as not 0.
    if array.dtype == bool or np.count_nonzero(array) == np.count_nonzero(positive):
        return Labels(_cells(positive), names)
    bad, gone = _not_binary(array, allow_missing)
    _refuse_first(bad, array, names, input_name, "contain only 0 and 1")
    return Labels(_cells(positive), names, None if gone is None else _cells(gone))


def check_scores(
    scores: Any,
    *,
    label_names: Sequence[str] | None = None,
    input_name: str = "scores",
    n_labels: int | None = None,
) -> Scores:
    """Convert scores to a dense float array, or to CSR, in which absent means never decided.

    float32 stays float32; every other number becomes float64. A list with an array of shape
    (n_samples, 2) for each label, as `predict_proba` of forests returns it, means its last
    columns. Scores must be finite. The arguments and errors are those of `check_labels`;
    `n_labels` is the number of labels, if it is known, for the error about a single row.
    """
    if is_array_per_label(scores):
        scores = scores_of_class_1(scores, input_name)
    array, names = _array_and_names(scores, label_names, input_name, n_labels)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if sparse.issparse(array):
        matrix = sparse.csr_array(array)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        _refuse_first(~np.isfinite(matrix.data), matrix, names, input_name, "be finite")
        return Scores(matrix, names)
    # If the sum is finite, each score is finite; this takes one pass without a temporary array.
    with np.errstate(over="ignore", invalid="ignore"):
        all_finite = np.isfinite(array.sum())
    if not all_finite:
        _refuse_first(~np.isfinite(array), array, names, input_name, "be finite")
    return Scores(array, names)


def take_columns(matrix: Any, columns: np.ndarray) -> Any:
    """Return columns of a dense or sparse matrix, stored as checked matrices are."""
    taken = matrix[:, columns]
    if not sparse.issparse(taken):
        # NumPy selects columns in column order, for which kernels would be compiled again.
        return np.ascontiguousarray(taken)
    taken.sort_indices()
    return taken


def columns_in_order(wanted: Sequence[str], given: Sequence[str], input_name: str) -> np.ndarray:
    """Return the index of each wanted name among the given names, which must be the same set."""
    place = {name: j for j, name in enumerate(given)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise ValueError(f"{input_name} lacks label {listed(missing, most=1)}.")
    if len(given) > len(wanted):
        known = set(wanted)
        extra = [name for name in given if name not in known]
        raise ValueError(f"{input_name} has an unknown label {listed(extra, most=1)}.")
    return np.array([place[name] for name in wanted], dtype=np.intp)


def _array_and_names(
    data: Any, label_names: Sequence[str] | None, input_name: str, n_labels: int | None = None
) -> tuple[Any, tuple[str, ...] | None]:
    """Return a 2-D numeric array, dense or sparse, with names from the argument or the frame."""
    names = None if label_names is None else check_names(label_names, "label_names")
    columns: tuple[str, ...] | None = None
    if isinstance(data, NamedMatrix):
        data, columns = data.values, data.label_names
    if sparse.issparse(data):
        check_readable(data, input_name)
        array: Any = data
    elif isinstance(data, np.ndarray) or not is_frame(data):
        array = as_dense(data, input_name)
    else:
        array, columns = frame_columns(data)
        if array.dtype.kind not in "biuf":
            raise TypeError(
                f"{input_name} must contain numbers or booleans, got column "
                f"{column_without_numbers(data)!r}: leave it out, or, if it identifies the rows, "
                "make it the index of a pandas frame."
            )
    if columns is not None:
        array = array if names is None else array[:, columns_in_order(names, columns, input_name)]
        names = columns if names is None else names
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{input_name} must contain numbers or booleans, got {array.dtype}.")
    if array.ndim != 2:
        known = n_labels if names is None else len(names)
        advice = _advice_on_vector(array.size, known) if array.ndim == 1 else ""
        raise ValueError(f"{input_name} must be 2-D, rows by labels, got {array.ndim}-D{advice}.")
    if names is not None and len(names) != array.shape[1]:
        raise ValueError(f"label_names has {len(names)} names for {array.shape[1]} labels.")
    return array, names


def _advice_on_vector(size: int, n_labels: int | None) -> str:
    """Say how to make a matrix of a vector, which may be one sample or one label."""
    if n_labels == 1:
        return " (for one label, use reshape(-1, 1))"
    if n_labels == size:
        return f" with one value for each of {size} labels (for one sample, use reshape(1, -1))"
    return " (for one sample, use reshape(1, -1); for one label, reshape(-1, 1))"


def _not_binary(values: np.ndarray, allow_missing: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Return which values are refused, and which are missing (None if none is)."""
    bad = ~_is_binary(values)
    if not allow_missing or values.dtype.kind != "f" or not bad.any():
        return bad, None
    gone = np.isnan(values)
    return bad & ~gone, gone if gone.any() else None


def _stored(matrix: sparse.csc_array, kept: np.ndarray) -> sparse.csc_array:
    """Return a boolean matrix of some of the stored cells."""
    # A copy, because zeros are removed in place.
    cells = (kept, matrix.indices, matrix.indptr)
    found = sparse.csc_array(cells, shape=matrix.shape, copy=True)
    found.eliminate_zeros()
    return found


def _cells(is_stored: np.ndarray) -> sparse.csc_array:
    """Return a dense boolean matrix as CSC, faster than SciPy by a search in one dimension."""
    by_column = is_stored.flags.f_contiguous
    lines = is_stored.T if by_column else is_stored
    n_lines, length = lines.shape
    found = np.flatnonzero(lines)
    numbers = found // max(length, 1)
    ends = np.cumsum(np.bincount(numbers, minlength=n_lines))
    kind = sparse.get_index_dtype(maxval=max(found.size, *lines.shape))
    places = (found - numbers * length).astype(kind)
    cells = (np.ones(found.size, dtype=bool), places, np.concatenate(([0], ends), dtype=kind))
    if by_column:
        return sparse.csc_array(cells, shape=is_stored.shape)
    return sparse.csr_array(cells, shape=is_stored.shape).tocsc()


def _is_binary(values: np.ndarray) -> np.ndarray:
    """Return whether each value is 0 or 1 (NaN is neither)."""
    if values.dtype == bool:
        return np.ones(values.shape, dtype=bool)
    binary: np.ndarray = (values == 0) | (values == 1)
    return binary


def _refuse_first(
    bad: np.ndarray, array: Any, names: tuple[str, ...] | None, input_name: str, rule: str
) -> None:
    """Raise for the first offending cell in row order; for sparse arrays, bad marks `.data`."""
    if not bad.any():
        return
    if sparse.issparse(array):
        cells = array.tocoo()
        rows, columns = cells.coords[0][bad], cells.coords[1][bad]
        first = np.lexsort((columns, rows))[0]
        i, j, value = int(rows[first]), int(columns[first]), array.data[bad][first]
    else:
        i, j = (int(place) for place in np.unravel_index(np.argmax(bad), bad.shape))
        value = array[i, j]
    label = j if names is None else repr(names[j])
    raise ValueError(f"{input_name} must {rule}, got {value} at row {i}, label {label}.")


def check_states(decided: Any, input_name: str) -> sparse.csr_array:
    """Return decisions of checked numbers as int8 with 1 and -1 stored; refuse other values."""
    values = decided.data if sparse.issparse(decided) else decided
    is_state = np.isin(values, (-1, 0, 1))
    if not is_state.all():
        wrong = values[~is_state].flat[0]
        raise ValueError(f"{input_name} must contain only 1, 0 and -1 for review, got {wrong}.")
    states = sparse.csr_array(decided, dtype=np.int8)
    states.eliminate_zeros()
    return states


def unmasked(data: Any) -> Any:
    """Return labels with NaN in place of masked cells; anything but a masked array as it is."""
    is_masked = isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data)
    if not is_masked or data.dtype.kind not in "biuf":
        return data
    return np.where(np.ma.getmaskarray(data), np.nan, np.ma.getdata(data))


def with_nan(Y: sparse.csc_array, missing: sparse.csc_array | None) -> sparse.csc_array:
    """Return labels with NaN stored in the cells without truth, as `check_labels` accepts them.

    Y itself is returned if no cell is missing; missing cells are not positive.
    """
    if missing is None or missing.nnz == 0:
        return Y
    gaps = missing.astype(np.float64)
    gaps.data[:] = np.nan
    return sparse.csc_array(Y.astype(np.float64) + gaps)


def dense_targets(Y: sparse.csc_array, missing: sparse.csc_array | None) -> np.ndarray:
    """Return labels as int64, or as float64 with NaN in the cells without truth."""
    found = with_nan(Y, missing)
    return np.asarray(found.toarray(), dtype=np.int64 if found is Y else np.float64)


def without_cells(matrix: Any, missing: sparse.csc_array) -> Any:
    """Return a matrix without the missing cells; CSR for a dense array, with its zeros stored."""
    if not sparse.issparse(matrix):
        is_kept = ~missing.toarray()
        indptr = np.concatenate(([0], np.cumsum(is_kept.sum(axis=1))))
        columns = np.nonzero(is_kept)[1].astype(np.int32)
        return sparse.csr_array((matrix[is_kept], columns, indptr), shape=matrix.shape)
    found, gaps = matrix.tocoo(), missing.tocoo()
    numbers, gone = (
        cells.coords[0].astype(np.int64) * matrix.shape[1] + cells.coords[1]
        for cells in (found, gaps)
    )
    kept = ~np.isin(numbers, gone)
    cells = (found.data[kept], tuple(part[kept] for part in found.coords))
    result = sparse.coo_array(cells, shape=matrix.shape).asformat(matrix.format)
    result.sort_indices()
    return result


def first_cell(missing: sparse.csc_array) -> tuple[int, int]:
    """Return the row and the column of the first missing cell, row by row."""
    rows, columns = missing.tocoo().coords
    first = np.lexsort((columns, rows))[0]
    return int(rows[first]), int(columns[first])
