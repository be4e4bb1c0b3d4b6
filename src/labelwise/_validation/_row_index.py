"""Match the rows of data frames by their index (pandas), instead of by position."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation._arrays import is_frame


def row_index(data: Any) -> Any:
    """Return the index of a frame; None for arrays, lists and frames that have no index."""
    if isinstance(data, np.ndarray) or sparse.issparse(data) or not is_frame(data):
        return None
    import narwhals as nw

    return nw.maybe_get_index(nw.from_native(data, eager_only=True))


def rows_in_order(wanted: Any, given: Any, input_name: str, *, Y_name: str = "Y") -> Any:
    """Find the row of each wanted index value among the given ones.

    Parameters
    ----------
    wanted, given : index or None
        What `row_index` returns for Y and for the other argument.
    input_name, Y_name : str
        Names of the two arguments in error messages.

    Returns
    -------
    ndarray of int or None
        Row numbers in the order of `wanted`; None if the rows are matched by position, because
        they are in order already, or because an index is missing or only counts from 0.

    Raises
    ------
    ValueError
        If a value is missing, is only in one index, or is repeated; also if one index counts from
        0 and the other has the same numbers in another order, as it is not known which was meant.
    """
    if wanted is None or given is None or wanted.equals(given):
        return None
    if _only_counts(wanted) or _only_counts(given):
        _refuse_shuffled_count(wanted, given, input_name, Y_name)
        return None
    for index, name in ((wanted, Y_name), (given, input_name)):
        if not index.is_unique:
            twice = index[index.duplicated()].tolist()[0]
            raise ValueError(f"{name} has {twice!r} twice in its index, so rows do not match.")
    for here, there, having, lacking in (
        (wanted, given, Y_name, input_name),
        (given, wanted, input_name, Y_name),
    ):
        only_here = here[~here.isin(there)].tolist()
        if only_here:
            raise ValueError(
                f"{lacking} lacks row {only_here[0]!r}, which is in the index of {having}."
            )
    return given.get_indexer(wanted)


def _only_counts(index: Any) -> bool:
    """Return whether an index was never set, and has the values 0, 1, ... in this order."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _refuse_shuffled_count(wanted: Any, given: Any, input_name: str, Y_name: str) -> None:
    if len(wanted) != len(given) or not wanted.sort_values().equals(given.sort_values()):
        return
    row = next(i for i, pair in enumerate(zip(wanted, given, strict=True)) if pair[0] != pair[1])
    raise ValueError(
        f"{input_name} and {Y_name} have the same index in another order, first {given[row]} "
        f"and {wanted[row]} in row {row}: sort both (sort_index) to match rows by index, or "
        "reset both (reset_index) to match them by position."
    )
