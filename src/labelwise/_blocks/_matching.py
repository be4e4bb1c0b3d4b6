"""Scores, labels and decisions side by side, in blocks of the same rows and labels.

`Blocks` is what functions of all rows need; `MatchedBlocks` reads the blocks in this process, and
`labelwise._blocks._dask` works on chunks of dask arrays where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._blocks._interface import (
    Accumulator,
    Part,
    RowSource,
    Total,
    rows_together,
    warn_of_label_order,
)
from labelwise._blocks._sources import open_source
from labelwise._validation import (
    MatchedSide,
    Outcome,
    check_names,
    check_outcome,
    check_scores,
    have_ids,
    is_list_of_sets,
    same_labels,
    take_columns,
    without_position,
)


class MatchedBlocks(NamedTuple):
    """Files or arrays with the same rows, which are read in blocks in this process.

    `orders` has the columns of each file in the order of the labels; None if they are in order.
    """

    sources: dict[str, RowSource]
    orders: dict[str, np.ndarray | None]
    names: tuple[str, ...] | None
    n_samples: int
    n_labels: int
    n_together: int  # rows of a block

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the checked rows of each block."""
        start = 0
        readers = [source.blocks(self.n_together) for source in self.sources.values()]
        for cells in zip(*readers, strict=True):
            given = {
                name: _in_order(block, self.orders[name])
                for name, block in zip(self.sources, cells, strict=True)
            }
            yield checked_block(given, start)
            start += self.n_together

    def label_groups(self, most_bytes: int) -> Iterator[Outcome]:
        """Yield all rows of a few labels at a time, as many as fit; the rows are read each time."""
        row_bytes = max(1, self.sources["scores"].row_bytes // self.n_labels)
        width = max(1, most_bytes // (row_bytes * self.n_samples))
        for first in range(0, self.n_labels, width):
            parts = [some_labels(one, slice(first, first + width)) for one in self.outcomes()]
            yield stacked(parts)

    def reduced(
        self, of_block: Callable[[Outcome], Part], merge: Callable[[Sequence[Part]], Part]
    ) -> Part:
        """Merge what a function returns for each block."""
        return merge([of_block(outcome) for outcome in self.outcomes()])

    def accumulated(self, accumulator: Accumulator[Total]) -> Total:
        """Return the total over the scores of all blocks, by one pass."""
        total = accumulator.empty()
        for block in self.sources["scores"].blocks(self.n_together):
            scores: Any = check_scores(_in_order(block, self.orders["scores"])).matrix
            accumulator.add(total, scores)
        return total


def match_blocks(
    given: dict[str, Any],
    label_names: Any = None,
    columns: str | Sequence[str] | None = None,
    ids: Any = None,
    labels_of: str = "Y",
) -> MatchedBlocks:
    """Open "Y" and "scores" or "decided", and match their columns by name.

    Rows that have ids must have the same ids in the same order. `columns` and `ids` are those of
    `open_source`, the ids also by argument in a dict; False matches rows and labels by position if
    only some files have ids or names. `labels_of` is the matrix whose names, if it has any, give
    the order of the labels; names of "Y" give way to `label_names`.
    """
    ids, by_position = without_position(ids)
    sources = {
        name: open_source(data, name, columns, ids.get(name) if isinstance(ids, dict) else ids)
        for name, data in given.items()
        if data is not None
    }
    names, orders = match_rows(sources, label_names, by_position=by_position, labels_of=labels_of)
    if labels_of == "scores":
        of_Y = None if is_list_of_sets(given["Y"]) else sources["Y"].names
        warn_of_label_order(names, of_Y, label_names, stacklevel=5)
    n_samples, n_labels = sources["Y"].shape
    together = rows_together(max(source.row_bytes for source in sources.values()))
    return MatchedBlocks(sources, orders, names, n_samples, n_labels, min(together, n_samples))


def match_rows(
    sources: dict[str, RowSource],
    label_names: Any = None,
    *,
    by_position: bool = False,
    labels_of: str = "Y",
) -> tuple[tuple[str, ...] | None, dict[str, np.ndarray | None]]:
    """Check that rows have the same ids in the same order, and match labels by name.

    Rows and labels are matched by the rule of `labelwise._validation`. Return the names of the
    labels and the columns of each source in their order, None if they are in order.
    """
    sides = {
        name: MatchedSide(
            source.path or name,
            source.id_name,
            source.names,
            source.shape,
            is_array=source.is_array,
            id_name=source.id_name,
        )
        for name, source in sources.items()
    }
    check_n_rows(sides)
    truth = sides["Y"]
    # Rows of Y without ids are those of the first matrix that has ids.
    of_rows = next((name for name in ("Y", *sides) if sides[name].ids is not None), "Y")
    for name, source in sources.items():
        both = have_ids(truth, sides[name], by_position) or sides[name].ids is not None
        if name != of_rows and both:
            differing = first_difference(source.ids(), sources[of_rows].ids())
            if differing is not None:
                row, one, other = differing
                raise sides[name].fault(
                    f"must have the same ids as {sides[of_rows].name}, in the same order to be "
                    f"read in blocks, got {one!r} and {other!r} as row {row}: sort both by their "
                    "ids, and leave out rows that only one of them has."
                )
            _refuse_repeated(sides[of_rows], sources[of_rows])
    first = sides[labels_of]
    if label_names is not None:
        named, n_labels = check_names(label_names, "label_names"), truth.shape[1]
        if len(named) != n_labels:
            raise ValueError(f"label_names has {len(named)} names for {n_labels} labels.")
        if labels_of == "Y" or first.label_names is None:
            first = MatchedSide("label_names", label_names=named, shape=(0, n_labels))
        # The columns of a matrix without names are those of `label_names`.
        sides = {
            name: side if side.label_names else side._replace(label_names=named)
            for name, side in sides.items()
        }
    same = same_labels(first, [*sides.values()], by_position)
    orders = {
        name: None if np.array_equal(order, np.arange(order.size)) else order
        for name, order in zip(sides, same.places[1:], strict=True)
    }
    return same.names, orders


def check_n_rows(sides: dict[str, MatchedSide]) -> None:
    """Refuse a matrix that has no cells, or another number of rows than Y."""
    truth = sides["Y"]
    n_rows, n_labels = truth.shape
    if 0 in truth.shape:
        raise truth.fault(f"must have a row and a label, got {n_rows} rows and {n_labels} labels.")
    for side in sides.values():
        if side.shape[0] != n_rows:
            raise side.fault(f"has {side.shape[0]} rows but {truth.name} has {n_rows}.")


def _refuse_repeated(side: MatchedSide, source: RowSource) -> None:
    """Refuse an id that occurs twice; 8 bytes a row are kept, and few ids of the same hash."""
    hashes = np.concatenate(
        [np.fromiter(map(hash, part.to_pylist()), np.int64, len(part)) for part in source.ids()]
    )
    hashes.sort()
    repeated, seen = {*hashes[1:][hashes[1:] == hashes[:-1]].tolist()}, set()
    for part in source.ids() if repeated else ():
        for text in part.to_pylist():
            if text in seen:
                raise side.fault(f"has row {text!r} twice, so rows do not match.")
            if hash(text) in repeated:
                seen.add(text)


def first_difference(some: Iterator[Any], others: Iterator[Any]) -> tuple[int, str, str] | None:
    """Return the first row whose names differ, with both names.

    None if there is none, or if only one side has names.
    """
    from pyarrow import compute

    start, one, other = 0, next(some, None), next(others, None)
    while one is not None and other is not None:
        n_both = min(len(one), len(other))
        place = compute.index(compute.not_equal(one[:n_both], other[:n_both]), True).as_py()
        if place >= 0:
            return start + place, one[place].as_py(), other[place].as_py()
        start, one, other = start + n_both, one[n_both:], other[n_both:]
        one = one if len(one) else next(some, None)
        other = other if len(other) else next(others, None)
    return None


def checked_block(given: dict[str, Any], start: int) -> Outcome:
    """Check the rows of a block; an error names the first row of the block."""
    try:
        return check_outcome(**given)
    except (TypeError, ValueError) as error:
        if start == 0:
            raise
        raise type(error)(f"{error} Rows are counted from row {start}.") from error


def _in_order(block: Any, order: np.ndarray | None) -> Any:
    return block if order is None else take_columns(block, order)


def some_labels(outcome: Outcome, labels: slice) -> Outcome:
    """Return a block with some of its labels."""
    scores: Any = outcome.scores
    return outcome._replace(Y=outcome.Y[:, labels], scores=scores[:, labels].copy())


def stacked(parts: list[Outcome]) -> Outcome:
    """Join the rows of several blocks."""
    from scipy import sparse

    scores: Any = [part.scores for part in parts]
    Y = sparse.csc_array(sparse.vstack([part.Y for part in parts], format="csc"))
    return parts[0]._replace(Y=Y, scores=np.concatenate(scores))
