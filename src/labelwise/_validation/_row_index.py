"""Match the rows of data frames by their ids: a column, given values, or the index of pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import listed
from labelwise._validation._arrays import is_frame
from labelwise._validation._named_matrices import NamedMatrix


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
        If a column is named for data that are no frame.
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
