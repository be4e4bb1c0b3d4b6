"""Match matrices: rows by their ids, labels by their names.

The same rule holds for arguments in Python and for files. If both matrices have ids, rows are
matched by id, and an id that only one of them has, or that one has twice, is refused. If neither
has ids, rows are matched by position. If only one has ids, this is refused unless the caller asks
for positions (`ids=False`), or the other one is an array in memory, which never has ids. Labels
are matched by their names in the same way; names that are only the numbers 0, 1, ... are none.

An error names the argument, or the file and then is a `DataError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._errors import DataError
from labelwise._text import listed, printable, printable_path
from labelwise._validation._arrays import frame_names, is_frame, take_rows
from labelwise._validation._matrices import take_columns
from labelwise._validation._named_matrices import NamedMatrix

_MOST_NAMED = 5


class MatchedSide(NamedTuple):
    """A matrix as it is matched with another one: its ids and the names of its labels."""

    name: str | Path  # of the argument, or the file
    ids: Any = None  # None if rows have no ids
    label_names: tuple[str, ...] | None = None
    shape: tuple[int, int] = (0, 0)
    is_array: bool = False  # in memory and without ids and names: its caller knows the order
    is_given: bool = False  # whether the caller has named the ids
    id_name: str | None = None  # of the column of ids
    like_ids: tuple[str, ...] = ()  # names of columns that may be ids instead of labels

    def fault(self, problem: str) -> ValueError:
        """Return the error about this matrix."""
        if isinstance(self.name, Path):
            return DataError(self.name, problem)
        return ValueError(f"{self.name} {problem}")


def side_of(matrix: NamedMatrix) -> MatchedSide:
    """Return the side of the matrix of a file."""
    return MatchedSide(
        matrix.source,
        matrix.ids,
        matrix.label_names,
        matrix.shape,
        id_name=matrix.id_name,
        like_ids=columns_like_ids(matrix.values, matrix.label_names),
    )


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether names are only the numbers 0, 1, ..., as for data without names."""
    return all(name == str(number) for number, name in enumerate(names))


def columns_like_ids(values: Any, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of columns of distinct whole numbers, which scores and labels are not."""
    if not isinstance(values, np.ndarray) or names is None or len(values) < 3:
        return ()
    # Scores are seldom whole numbers, and one row shows it.
    whole = np.flatnonzero(values[0] == np.round(values[0]))
    return tuple(names[j] for j in whole.tolist() if _are_distinct_whole_numbers(values[:, j]))


def _are_distinct_whole_numbers(column: np.ndarray) -> bool:
    is_whole = np.isfinite(column).all() and (column == np.round(column)).all()
    return bool(is_whole) and np.unique(column).size == column.size


def ids_hint(names: Sequence[str], after: str = "") -> str:
    """Return words that propose `ids` for a column that looks like ids; none without one."""
    return f"ids={names[0]} if this column identifies the rows{after}" if names else ""


# Rows.


def without_position(ids: Any) -> tuple[Any, bool]:
    """Separate False, which asks for positions, from the ids or names of columns beside it.

    It may be the only value, that of an argument in a mapping, or the last of several names.
    """
    if isinstance(ids, Mapping):
        kept = {name: one for name, one in ids.items() if one is not False}
        return kept, len(kept) < len(ids)
    if isinstance(ids, list | tuple) and ids and ids[-1] is False:
        return ids[:-1] or None, True
    if ids is True:
        raise TypeError("ids must be a name, a dict, False or None, got True.")
    return (None, True) if ids is False else (ids, False)


def rows_of(data: Any, ids: Any, input_name: str) -> tuple[Any, MatchedSide]:
    """Return an argument without its column of ids, and the ids of its rows.

    `ids` is the name of the column of a frame, or the ids themselves; a mapping has them by
    argument. None means the index of a frame, unless it only counts rows from 0.
    """
    asked = ids.get(input_name) if isinstance(ids, Mapping) else ids
    is_own = asked is None or isinstance(asked, str)
    if isinstance(data, NamedMatrix) and is_own and asked in (None, data.id_name):
        name = data.source if isinstance(data.source, Path) else input_name
        given = asked is not None
        return data, MatchedSide(name, data.ids, is_given=given, id_name=data.id_name)
    has_columns = not isinstance(data, np.ndarray) and not sparse.issparse(data) and is_frame(data)
    if asked is None:
        index = _index(data) if has_columns else None
        return data, MatchedSide(input_name, index, is_array=not has_columns)
    if not isinstance(asked, str):
        values = list(asked)
        n_rows = data.shape[0] if hasattr(data, "shape") else len(data)
        if len(values) != n_rows:
            raise ValueError(f"ids has {len(values)} ids for {n_rows} rows of {input_name}.")
        return data, MatchedSide(input_name, values, is_array=not has_columns, is_given=True)
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
    side = MatchedSide(input_name, table[asked].to_list(), is_given=True, id_name=asked)
    return table.drop(asked).to_native(), side


def _index(data: Any) -> Any:
    """Return the index of a frame; None if it has none, or one that only counts rows from 0."""
    index = _any_index(data)
    return None if index is None or _only_counts(index) else index


def _any_index(data: Any) -> Any:
    """Return the index of a frame or series of pandas; None for any other data."""
    import narwhals as nw

    table = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    return nw.maybe_get_index(table) if isinstance(table, nw.DataFrame | nw.Series) else None


def _only_counts(index: Any) -> bool:
    return index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index)))


def have_ids(first: MatchedSide, other: MatchedSide, by_position: bool | None) -> bool:
    """Return whether rows are matched by id; refuse ids of one side that would be ignored.

    `by_position` is None if the caller has no such option.
    """
    if (first.ids is None) == (other.ids is None):
        return first.ids is not None
    having, lacking = (other, first) if first.ids is None else (first, other)
    if by_position or (lacking.is_array and not having.is_given):
        return False
    named = f" ({having.id_name!r})" if having.id_name else ""
    if by_position is None:
        advice = f"give both the same index, or pass {lacking.name} as an array"
    elif having.id_name is None:
        advice = "give both the same ids, or ids=False"
    else:
        such = f" (such as ids={having.id_name},{lacking.like_ids[0]})" if lacking.like_ids else ""
        advice = f"name the column by ids=NAME{such}, or give ids=False"
    raise lacking.fault(
        f"has no ids and {having.name} has{named}: {advice} to match rows by position."
    )


def side_of_rows(first: MatchedSide, others: Iterable[MatchedSide]) -> MatchedSide:
    """Return the matrix whose ids are those of the rows of the first, which may have none."""
    return max([first, *others], key=lambda side: (side.ids is not None, not side.is_array))


def rows_in_order(
    wanted: MatchedSide,
    given: MatchedSide,
    by_position: bool | None,
    of_rows: MatchedSide | None = None,
    *,
    may_have_more: bool = False,
) -> np.ndarray | None:
    """Find the row of each wanted id among the given ones; None if rows are in order.

    Without ids, rows are matched by position. If only one side has ids, `by_position` allows it;
    None means that the caller has no such option. `of_rows` is the matrix that gave its ids to
    wanted rows without ids, as `side_of_rows` returns it. With `may_have_more`, rows that only
    `given` has are left out instead of refused.
    """
    if not have_ids(wanted, given, by_position):
        n_rows, n_wanted = given.shape[0], wanted.shape[0]
        if n_rows != n_wanted:
            raise given.fault(f"has {n_rows} rows but {wanted.name} has {n_wanted}.")
        if of_rows is None or of_rows.ids is None or given.ids is None:
            return None
        wanted = of_rows
    if _is_same_index(wanted.ids, given.ids):
        return None
    here, there = _places(wanted), _places(given)
    for lacking, places, having, others in (
        (given, there, wanted, here),
        *([] if may_have_more else [(wanted, here, given, there)]),
    ):
        missing = next((value for value in others if value not in places), None)
        if missing is not None:
            raise lacking.fault(f"lacks row {missing!r}, which {having.name} has.")
    order = np.array([there[value] for value in here], dtype=np.intp)
    return None if np.array_equal(order, np.arange(len(there))) else order


def in_row_order(values: Any, samples: MatchedSide, input_name: str) -> Any:
    """Return values of samples, such as groups, in the order of the samples.

    The index of a series or frame of pandas is matched with the ids of the samples, by the rule for
    matrices. Values of any other kind are in order, and so are those whose index only counts rows,
    unless the samples have an index.
    """
    index = _any_index(values)
    if index is None:
        return values
    own = None if _only_counts(index) else index
    has_index = hasattr(samples.ids, "equals")
    if not has_index and (own is None or (samples.ids is None and samples.is_array)):
        return values
    given = MatchedSide(input_name, own, shape=(len(index), 0))
    order = rows_in_order(samples, given, None)
    return values if order is None else take_rows(values, order)


def refuse_other_index(**given: Any) -> None:
    """Refuse arguments of pandas that have the rows of the first one in another order.

    scikit-learn takes rows by position. Rows that one of two arguments only counts may have been
    counted again, and are refused only if both have the same numbers in another order.
    """
    found = {name: _any_index(data) for name, data in given.items() if data is not None}
    indexes = {name: index for name, index in found.items() if index is not None}
    first = next(iter(indexes), "")
    for name, index in indexes.items():
        wanted = indexes[first]
        if len(index) != len(wanted) or wanted.equals(index):
            continue
        if (_only_counts(wanted) or _only_counts(index)) and {*wanted} != {*index}:
            continue
        pairs = enumerate(zip(wanted.tolist(), index.tolist(), strict=True))
        row, (one, other) = next((row, pair) for row, pair in pairs if pair[0] != pair[1])
        raise ValueError(
            f"{name} must have the index of {first} in the same order, got {other!r} and {one!r} "
            f"as row {row}: give {name}.loc[{first}.index], or arrays to match rows by position."
        )


def _is_same_index(some: Any, others: Any) -> bool:
    """Return whether both are the same index of pandas, whose values may be repeated."""
    return hasattr(some, "equals") and hasattr(others, "equals") and bool(some.equals(others))


def _places(side: MatchedSide) -> dict[Any, int]:
    """Return the row of each id, which must occur once."""
    values = side.ids.tolist() if hasattr(side.ids, "tolist") else side.ids
    places = {value: row for row, value in enumerate(values)}
    if len(places) < len(values):
        twice = next(value for row, value in enumerate(values) if places[value] != row)
        raise side.fault(f"has row {twice!r} twice, so rows do not match.")
    return places


# Labels.


class SameLabels(NamedTuple):
    """Labels that all matrices have, their columns in each, and lines for the user."""

    names: tuple[str, ...] | None
    places: list[np.ndarray]
    by_position: list[bool]  # for each matrix but the first
    notes: list[str]  # on dropped labels


def have_names(first: MatchedSide, other: MatchedSide, by_position: bool | None) -> bool:
    """Return whether labels are matched by name; refuse names of one side that would be ignored."""
    some, others = first.label_names, other.label_names
    if some is not None and others is not None and (some == others or {*some} == {*others}):
        return True
    is_named = [names is not None and not are_numbers(names) for names in (some, others)]
    if all(is_named):
        return True
    having, lacking = (first, other) if is_named[0] else (other, first)
    may_lack = lacking.is_array and lacking.label_names is None
    if any(is_named) and not (by_position or may_lack):
        array = f"pass {lacking.name} as an array"
        advice = array if by_position is None else "give ids=False"
        raise lacking.fault(
            f"has no label names and {having.name} has: {advice} to match labels by position."
        )
    return False


def same_labels(
    first: MatchedSide,
    others: Sequence[MatchedSide],
    by_position: bool | None = None,
    missing_labels: str | None = None,
) -> SameLabels:
    """Find the labels that all matrices have, in the order of the first.

    If only one side has names, `by_position` allows to match labels by position; None means that
    the caller has no such option. `missing_labels` is "drop" to leave out labels that not all
    matrices have; "error", or None if the caller has no such option, refuses them.
    """
    if missing_labels not in (None, "drop", "error"):
        raise ValueError(f"missing_labels must be drop or error, got {missing_labels!r}.")
    names, n_labels = first.label_names, first.shape[1]
    by_name: list[bool] = []
    for other in others:
        by_name.append(have_names(first._replace(label_names=names), other, by_position))
        if by_name[-1]:
            continue
        if other.shape[1] != n_labels:
            raise other.fault(f"has {other.shape[1]} labels but {first.name} has {n_labels}.")
        if other.label_names is not None and (names is None or are_numbers(names)):
            names = other.label_names
    at_places = [not is_named for is_named in by_name]
    in_order = np.arange(n_labels)
    if names is None:
        return SameLabels(None, [in_order] * (1 + len(others)), at_places, [])
    named = [other for other, is_named in zip(others, by_name, strict=True) if is_named]
    if all(other.label_names == names for other in named):
        return SameLabels(names, [in_order] * (1 + len(others)), at_places, [])
    notes = _refused_or_noted(first._replace(label_names=names), named, missing_labels)
    shared = set(names).intersection(*(other.label_names or () for other in named))
    kept = tuple(name for name in names if name in shared)
    if not kept:
        raise first.fault("has no label in common with the other files.")
    places = []
    for side, is_named in zip((first, *others), (False, *by_name), strict=True):
        place = {name: j for j, name in enumerate((side.label_names if is_named else names) or ())}
        places.append(np.array([place[name] for name in kept], dtype=np.intp))
    return SameLabels(kept, places, at_places, notes)


def _refused_or_noted(
    first: MatchedSide, others: Sequence[MatchedSide], missing_labels: str | None
) -> list[str]:
    """Refuse labels that only some matrices have, or return a line for each that lacks some."""
    notes = []
    for other in others:
        for lacking, having in ((other, first), (first, other)):
            known = set(lacking.label_names or ())
            names = [name for name in having.label_names or () if name not in known]
            if names and missing_labels == "drop":
                plural = "label is" if len(names) == 1 else "labels are"
                notes.append(
                    f"{len(names):,} {plural} dropped, which {printable_path(lacking.name)} lacks: "
                    f"{listed(names, _MOST_NAMED, show=printable)}."
                )
            elif names:
                noun = "label" if len(names) == 1 else "labels"
                hint = ids_hint([name for name in having.like_ids if name in names], ", or ")
                advice = (
                    f': give {hint}missing_labels="drop" to use only the labels that all files have'
                )
                raise lacking.fault(
                    f"lacks {noun} {listed(names)}, which {having.name} has"
                    f"{advice if missing_labels else ''}."
                )
    return notes


# Matrices.


def take_cells(matrix: Any, rows: np.ndarray | None, columns: np.ndarray) -> Any:
    """Take rows (None for all in order) and columns of a dense or sparse matrix."""
    if rows is not None and sparse.issparse(matrix):
        matrix = sparse.csr_array(matrix)[rows].asformat(matrix.format)
    elif rows is not None:
        matrix = matrix[rows]
    if np.array_equal(columns, np.arange(matrix.shape[1])):
        return matrix
    return take_columns(matrix, columns)


def with_all_labels(
    given: Mapping[Any, Any], label_names: Sequence[str] | None = None
) -> dict[Any, Any]:
    """Add the labels that files with lists of label names do not mention, without positives."""
    lists = {
        name: data
        for name, data in given.items()
        if isinstance(data, NamedMatrix) and data.has_label_lists
    }
    if not lists:
        return dict(given)
    named = {name: frame_names(data) for name, data in given.items()}
    named |= {name: data.label_names for name, data in lists.items()}
    every = dict.fromkeys(one for names in (label_names, *named.values()) for one in names or ())
    return {**given, **{name: data.widened(every) for name, data in lists.items()}}


class Matched(NamedTuple):
    """Matrices with the same rows and labels in the same order, and lines for the user."""

    truth: NamedMatrix
    others: list[NamedMatrix]
    notes: list[str]


def matched(
    truth: NamedMatrix,
    others: Sequence[NamedMatrix],
    *,
    by_position: bool = False,
    missing_labels: str = "error",
    labels_of_scores: bool = False,
) -> Matched:
    """Bring matrices of files into the row and column order of the first.

    With `labels_of_scores`, columns are in the order of the second, with a note if this differs.
    Notes also say what is matched by position because neither file has ids or names, and which
    labels are dropped.
    """
    given = dict(enumerate((truth, *others)))
    every = [*with_all_labels(given).values()]
    first, *sides = [side_of(matrix) for matrix in every]
    of_rows = side_of_rows(first, sides)
    rows = [rows_in_order(first, side, by_position, of_rows) for side in sides]
    labels = same_labels(first, sides, by_position, missing_labels)
    if labels_of_scores:
        labels = _in_order_of_scores(labels, truth, others[0])
    notes = []
    for side, is_by_position in zip(sides, labels.by_position, strict=True):
        has_no_ids = first.ids is None or side.ids is None
        if has_no_ids or is_by_position:
            notes.append(
                position_note(side.name, first.name, rows=has_no_ids, labels=is_by_position)
            )
    found = [
        replace(
            matrix,
            values=take_cells(matrix.values, order, columns),
            label_names=labels.names,
            ids=truth.ids or matrix.ids,
            id_name=truth.id_name,
        )
        for matrix, order, columns in zip(every, (None, *rows), labels.places, strict=True)
    ]
    return Matched(found[0], found[1:], [*notes, *labels.notes])


def _in_order_of_scores(labels: SameLabels, truth: NamedMatrix, scores: NamedMatrix) -> SameLabels:
    """Return the labels in the order of the scores, with a note if the truth has another one."""
    order = np.argsort(labels.places[1])
    if labels.names is None or np.array_equal(order, np.arange(order.size)):
        return labels
    notes = list(labels.notes)
    if not truth.has_label_lists:
        of_truth, of_scores = printable_path(truth.source), printable_path(scores.source)
        notes.append(
            f"labels of {of_truth} are in another order than those of {of_scores}: they are "
            f"matched by name, and the result has the order of {of_scores}."
        )
    return labels._replace(
        names=tuple(labels.names[j] for j in order),
        places=[places[order] for places in labels.places],
        notes=notes,
    )


def position_note(
    name: str | Path, first: str | Path, *, rows: bool = False, labels: bool = True
) -> str:
    """Return the line that says what is matched by position."""
    what = " and ".join(noun for noun, applies in (("rows", rows), ("labels", labels)) if applies)
    here, there = printable_path(name), printable_path(first)
    return f"{what} of {here} are matched with those of {there} by position."
