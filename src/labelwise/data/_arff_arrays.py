"""The cells of an ARFF file as the arrays of a Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from labelwise.data._arff_header import Attribute
from labelwise.data._arff_layout import Layout, whole_column
from labelwise.data._arff_rows import Entries, Rows, code, line_of
from labelwise.data._files import DataError

# Beyond so many columns per attribute, the columns of a dense file's values are mostly zeros.
_SPARSE_FROM = 10


def features(
    rows: Rows, layout: Layout, path: Path, max_bytes: int
) -> np.ndarray | sparse.csr_array:
    """Return X: dense or CSR as the file is; a dense file of mostly value columns becomes CSR."""
    cells = rows.cells
    kept = np.flatnonzero(layout.base >= 0)
    if isinstance(cells, Entries):
        return _sparse_features(cells, layout, path, max_bytes)
    if len(layout.feature_names) > _SPARSE_FROM * max(1, kept.size):
        n_rows, n_columns = cells.shape
        columns = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
        entries = Entries(np.arange(n_rows + 1) * n_columns, columns, cells.ravel())
        return _sparse_features(entries, layout, path, max_bytes)
    if len(layout.feature_names) == kept.size:
        return np.ascontiguousarray(cells[:, kept])
    X = np.empty((rows.n_rows, len(layout.feature_names)))
    one_hot = layout.one_hot
    for a in kept:
        base, column = layout.base[a], cells[:, a]
        if one_hot[a]:
            width = layout.width(a)
            is_value = column[:, None] == np.arange(width)
            X[:, base : base + width] = np.where(np.isnan(column)[:, None], np.nan, is_value)
        else:
            X[:, base] = column
    return X


def _sparse_features(
    entries: Entries, layout: Layout, path: Path, max_bytes: int
) -> sparse.csr_array:
    """Return X as CSR: plain entries, then value columns, then what rows left out but is not 0."""
    shape = (entries.n_rows, len(layout.feature_names))
    one_hot = layout.one_hot
    X = _selected(entries, np.where(one_hot, -1, layout.base), shape[1])
    valued = np.flatnonzero(one_hot[entries.columns])
    if valued.size:
        X = X + _value_columns(entries, valued, layout, shape)
    fills = np.where(one_hot, 1.0, layout.defaults)
    filled = np.flatnonzero((layout.base >= 0) & (fills != 0))
    if filled.size:
        row, which = _left_out(entries, filled, path, max_bytes)
        X = X + _csr(fills[filled][which], row, layout.base[filled][which], shape)
    X.sort_indices()
    X.eliminate_zeros()
    return X


def _csr(
    values: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    return sparse.coo_array((values, (rows, columns)), shape=shape).tocsr()


def _selected(entries: Entries, place: np.ndarray, width: int) -> sparse.csr_array:
    """Return the entries of the columns that have a place, there."""
    kept = place[entries.columns] >= 0
    counter = np.int32 if kept.size < 2**31 else np.int64
    ends = np.concatenate((np.zeros(1, counter), np.cumsum(kept, dtype=counter)))
    columns = place[entries.columns[kept]].astype(np.int32)
    parts = (entries.values[kept], columns, ends[entries.indptr])
    return sparse.csr_array(parts, shape=(entries.n_rows, width))


def _value_columns(
    entries: Entries, places: np.ndarray, layout: Layout, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a one for each entry in the column of its value; a missing one is NaN in all."""
    row, base = entries.rows_of(places), layout.base[entries.columns[places]]
    value = entries.values[places]
    known = ~np.isnan(value)
    X = _csr(np.ones(known.sum()), row[known], base[known] + value[known].astype(int), shape)
    if not known.all():
        widths = np.array([layout.width(a) for a in entries.columns[places][~known]])
        offset = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths, widths)
        columns = np.repeat(base[~known], widths) + offset
        X = X + _csr(np.full(columns.size, np.nan), np.repeat(row[~known], widths), columns, shape)
    return X


def _left_out(
    entries: Entries, attributes: np.ndarray, path: Path, max_bytes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells (row, place among the attributes) that rows do not mention."""
    if entries.n_rows * attributes.size * 16 > max_bytes:
        raise DataError(
            path,
            f"leaves out values other than 0 in {attributes.size} attributes; written out they "
            f"would take more than max_bytes={max_bytes} bytes.",
        )
    place = np.full(max(attributes.max(), entries.columns.max(initial=0)) + 1, -1)
    place[attributes] = np.arange(attributes.size)
    mentioned = np.flatnonzero(place[entries.columns] >= 0)
    absent = np.ones((entries.n_rows, attributes.size), dtype=bool)
    absent[entries.rows_of(mentioned), place[entries.columns[mentioned]]] = False
    row, which = np.nonzero(absent)
    return row, which


def labels(
    rows: Rows, attributes: Sequence[Attribute], columns: list[int], path: Path, max_bytes: int
) -> sparse.csc_array | None:
    """Return Y, or None where every label of every row is missing."""
    row, which, value = _label_cells(rows, attributes, columns, path, max_bytes)
    missing = np.isnan(value)
    if missing.size and missing.sum() == rows.n_rows * len(columns):
        return None
    bad = ~((value == 0) | (value == 1))
    if bad.any():
        first = np.flatnonzero(bad)[np.lexsort((which[bad], row[bad]))[0]]
        name = attributes[columns[which[first]]].name.decode("utf-8", "replace")
        what = "is missing" if missing[first] else "must be 0 or 1, or one of two values"
        got = "" if missing[first] else f", got {value[first]:g}"
        line = line_of(rows.content, int(rows.lines[row[first]]))
        raise DataError(path, f"label {name!r} {what}{got}.", line)
    ones = value == 1
    cells = (np.ones(int(ones.sum()), dtype=bool), (row[ones], which[ones]))
    return sparse.csc_array(sparse.coo_array(cells, shape=(rows.n_rows, len(columns))))


def _label_cells(
    rows: Rows, attributes: Sequence[Attribute], columns: list[int], path: Path, max_bytes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, label, value) of every label that is not 0."""
    if not isinstance(rows.cells, Entries):
        values = rows.cells[:, columns]
        row, which = np.nonzero(values)
        return row, which, values[row, which]
    entries = rows.cells
    place = np.full(len(attributes), -1)
    place[columns] = np.arange(len(columns))
    places = np.flatnonzero(place[entries.columns] >= 0)
    row, which = entries.rows_of(places), place[entries.columns[places]]
    value = entries.values[places]
    firsts = np.array([_first_number(attributes[number]) for number in columns])
    filled = np.flatnonzero(firsts)
    if filled.size:
        more_rows, where = _left_out(entries, np.array(columns)[filled], path, max_bytes)
        row, which = np.concatenate((row, more_rows)), np.concatenate((which, filled[where]))
        value = np.concatenate((value, firsts[filled[where]]))
    return row, which, value


def _first_number(attribute: Attribute) -> float:
    return code(attribute.values).numbers[0] if attribute.values else 0.0


def identities(
    rows: Rows, attributes: Sequence[Attribute], numbers: Sequence[int], encoding: str
) -> dict[str, np.ndarray]:
    """Return the values of identifier attributes as text, "" where missing."""
    found = {}
    for number in numbers:
        attribute = attributes[number]
        if attribute.kind == "text":
            spans = whole_column(rows, number, np.nan)
            texts = [(rows.text(span) or b"").decode(encoding) for span in spans]
        elif attribute.kind == "nominal":
            coding = code(attribute.values)
            written = {
                number: value.decode(encoding)
                for value, number in zip(coding.values, coding.numbers, strict=True)
            }
            column = whole_column(rows, number, _first_number(attribute))
            texts = [written.get(value, "") for value in column.tolist()]
        else:
            column = whole_column(rows, number, 0.0)
            texts = ["" if np.isnan(value) else f"{value:.17g}" for value in column]
        found[attribute.name.decode(encoding)] = np.array([*texts, None], dtype=object)[:-1]
    return found
