"""Paired values, data sets by methods: the checked input of all ranks and tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelwise._measuring import measure_named
from labelwise._text import as_text, check_known, listed, printable
from labelwise._validation import check_names, frame_columns, is_frame, refuse_sparse
from labelwise.experiments.statistics._summary import KEYS, REPEATED, is_tidy, tidy_columns

_SHOWN = 4  # names in a sentence before "and n more"


@dataclass(frozen=True, eq=False, repr=False)
class PairedValues:
    """One value for each data set and method; prints as a table."""

    values: np.ndarray
    blocks: tuple[str, ...]
    methods: tuple[str, ...]
    higher_is_better: bool
    measure: str = ""
    dropped: tuple[str, ...] = ()

    @property
    def losses(self) -> np.ndarray:
        """The values if lower is better, otherwise their negatives."""
        return -self.values if self.higher_is_better else self.values

    def columns(self, pair: Sequence[str] | None) -> tuple[tuple[str, str], np.ndarray]:
        """Return the names of two methods, and how much better the first is on each block.

        A gain is the loss of the second minus that of the first. `pair` is None if there are only
        two.
        """
        first, second = self._check_pair(pair)
        losses = self.losses
        return (self.methods[first], self.methods[second]), losses[:, second] - losses[:, first]

    def _check_pair(self, pair: Sequence[str] | None) -> tuple[int, int]:
        if pair is None:
            if len(self.methods) != 2:
                raise ValueError(
                    f"pair must name two methods, as there are {len(self.methods)}: "
                    f"{listed(self.methods, _SHOWN, show=printable)}."
                )
            return 0, 1
        if isinstance(pair, str) or len(pair) != 2 or str(pair[0]) == str(pair[1]):
            raise ValueError(f"pair must name two different methods, got {pair!r}.")
        return place_of(pair[0], self.methods, "pair"), place_of(pair[1], self.methods, "pair")

    def __repr__(self) -> str:
        rows = [
            [block, *(f"{value:.4g}" for value in row)]
            for block, row in zip(self.blocks, self.values.tolist(), strict=True)
        ]
        notes = ["\n".join(dropped_note(self.dropped))] if self.dropped else []
        return "\n\n".join([as_text([[self.measure, *self.methods], *rows]), *notes])


def paired_values(
    values: Any,
    *,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    of: str = "model",
    over: str | Sequence[str] = "dataset",
    missing: str = "refuse",
) -> PairedValues:
    """Arrange values as data sets by methods, checked, for ranks and tests.

    All ranks and tests of this package call this function for their argument `values`.

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        One of these:

        - an array of shape (n_datasets, n_methods), or a frame with a column for each method;
        - a mapping from each method to its values, or to a mapping from data sets to values;
        - `Results`, or the rows of a study (mappings, or a frame with the columns `measure` and
          `value`), whose values are averaged over folds and seeds;
        - `PairedValues`, which are returned as they are.

        NaN, None and infinite values are missing.
    measure : str, default=None
        Name of the measure. It selects the measure of `Results` and rows, and says whether higher
        values are better. May be None for rows that have one measure only.
    higher_is_better : bool, default=None
        Whether higher values are better. None takes this from the study of `Results`, or from
        `measure`, which must then be a known measure.
    of : str, default="model"
        Column of the rows of a study whose values are the methods, such as "model" or "split".
    over : str or sequence of str, default="dataset"
        Column or columns of the rows of a study whose values are the blocks.
    missing : {"refuse", "drop"}, default="refuse"
        Whether to raise an error if a value is missing, or to leave out the data set. A data set
        on which a method lacks a fold or seed that another method has counts as missing.

    Returns
    -------
    PairedValues
        Prints as a table; every test accepts it. Attributes: `values`, finite numbers of shape
        (n_blocks, n_methods); `blocks` and `methods`, the names; `higher_is_better`;
        `measure`, "" if unknown; `dropped`, the blocks that were left out because a value is
        missing.

    Raises
    ------
    TypeError
        If the values are not numbers, or `higher_is_better` is not a bool.
    ValueError
        If a value is missing and `missing` is "refuse", if there are fewer than two methods or no
        data set, if the direction of the measure is unknown, or if an argument is wrong.

    Examples
    --------
    >>> from labelwise.experiments import paired_values
    >>> paired_values({"a": [0.5, 0.7], "b": [0.6, None]}, measure="micro-f", missing="drop")
    micro-f    a    b
    0        0.5  0.6
    <BLANKLINE>
    Left out, as a value is missing: 1.
    """
    if missing not in ("refuse", "drop"):
        raise ValueError(f'missing must be "refuse" or "drop", got {missing!r}.')
    if isinstance(values, PairedValues):
        return values
    refuse_sparse(values, "values", "numbers in a dense array, a mapping or a frame")
    if is_tidy(values):
        measure, blocks, methods, matrix = _tidy_matrix(values, measure, of, over)
    else:
        blocks, methods, matrix = _matrix(values)
    if higher_is_better is None and measure is not None and hasattr(values, "higher_is_better"):
        higher_is_better = values.higher_is_better(measure)
    direction = _check_direction(higher_is_better, measure)
    found = PairedValues(matrix, blocks, methods, direction, measure or "")
    return _without_missing(found, missing)


def place_of(method: Any, methods: tuple[str, ...], input_name: str) -> int:
    """Return the place of a method among the methods; refuse an unknown name."""
    refuse_sparse(method, input_name, "the name of a method")
    if str(method) not in methods:
        known = listed(methods, _SHOWN, show=printable)
        raise ValueError(f"{input_name} must name one of {known}, got {method!r}.")
    return methods.index(str(method))


def dropped_note(dropped: Sequence[str]) -> list[str]:
    """Return a line that names the blocks that were left out, or an empty list."""
    return (
        [f"Left out, as a value is missing: {listed(dropped, _SHOWN, show=printable)}."]
        if dropped
        else []
    )


def _tidy_matrix(
    rows: Any, measure: str | None, of: str, over: str | Sequence[str]
) -> tuple[str, tuple[str, ...], tuple[str, ...], np.ndarray]:
    """Return the measure, the blocks, the methods and the matrix of means, NaN if missing.

    A mean is also missing if the method lacks a fold or seed that another method has on the block.
    """
    columns = tidy_columns(rows)
    measure = _check_measure(columns["measure"], measure)
    across = (over,) if isinstance(over, str) else tuple(over)
    _check_columns(columns, measure, of, across)
    repeated = [name for name in REPEATED if name in columns and name not in (of, *across)]
    cells: dict[tuple[str, str], dict[Hashable, float]] = defaultdict(dict)
    wanted = [i for i, name in enumerate(columns["measure"]) if name == measure]
    for i in wanted:
        place = " / ".join(str(columns[name][i]) for name in across), str(columns[of][i])
        key = tuple(columns[name][i] for name in repeated)
        if key in cells[place]:
            raise ValueError(f"values must have each cell once, but {place[0]} has {key} twice.")
        value = columns["value"][i]
        cells[place][key] = np.nan if value is None else float(value)
    blocks = tuple(dict.fromkeys(block for block, _ in cells))
    methods = tuple(dict.fromkeys(method for _, method in cells))
    return measure, blocks, methods, _means_of_cells(cells, blocks, methods)


def _means_of_cells(
    cells: Mapping[tuple[str, str], Mapping[Hashable, float]],
    blocks: tuple[str, ...],
    methods: tuple[str, ...],
) -> np.ndarray:
    matrix = np.full((len(blocks), len(methods)), np.nan)
    for i, block in enumerate(blocks):
        found = [cells.get((block, method), {}) for method in methods]
        everywhere = set().union(*found)
        for j, values in enumerate(found):
            if len(values) == len(everywhere):
                matrix[i, j] = np.mean(list(values.values()))
    return matrix


def _check_measure(present: list[Any], measure: str | None) -> str:
    known = sorted(set(present))
    if measure is None and len(known) == 1:
        return str(known[0])
    return check_known(measure, known)


def _check_columns(
    columns: dict[str, list[Any]], measure: str, of: str, across: tuple[str, ...]
) -> None:
    for name, where in ((of, "of"), *((name, "over") for name in across)):
        if name not in columns or name in ("measure", "value"):
            raise ValueError(f"{where} must name a column of the rows, got {name!r}.")
    if of in across:
        raise ValueError(f"of and over must be different columns, got {of!r} twice.")
    for name in set(KEYS) - {*REPEATED, of, *across}:
        values = zip(columns.get(name, []), columns["measure"], strict=False)
        several = sorted({str(value) for value, which in values if which == measure})
        if len(several) > 1:
            raise ValueError(
                f"values must have one {name!r}, got several ({', '.join(several[:4])}): "
                f"keep the rows of one, or add {name!r} to over."
            )


def _matrix(values: Any) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray]:
    """Return names of blocks, names of methods, and the values of an array, mapping or frame."""
    if isinstance(values, Mapping):
        return _matrix_of_mapping(values)
    if not isinstance(values, np.ndarray) and is_frame(values):
        matrix, methods = frame_columns(values)
    else:
        matrix, methods = np.asarray(values), ()
    try:
        matrix = matrix.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError("values must be numbers.") from error
    if matrix.ndim != 2:
        raise ValueError(f"values must be 2-D, data sets by methods, got {matrix.ndim}-D.")
    return _numbers(matrix.shape[0]), methods or _numbers(matrix.shape[1]), matrix


def _matrix_of_mapping(
    values: Mapping[Any, Any],
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray]:
    methods = check_names(values, "the names of methods")
    if all(isinstance(column, Mapping) for column in values.values()):
        blocks = tuple(dict.fromkeys(block for column in values.values() for block in column))
        columns = [[column.get(block) for block in blocks] for column in values.values()]
        names = check_names(blocks, "the names of data sets")
    else:
        columns = [list(column) for column in values.values()]
        lengths = {len(column) for column in columns}
        if len(lengths) != 1:
            raise ValueError(
                f"values must have equal lengths for all methods, got {sorted(lengths)}."
            )
        names = _numbers(lengths.pop())
    return names, methods, np.array(columns, dtype=np.float64).T


def _numbers(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))


def _check_direction(higher_is_better: bool | None, measure: str | None) -> bool:
    if higher_is_better is not None:
        if not isinstance(higher_is_better, bool | np.bool_):
            raise TypeError(f"higher_is_better must be True or False, got {higher_is_better!r}.")
        return bool(higher_is_better)
    if measure is None:
        raise ValueError("higher_is_better must be given if measure is not given.")
    try:
        return measure_named(measure).higher_is_better
    except ValueError as error:
        raise ValueError(
            f"higher_is_better must be given for {measure!r}, which is not a known measure."
        ) from error


def _without_missing(found: PairedValues, missing: str) -> PairedValues:
    is_missing = ~np.isfinite(found.values)
    if is_missing.any():
        if missing == "refuse":
            i, j = (int(place) for place in np.argwhere(is_missing)[0])
            raise ValueError(
                f"values must be complete; {is_missing.sum()} of {is_missing.size} are missing, "
                f'the first for {found.methods[j]} on {found.blocks[i]}; missing="drop" leaves '
                "such data sets out."
            )
        kept = ~is_missing.any(axis=1)
        blocks = np.array(found.blocks, dtype=object)
        found = replace(
            found, values=found.values[kept], blocks=(*blocks[kept],), dropped=(*blocks[~kept],)
        )
    if len(found.methods) < 2 or not found.blocks:
        raise ValueError(
            "values must have at least two methods and one complete data set, got "
            f"{len(found.methods)} and {len(found.blocks)}."
        )
    return found
