"""Match matrices of files: rows by id, labels by name, and by position only if that is safe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import DataError
from labelwise._tables import columns_like_ids, ids_hint
from labelwise._text import listed, printable
from labelwise._validation import NamedMatrix, take_columns

_MOST_NAMED = 5
_LONGEST_PATH = 4096


class Matching(NamedTuple):
    """The options --by-position and --missing-labels."""

    by_position: bool = False
    missing_labels: str = "error"


DEFAULT_MATCHING = Matching()


class LabelColumns(NamedTuple):
    """The labels of a file: their names (None if it has none) and their number."""

    source: str | Path
    names: tuple[str, ...] | None
    n_labels: int
    is_open: bool = False  # labels that the file does not mention are labels without positives
    like_ids: tuple[str, ...] = ()  # names of columns that may be ids instead

    def lacking(self, wanted: Sequence[str]) -> list[str]:
        """Return the labels that the file does not have."""
        known = set(wanted if self.is_open else self.names or ())
        return [name for name in wanted if name not in known]


class SameLabels(NamedTuple):
    """Labels that all files have, where they stand in each file, and lines for the user."""

    names: tuple[str, ...] | None
    places: list[np.ndarray]  # -1 for a label that an open file does not mention
    by_position: list[bool]  # for each file but the first
    notes: list[str]  # on dropped labels


class Matched(NamedTuple):
    """Matrices with the same rows and labels in the same order, and lines for the user."""

    truth: NamedMatrix
    others: list[NamedMatrix]
    notes: list[str]


def matched(
    truth: NamedMatrix,
    others: Sequence[NamedMatrix],
    matching: Matching = DEFAULT_MATCHING,
    *,
    labels_of_scores: bool = False,
) -> Matched:
    """Bring matrices into the row and column order of the first.

    With `labels_of_scores`, columns are in the order of the second, with a note if this differs.

    Rows are matched by id and labels by name. Where neither file has any, they are matched by
    position, with a note; where one file has them, this is refused unless `by_position`.
    """
    rows = [_same_rows(truth, other, matching) for other in others]
    labels = same_labels(label_columns(truth), [label_columns(other) for other in others], matching)
    if labels_of_scores:
        labels = _in_order_of_scores(labels, truth, others[0])
    by_position = [
        position_note(other.source, truth.source, rows=order is None, labels=by_place)
        for other, order, by_place in zip(others, rows, labels.by_position, strict=True)
        if order is None or by_place
    ]
    found = [
        NamedMatrix(
            _cells(matrix.values, order, places),
            labels.names,
            truth.ids or matrix.ids,
            truth.id_name,
            matrix.source,
        )
        for matrix, order, places in zip(
            [truth, *others], [None, *rows], labels.places, strict=True
        )
    ]
    return Matched(found[0], found[1:], [*by_position, *labels.notes])


def same_labels(
    first: LabelColumns, others: Sequence[LabelColumns], matching: Matching
) -> SameLabels:
    """Find the labels that all files have, in the order of the first file.

    Labels that not all files have are an error, or dropped if `missing_labels` is "drop".
    """
    if matching.missing_labels not in ("drop", "error"):
        given = matching.missing_labels
        raise ValueError(f"--missing-labels must be drop or error, got {given!r}.")
    files, by_position = [first], []
    for other in others:
        files[0], named, is_by_position = _with_common_names(files[0], other, matching)
        files.append(named)
        by_position.append(is_by_position)
    first, *others = files
    if first.names is None:
        return SameLabels(None, [np.arange(first.n_labels)] * len(files), by_position, [])
    wanted = _all_labels(first, others)
    missing = {name for file in others for name in file.lacking(wanted)}
    kept = [name for name in wanted if name not in missing]
    notes = _dropped(first, wanted, others, kept, matching)
    places = []
    for file in files:
        place = {name: j for j, name in enumerate(file.names or ())}
        places.append(np.array([place.get(name, -1) for name in kept], dtype=np.intp))
    return SameLabels(tuple(kept), places, by_position, notes)


def _in_order_of_scores(labels: SameLabels, truth: NamedMatrix, scores: NamedMatrix) -> SameLabels:
    """Return the labels in the order of the scores, with a note if the truth has another one."""
    order = np.argsort(labels.places[1])
    if labels.names is None or np.array_equal(order, np.arange(order.size)):
        return labels
    notes = [] if truth.has_label_lists else [_order_note(truth.source, scores.source)]
    return labels._replace(
        names=tuple(labels.names[j] for j in order),
        places=[places[order] for places in labels.places],
        notes=[*labels.notes, *notes],
    )


def _order_note(truth: str | Path, scores: str | Path) -> str:
    first, other = _shown(truth), _shown(scores)
    return (
        f"labels of {first} are in another order than those of {other}: they are matched by name, "
        f"and the result has the order of {other}."
    )


def position_note(
    path: str | Path, first: str | Path, *, rows: bool = False, labels: bool = True
) -> str:
    """Return the line that says what is matched by position."""
    what = " and ".join(name for name, applies in (("rows", rows), ("labels", labels)) if applies)
    places = f"{_shown(path)} are matched with those of {_shown(first)}"
    return f"{what} of {places} by position."


def label_columns(matrix: NamedMatrix) -> LabelColumns:
    """Return the labels of the matrix of a file."""
    return LabelColumns(
        matrix.source,
        matrix.label_names,
        matrix.values.shape[1],
        matrix.has_label_lists,
        columns_like_ids(matrix.values, matrix.label_names),
    )


def _with_common_names(
    first: LabelColumns, other: LabelColumns, matching: Matching
) -> tuple[LabelColumns, LabelColumns, bool]:
    """Give labels that are matched by position the same names; return whether they are."""
    named = [not (file.names is None or are_numbers(file.names)) for file in (first, other)]
    if all(named) or set(first.names or ()) == set(other.names or (None,)):
        return first, other, False
    if any(named) and not matching.by_position:
        having, lacking = (first, other) if named[0] else (other, first)
        raise DataError(
            lacking.source,
            f"has no label names and {having.source} has: give --by-position to match labels "
            "by their order.",
        )
    if first.n_labels != other.n_labels:
        raise DataError(
            other.source,
            f"has {other.n_labels} labels but {first.source} has {first.n_labels}.",
        )
    names = other.names if named[1] or first.names is None else first.names
    return first._replace(names=names), other._replace(names=names), True


def _all_labels(first: LabelColumns, others: Sequence[LabelColumns]) -> list[str]:
    """Return the labels of the first file, and if its list is not complete, of the others."""
    extra = [name for file in others for name in file.names or ()] if first.is_open else []
    return list(dict.fromkeys([*(first.names or ()), *extra]))


def _dropped(
    first: LabelColumns,
    wanted: Sequence[str],
    others: Sequence[LabelColumns],
    kept: Sequence[str],
    matching: Matching,
) -> list[str]:
    """Refuse labels that only some files have, or return a line for each file that has more."""
    notes, of_first = [], set(wanted)
    for file in others:
        missing = file.lacking(wanted)
        extra = [name for name in file.names or () if name not in of_first]
        for lacking, having, names in ((file, first, missing), (first, file, extra)):
            if names and matching.missing_labels == "error":
                noun = "label" if len(names) == 1 else "labels"
                like_ids = [name for name in having.like_ids if name in names]
                raise DataError(
                    lacking.source,
                    f"lacks {noun} {listed(names)}, which {having.source} has: give "
                    f"{ids_hint(like_ids, ', or ')}--missing-labels drop to use only the labels "
                    "that all files have.",
                )
            if names:
                shown = listed(names, _MOST_NAMED, show=printable)
                plural = "label is" if len(names) == 1 else "labels are"
                notes.append(
                    f"{len(names):,} {plural} dropped, which "
                    f"{_shown(lacking.source)} lacks: {shown}."
                )
    if not kept:
        raise DataError(first.source, "has no label in common with the other files.")
    return notes


def _same_rows(truth: NamedMatrix, other: NamedMatrix, matching: Matching) -> np.ndarray | None:
    """Return the row of the other matrix for each row of the first; None if by position."""
    if truth.ids is not None and other.ids is not None:
        return _rows_by_id(truth, other)
    if (truth.ids is None) != (other.ids is None) and not matching.by_position:
        having, lacking = (truth, other) if truth.ids is not None else (other, truth)
        proposed = columns_like_ids(lacking.values, lacking.label_names)
        such = f" (such as --ids {having.id_name},{proposed[0]})" if proposed else ""
        raise DataError(
            lacking.source,
            f"has no ids and {having.source} has ({having.id_name!r}): name the column with --ids"
            f"{such}, or give --by-position to match rows by their order.",
        )
    n_rows, n_others = truth.values.shape[0], other.values.shape[0]
    if n_rows != n_others:
        raise DataError(other.source, f"has {n_others} rows but {truth.source} has {n_rows}.")
    return None


def _rows_by_id(truth: NamedMatrix, other: NamedMatrix) -> np.ndarray:
    places, others = _places(truth), _places(other)
    for here, there, lacking in ((places, others, other), (others, places, truth)):
        owner = truth if lacking is other else other
        missing = next((name for name in here if name not in there), None)
        if missing is not None:
            raise DataError(lacking.source, f"lacks row {missing!r}, which {owner.source} has.")
    return np.array([others[name] for name in truth.ids or ()], dtype=np.intp)


def _places(matrix: NamedMatrix) -> dict[str, int]:
    """Return the row of each id, which must occur once."""
    places: dict[str, int] = {}
    for row, name in enumerate(matrix.ids or ()):
        if places.setdefault(name, row) != row:
            raise DataError(matrix.source, f"has row {name!r} twice.")
    return places


def _cells(values: Any, rows: np.ndarray | None, columns: np.ndarray) -> Any:
    """Take rows and columns of a matrix; a column of number -1 is empty."""
    if rows is not None:
        is_csc = isinstance(values, sparse.csc_array)
        values = sparse.csc_array(sparse.csr_array(values)[rows]) if is_csc else values[rows]
    if np.array_equal(columns, np.arange(values.shape[1])):
        return values
    if (columns < 0).any():  # only labels, which are sparse, have labels without positives
        values = sparse.hstack([values, sparse.csc_array((values.shape[0], 1), dtype=bool)])
        values = sparse.csc_array(values)
    return take_columns(values, columns)


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether names are only the numbers 0, 1, ..., as for data without names."""
    return list(names) == [str(number) for number in range(len(names))]


def _shown(path: str | Path) -> str:
    """Return a path as one line without control characters."""
    return printable(path, _LONGEST_PATH)
