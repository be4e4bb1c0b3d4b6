"""Build the arrays of a Dataset from the parsed cells of an ARFF file.

The layout assigns columns of X to the attributes that are neither labels nor identifiers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from scipy import sparse

from labelwise._io import SIDE_BYTES, TEXT_BYTES, Bound, DataError
from labelwise._validation import with_nan
from labelwise.data.arff._header import Attribute
from labelwise.data.arff._rows import Entries, ParsedRows, line_of

# With more columns per attribute than this, X of a dense file is mostly zeros.
_SPARSE_FROM = 10
# A value, its row and its column, while a sparse matrix is put together.
_ENTRY_BYTES = 24


class Layout(NamedTuple):
    """Columns of X of each attribute.

    Attribute a fills `widths[a]` columns from `base[a]` on, none if that is -1; if `one_hot[a]`,
    one for each of its values. A sparse row that does not mention it means `left_out[a]`.
    """

    base: np.ndarray
    widths: np.ndarray
    one_hot: np.ndarray
    left_out: np.ndarray
    feature_names: list[str]


def lay_out(
    attributes: Sequence[Attribute], left_out: Sequence[int], encoding: str, bound: Bound
) -> Layout:
    """Assign columns of X to all attributes except labels and identifiers."""
    skipped = set(left_out)
    # Every value's column repeats the name of its attribute.
    shown = [len(name) + SIDE_BYTES for name, _ in attributes]
    n_bytes = sum(
        n * attributes[place].type.width for place, n in enumerate(shown) if place not in skipped
    )
    bound.check(n_bytes, "the names of its features")
    base = np.full(len(attributes), -1, dtype=np.int64)
    widths = np.array([attribute.type.width for attribute in attributes])
    names: list[str] = []
    for place, (name, kind) in enumerate(attributes):
        if place in skipped:
            continue
        base[place] = len(names)
        readable = name.decode(encoding)
        if kind.width == 1:
            names.append(readable)
        else:
            names += [f"{readable}={value.decode(encoding)}" for value in kind.values]
    if len(set(names)) < len(names):
        raise DataError(bound.path, "has two columns of the same name once values get columns.")
    fills = np.array([attribute.type.left_out for attribute in attributes])
    return Layout(base, widths, (base >= 0) & (widths > 1), fills, names)


def identifiers(
    attributes: Sequence[Attribute],
    rows: ParsedRows,
    labels: Sequence[int],
    ids: Sequence[bytes] | None,
) -> list[int]:
    """Return the attributes that identify the rows, which are not features.

    Text always; nominal ones with at least as many declared values as rows and no value twice,
    or those that `ids` names.
    """
    is_label = set(labels)
    columns = ColumnValues(rows, len(attributes))
    found = []
    for place, (name, kind) in enumerate(attributes):
        if place in is_label:
            continue
        if kind.kind == "text" or (ids is not None and name in ids):
            found.append(place)
        elif ids is None and kind.kind == "nominal" and len(kind.values) >= rows.n_rows:
            column = columns.of(place, kind.left_out)
            if np.unique(column[~np.isnan(column)]).size == rows.n_rows:
                found.append(place)
    return found


class ColumnValues:
    """The numbers of single attributes in all rows; the entries of sparse rows are sorted once."""

    def __init__(self, rows: ParsedRows, n_attributes: int) -> None:
        self.rows = rows
        self.n_attributes = n_attributes

    def of(self, place: int, left_out: float) -> np.ndarray:
        """Return the numbers of one attribute, `left_out` where a sparse row has none."""
        if not isinstance(self.rows.cells, Entries):
            return self.rows.cells[:, place]
        starts, rows, values = self._by_column
        entries = slice(starts[place], starts[place + 1])
        column = np.full(self.rows.n_rows, left_out)
        column[rows[entries]] = values[entries]
        return column

    @cached_property
    def _by_column(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return entries sorted by column: first entry of each column, rows, values."""
        cells = cast("Entries", self.rows.cells)
        order = np.argsort(cells.columns, kind="stable")
        starts = np.searchsorted(cells.columns[order], np.arange(self.n_attributes + 1))
        return starts, cells.rows_of(order), cells.values[order]


def features(rows: ParsedRows, layout: Layout, bound: Bound) -> np.ndarray | sparse.csr_array:
    """Return X: dense or CSR as the file is; a dense file of mostly value columns becomes CSR."""
    cells = rows.cells
    if isinstance(cells, Entries):
        return _sparse_features(cells, layout, bound)
    kept = np.flatnonzero(layout.base >= 0)
    if len(layout.feature_names) > _SPARSE_FROM * max(1, kept.size):
        n_rows, n_columns = cells.shape
        columns = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
        entries = Entries(np.arange(n_rows + 1) * n_columns, columns, cells.ravel())
        return _sparse_features(entries, layout, bound)
    bound.check(rows.n_rows * len(layout.feature_names) * 8, "its features")
    if not layout.one_hot.any():
        return np.take(cells, kept, axis=1)
    X = np.empty((rows.n_rows, len(layout.feature_names)))
    for a in kept:
        base, column = layout.base[a], cells[:, a]
        if layout.one_hot[a]:
            is_value = column[:, None] == np.arange(layout.widths[a])
            known = np.where(np.isnan(column)[:, None], np.nan, is_value)
            X[:, base : base + layout.widths[a]] = known
        else:
            X[:, base] = column
    return X


def _sparse_features(entries: Entries, layout: Layout, bound: Bound) -> sparse.csr_array:
    """Return X as CSR: plain entries, then value columns, then what rows left out but is not 0."""
    shape = (entries.n_rows, len(layout.feature_names))
    X = _plain_features(entries, np.where(layout.one_hot, -1, layout.base), shape)
    valued = np.flatnonzero(layout.one_hot[entries.columns])
    if valued.size:
        X = X + _value_columns(entries, valued, layout, bound)
    fills = np.where(layout.one_hot, 1.0, layout.left_out)
    filled = np.flatnonzero((layout.base >= 0) & (fills != 0))
    if filled.size:
        row, which = _not_mentioned(entries, filled, bound)
        X = X + _csr(fills[filled][which], row, layout.base[filled][which], shape)
    X.sort_indices()
    return X


def _plain_features(
    entries: Entries, place: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return nonzero entries as CSR; attribute c goes to column `place[c]`."""
    from labelwise.data.arff._kernels import count_features, place_features

    n_kept = count_features(entries.columns, entries.values, place)
    counter = np.int32 if n_kept < 2**31 else np.int64
    data, indices = np.empty(n_kept), np.empty(n_kept, dtype=np.int32)
    indptr = np.zeros(entries.n_rows + 1, dtype=counter)
    place_features(*entries, place, data, indices, indptr)
    return sparse.csr_array((data, indices, indptr), shape=shape)


def _csr(
    values: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    return sparse.coo_array((values, (rows, columns)), shape=shape).tocsr()


def _value_columns(
    entries: Entries, places: np.ndarray, layout: Layout, bound: Bound
) -> sparse.csr_array:
    """Return 1 in the column of each entry's value, and NaN in all columns of a missing value."""
    shape = (entries.n_rows, len(layout.feature_names))
    row, base = entries.rows_of(places), layout.base[entries.columns[places]]
    value = entries.values[places]
    known = ~np.isnan(value)
    X = _csr(np.ones(known.sum()), row[known], base[known] + value[known].astype(int), shape)
    if not known.all():
        widths = layout.widths[entries.columns[places][~known]]
        bound.check(int(widths.sum()) * _ENTRY_BYTES, "missing values, NaN for each declared one,")
        offset = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths, widths)
        columns = np.repeat(base[~known], widths) + offset
        X = X + _csr(np.full(columns.size, np.nan), np.repeat(row[~known], widths), columns, shape)
    return X


def _not_mentioned(
    entries: Entries, attributes: np.ndarray, bound: Bound
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells (row, place among the attributes) that rows leave out."""
    n_cells = entries.n_rows * attributes.size
    bound.check(n_cells * 16, "values other than 0 that its sparse rows leave out")
    place = np.full(max(attributes.max(), entries.columns.max(initial=0)) + 1, -1)
    place[attributes] = np.arange(attributes.size)
    mentioned = np.flatnonzero(place[entries.columns] >= 0)
    absent = np.ones((entries.n_rows, attributes.size), dtype=bool)
    absent[entries.rows_of(mentioned), place[entries.columns[mentioned]]] = False
    row, which = np.nonzero(absent)
    return row, which


def labels(
    rows: ParsedRows, attributes: Sequence[Attribute], chosen: list[int], bound: Bound
) -> sparse.csc_array | None:
    """Return Y, or None where every label of every row is missing.

    If some labels are missing, Y is float64 with NaN stored in their cells.
    """
    cells, path = rows.cells, Path(bound.path)
    if not isinstance(cells, Entries):
        values = np.take(cells, chosen, axis=1)
        ones, missing = values == 1, np.isnan(values)
        if missing.all():
            return None
        wrong = ~ones & (values != 0) & ~missing
        if wrong.any():
            row, label = np.argwhere(wrong)[0]
            raise _label_error(rows, attributes[chosen[label]], row, values[row, label], path)
        return with_nan(sparse.csc_array(ones), sparse.csc_array(missing))
    left_out = np.array([attributes[column].type.left_out for column in chosen])
    Y, n_missing, wrong_entry = _sparse_labels(cells, len(attributes), chosen)
    if n_missing and n_missing == rows.n_rows * len(chosen):
        return None
    if wrong_entry >= 0:
        row = cells.rows_of(np.array([wrong_entry]))[0]
        label = attributes[cells.columns[wrong_entry]]
        raise _label_error(rows, label, row, cells.values[wrong_entry], path)
    filled = np.flatnonzero(left_out)
    if filled.size:
        row, which = _not_mentioned(cells, np.array(chosen)[filled], bound)
        values = left_out[filled][which]
        odd = np.flatnonzero(values != 1)
        if odd.size:
            label = attributes[chosen[filled[which[odd[0]]]]]
            raise _label_error(rows, label, row[odd[0]], values[odd[0]], path)
        Y = Y + sparse.csc_array(_csr(values.astype(bool), row, filled[which], Y.shape))
    return Y if not n_missing else with_nan(Y, _missing_labels(cells, len(attributes), chosen))


def _missing_labels(entries: Entries, n_attributes: int, chosen: list[int]) -> sparse.csc_array:
    """Return the cells of labels whose entry is missing."""
    place = np.full(n_attributes, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    gaps = np.flatnonzero(np.isnan(entries.values) & (place[entries.columns] >= 0))
    cells = entries.rows_of(gaps), place[entries.columns[gaps]]
    shape = (entries.n_rows, len(chosen))
    return sparse.csc_array((np.ones(gaps.size, dtype=bool), cells), shape=shape)


def _sparse_labels(
    entries: Entries, n_attributes: int, chosen: list[int]
) -> tuple[sparse.csc_array, int, int]:
    """Return the positives as CSC, how many labels are missing, and the first wrong entry or -1."""
    from labelwise.data.arff._kernels import count_labels, place_labels

    place = np.full(n_attributes, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    counts, n_missing, wrong = count_labels(entries.columns, entries.values, place, len(chosen))
    indptr = np.concatenate(([0], np.cumsum(counts)))
    indices = np.empty(indptr[-1], dtype=np.int32)
    place_labels(*entries, place, indptr[:-1].copy(), indices)
    ones = np.ones(indices.size, dtype=bool)
    shape = (entries.n_rows, len(chosen))
    return sparse.csc_array((ones, indices, indptr), shape=shape), n_missing, wrong


def _label_error(
    rows: ParsedRows, label: Attribute, row: int, value: float, path: Path
) -> DataError:
    name = label.name.decode("utf-8", "replace")
    line = line_of(rows.content, int(rows.lines[row]))
    problem = f"label {name!r} must be 0 or 1, or one of two values, got {value:g}."
    return DataError(path, problem, line)


def identities(
    rows: ParsedRows,
    attributes: Sequence[Attribute],
    places: Sequence[int],
    encoding: str,
    bound: Bound,
) -> dict[str, np.ndarray]:
    """Return the values of identifier attributes as text, "" where missing."""
    bound.check(rows.n_rows * len(places) * TEXT_BYTES, "its identifiers")
    columns = ColumnValues(rows, len(attributes))
    found = {}
    for place in places:
        name, kind = attributes[place]
        column = columns.of(place, np.nan if kind.kind == "text" else kind.left_out)
        if kind.kind == "text":
            texts = [(rows.text(span) or b"").decode(encoding) for span in column]
        elif kind.kind == "nominal":
            values = [value.decode(encoding) for value in kind.values]
            written = dict(zip(kind.numbers, values, strict=True))
            texts = [written.get(value, "") for value in column.tolist()]
        else:
            texts = ["" if np.isnan(value) else f"{value:.17g}" for value in column]
        found[name.decode(encoding)] = np.array([*texts, None], dtype=object)[:-1]
    return found
