"""Check labels, scores and decisions together: same samples, same labels, same order.

Samples are matched by ids: a column of a frame, given values, the index of pandas, or the ids of a
file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import listed
from labelwise._validation._arrays import frame_names, is_frame
from labelwise._validation._label_sets import columns_of_sets, is_list_of_sets
from labelwise._validation._matrices import (
    check_labels,
    check_matching,
    check_scores,
    columns_in_order,
    take_columns,
    without_cells,
)
from labelwise._validation._named_matrices import NamedMatrix
from labelwise._validation._numbers import check_weights

_CHECKS: dict[str, Any] = {"scores": check_scores, "decided": check_labels}


class Outcome(NamedTuple):
    """Checked matrices whose columns are the same labels in the same order."""

    Y: sparse.csc_array
    scores: np.ndarray | sparse.csr_array | None
    decided: sparse.csc_array | None
    names: tuple[str, ...] | None
    weights: np.ndarray | None = None  # of the samples, above 0; None if all count once
    # Cells without truth; they are not positives, are not decided and have no score in CSR scores.
    missing: sparse.csc_array | None = None

    def weighted(self, sample_weight: Any) -> Outcome:
        """Return the outcome with weights of the samples; those of weight 0 are left out."""
        if sample_weight is None:
            return self
        weights = check_weights(sample_weight, self.Y.shape[0])
        counted = np.flatnonzero(weights)
        outcome = self._replace(weights=weights)
        return outcome if counted.size == weights.size else outcome.rows(counted)

    def rows(self, numbers: np.ndarray) -> Outcome:
        """Return the outcome of some samples."""
        taken = {
            name: sparse.csc_array(part[numbers])
            for name, part in (("Y", self.Y), ("decided", self.decided), ("missing", self.missing))
            if part is not None
        }
        scores = None if self.scores is None else self.scores[numbers]
        weights = None if self.weights is None else self.weights[numbers]
        return self._replace(scores=scores, weights=weights, **taken)

    def labels(self, numbers: np.ndarray) -> Outcome:
        """Return the outcome of some labels; column numbers stand for names if there are none."""
        parts = {name: getattr(self, name) for name in ("Y", "scores", "decided", "missing")}
        taken = {
            name: take_columns(part, numbers) for name, part in parts.items() if part is not None
        }
        names = self.names or tuple(map(str, range(self.Y.shape[1])))
        return self._replace(names=tuple(names[j] for j in numbers), **taken)

    @property
    def n_missing(self) -> int:
        """Number of cells without truth."""
        return 0 if self.missing is None else int(self.missing.nnz)

    def labels_with_truth(self) -> np.ndarray:
        """Return the numbers of the labels that have truth for a sample."""
        n_samples, n_labels = self.Y.shape
        if self.missing is None:
            return np.arange(n_labels)
        return np.flatnonzero(np.diff(self.missing.indptr) < n_samples)

    def rows_with_truth(self) -> np.ndarray:
        """Return the numbers of the samples that have truth for a label."""
        n_samples, n_labels = self.Y.shape
        if self.missing is None:
            return np.arange(n_samples)
        return np.flatnonzero(np.bincount(self.missing.indices, minlength=n_samples) < n_labels)

    def with_truth(self) -> Outcome:
        """Return the outcome without the samples and labels that have no truth at all."""
        if self.missing is None:
            return self
        if self.missing.nnz == self.Y.shape[0] * self.Y.shape[1]:
            raise ValueError("Y must have a label that is not missing, got only missing labels.")
        found, rows = self, self.rows_with_truth()
        found = found.rows(rows) if rows.size < self.Y.shape[0] else found
        labels = found.labels_with_truth()
        return found.labels(labels) if labels.size < self.Y.shape[1] else found


def check_outcome(
    Y: Any,
    *,
    scores: Any = None,
    decided: Any = None,
    label_names: Sequence[str] | None = None,
    allow_missing: bool = False,
    ids: Any = None,
    by_position: bool | None = None,
    labels_of: str = "Y",
) -> Outcome:
    """Check labels, scores and decisions, and bring rows and columns into the order of Y.

    With `labels_of="scores"`, columns are in the order of the scores, for results that decide
    other scores of the same model.

    Rows of frames are matched by `ids` (see `rows_of`), or by an index that is more than a count
    from 0. If only one of two frames has ids, this is an error unless `by_position`. Columns with
    names are matched by name, others by position. The columns of lists of sets are `label_names`,
    the names of a frame, or the column numbers of a matrix without names. With `allow_missing`,
    NaN, null and masked cells of Y are cells without truth: scores (as CSR) and decisions are
    returned without these cells.
    """
    every = {"Y": Y, "scores": scores, "decided": decided}
    rows = {
        name: rows_of(data, ids, name)
        for name, data in every.items()
        if data is not None or name == "Y"
    }
    _refuse_unknown(ids, rows)
    given = {name: rows[name].data if name in rows else None for name in every}
    given = _with_all_labels(given, label_names)
    sets = {name: data for name, data in given.items() if is_list_of_sets(data)}
    if "scores" in sets:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got a list of sets.")
    checks = {**_CHECKS, "Y": partial(check_labels, allow_missing=allow_missing)}
    checked: dict[str, Any] = {
        name: checks[name](data, label_names=label_names, input_name=name)
        for name, data in given.items()
        if name not in sets and (data is not None or name == "Y")
    }
    columns = columns_of_sets(sets, checked) if sets and label_names is None else label_names
    for name, listed_sets in sets.items():
        checked[name] = check_labels(listed_sets, label_names=columns, input_name=name)
    _refuse_empty(checked["Y"].matrix)
    names = next((checked[name].names for name in given if _has_names(checked.get(name))), None)
    truth = checked["Y"]._replace(names=names)
    matched = {
        name: check_matching(truth, _by_ids(checked[name], rows, name, by_position), name)
        for name in ("scores", "decided")
        if name in checked
    }
    if truth.missing is not None:
        matched = {name: without_cells(part, truth.missing) for name, part in matched.items()}
    own = frame_names(given["scores"]) if labels_of == "scores" else None
    scores, decided = (matched.get(name) for name in ("scores", "decided"))
    outcome = Outcome(truth.matrix, scores, decided, names, missing=truth.missing)
    if own is None or names is None or own == names:
        return outcome
    return outcome.labels(columns_in_order(own, names, "Y"))


def _with_all_labels(given: dict[str, Any], label_names: Sequence[str] | None) -> dict[str, Any]:
    """Add the labels that files with lists of label names do not mention, without positives."""
    lists = {
        name: data
        for name, data in given.items()
        if isinstance(data, NamedMatrix) and data.has_label_lists
    }
    if not lists:
        return given
    named = {name: frame_names(data) for name, data in given.items()}
    named |= {name: data.label_names for name, data in lists.items()}
    every = dict.fromkeys(one for names in (label_names, *named.values()) for one in names or ())
    return given | {name: data.widened(every) for name, data in lists.items()}


def _refuse_unknown(ids: Any, rows: Mapping[str, Rows]) -> None:
    """Refuse ids of an argument that is not given."""
    unknown = [name for name in ids if name not in rows] if isinstance(ids, Mapping) else []
    if unknown:
        raise ValueError(f"ids must be those of {' or '.join(rows)}, got {unknown[0]!r}.")


def _by_ids(
    checked: Any, rows: Mapping[str, Rows], input_name: str, by_position: bool | None
) -> Any:
    """Return checked labels or scores with their rows in the order of the ids of Y."""
    order = rows_in_order(rows["Y"], rows[input_name], input_name, by_position)
    if order is None:
        return checked
    if not sparse.issparse(checked.matrix):
        return checked._replace(matrix=checked.matrix[order])
    in_order = sparse.csr_array(checked.matrix)[order]
    return checked._replace(matrix=in_order.asformat(checked.matrix.format))


def _has_names(checked: Any) -> bool:
    return checked is not None and checked.names is not None


def _refuse_empty(Y: sparse.csc_array) -> None:
    if 0 in Y.shape:
        rows, columns = Y.shape
        raise ValueError(f"Y must have a row and a label, got {rows} rows and {columns} labels.")


class Rows(NamedTuple):
    """An argument without its column of ids, and the ids of its rows (None if it has none)."""

    data: Any
    ids: Any
    is_frame: bool
    is_named: bool = False  # whether the caller has given the ids


def rows_of(data: Any, ids: Any, input_name: str) -> Rows:
    """Return an argument and the ids of its rows.

    Parameters
    ----------
    data : array, sparse matrix, frame or list of sets
        The argument.
    ids : str, array-like or mapping of str to str or array-like
        Name of the column of ids of a frame, or the ids; a mapping has them by argument. None means
        the index of a frame, unless it only counts rows from 0.
    input_name : str
        Name of the argument.

    Returns
    -------
    Rows
        The data without the column of ids, and the ids.

    Raises
    ------
    ValueError
        If a frame has no such column, or if ids are not as many as rows.
    TypeError
        If a column is named for data that are not a frame.
    """
    asked = ids.get(input_name) if isinstance(ids, Mapping) else ids
    is_own = asked is None or isinstance(asked, str)
    if isinstance(data, NamedMatrix) and is_own and asked in (None, data.id_name):
        return Rows(data, data.ids, is_frame=True, is_named=asked is not None)
    has_columns = not isinstance(data, np.ndarray) and not sparse.issparse(data) and is_frame(data)
    if asked is None:
        return Rows(data, _index(data) if has_columns else None, has_columns)
    if not isinstance(asked, str):
        given = list(asked)
        n_rows = data.shape[0] if hasattr(data, "shape") else len(data)
        if len(given) != n_rows:
            raise ValueError(f"ids has {len(given)} ids for {n_rows} rows of {input_name}.")
        return Rows(data, given, has_columns, is_named=True)
    if not has_columns:
        raise TypeError(
            f"{input_name} must be a frame with the column {asked!r} of ids, "
            f"got {type(data).__name__}: give ids as a dict of columns or arrays by argument."
        )
    import narwhals as nw

    table = nw.from_native(data, eager_only=True)
    if asked not in table.columns:
        raise ValueError(
            f"{input_name} must have the column {asked!r} of ids, got {listed(table.columns, 8)}."
        )
    return Rows(table.drop(asked).to_native(), table[asked].to_list(), has_columns, is_named=True)


def rows_in_order(wanted: Rows, given: Rows, input_name: str, by_position: bool | None) -> Any:
    """Find the row of each wanted id among the given ones.

    Parameters
    ----------
    wanted, given : Rows
        Y and the other argument.
    input_name : str
        Name of the other argument in error messages.
    by_position : bool or None
        Whether frames are matched by position if only one of them has ids; None if the caller
        has no such option.

    Returns
    -------
    ndarray of int or None
        Row numbers in the order of `wanted`; None if rows are matched by position, because they are
        in order already, because neither has ids, or because one is an array without ids.

    Raises
    ------
    ValueError
        If only one of two frames has ids, if ids are given for one argument only, or if an id is
        only in one of them or is repeated.
    """
    if wanted.ids is None or given.ids is None:
        is_one_sided = wanted.ids is not given.ids and not by_position
        may_lack = not (wanted.is_frame and given.is_frame)
        if is_one_sided and (wanted.is_named or given.is_named or not may_lack):
            names = (input_name, "Y") if wanted.ids is None else ("Y", input_name)
            raise _one_sided(*names, by_position)
        return None
    if _are_equal(wanted.ids, given.ids):
        return None
    places = _places(wanted.ids, "Y"), _places(given.ids, input_name)
    for here, there, having, lacking in (
        (*places, "Y", input_name),
        (*places[::-1], input_name, "Y"),
    ):
        missing = [value for value in here if value not in there][:1]
        if missing:
            raise ValueError(
                f"{lacking} lacks row {missing[0]!r}, which is in the ids of {having}."
            )
    return np.array([places[1][value] for value in places[0]], dtype=np.intp)


def _index(frame: Any) -> Any:
    """Return the index of a frame; None if it has none, or one that only counts rows from 0."""
    import narwhals as nw

    index: Any = nw.maybe_get_index(nw.from_native(frame, eager_only=True))
    if index is None or (index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index)))):
        return None
    return index


def _are_equal(some: Any, others: Any) -> bool:
    if hasattr(some, "equals") and hasattr(others, "equals"):  # missing values are equal, too
        return bool(some.equals(others))
    return list(some) == list(others)


def _places(ids: Any, input_name: str) -> dict[Any, int]:
    """Return the row of each id, which must occur once."""
    values = ids.tolist() if hasattr(ids, "tolist") else ids
    places = {value: row for row, value in enumerate(values)}
    if len(places) < len(values):
        twice = next(value for row, value in enumerate(values) if places[value] != row)
        raise ValueError(f"{input_name} has {twice!r} twice in its ids, so rows do not match.")
    return places


def _one_sided(having: str, lacking: str, by_position: bool | None) -> ValueError:
    """Return the error for two frames of which one has ids."""
    by = f"pass {lacking} as an array" if by_position is None else "give by_position=True"
    return ValueError(
        f"{having} has ids of its rows and {lacking} has none: give both the same index, or {by} "
        "to match rows by position."
    )
