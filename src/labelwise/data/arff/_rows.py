"""The rows of an ARFF file: every cell a number, every slip an error with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelwise._io import Bound, DataError
from labelwise.data.arff._header import Attribute, number, shown, unescaped

# Between two pauses a run can be interrupted.
_PAUSE_BYTES = 2**24
_HARD_CELLS = 4096


class Entries(NamedTuple):
    """Cells of sparse rows: row i has the entries from `indptr[i]` up to `indptr[i + 1]`."""

    indptr: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.indptr.size - 1

    def rows_of(self, places: np.ndarray) -> np.ndarray:
        """Return the rows that the entries at these places belong to."""
        rows: np.ndarray = np.searchsorted(self.indptr, places, side="right") - 1
        return rows


@dataclass(frozen=True)
class ParsedRows:
    """All cells of a file as numbers, dense of shape (n_rows, n_columns) or as entries.

    `lines` has the position of each row in the content. A text cell's number points into
    `spans`.
    """

    cells: np.ndarray | Entries
    lines: np.ndarray
    spans: np.ndarray
    content: bytearray

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.lines.size

    def text(self, span: float) -> bytes | None:
        """Return a text cell, or None where it is missing."""
        if np.isnan(span):
            return None
        start, end, quoted = self.spans[int(span)]
        if start < 0:
            return None
        raw = bytes(self.content[start:end])
        return unescaped(raw) if quoted else raw


def line_of(content: bytearray, position: int) -> int:
    """Return the number of the line at a position."""
    return content.count(b"\n", 0, position) + 1


def read_rows(
    content: bytearray,
    start: int,
    attributes: Sequence[Attribute],
    bound: Bound,
    line: Callable[[int], int],
) -> ParsedRows:
    """Read the rows from `start` on; `line` returns the line of a position, for errors.

    The content gets a newline at its end if it has none.
    """
    from labelwise.data.arff import _kernels as kernels

    if not content.endswith(b"\n"):
        content += b"\n"
    text = np.frombuffer(content, dtype=np.uint8)
    columns = _columns(attributes)
    first = kernels.next_row(text, min(start, text.size))
    sparse = first < text.size and content[first] == ord("{")
    cells = _room(text, first, attributes, sparse, bound)
    numbers = _Numbers(attributes)
    row_of = np.full(len(attributes) if sparse else 0, -1, dtype=np.int64)
    progress = kernels.ScanState(first, 0, 0, 0, 0, kernels.PAUSE, 0)
    while progress.status == kernels.PAUSE:
        pause = progress.position + _PAUSE_BYTES
        if sparse:
            progress = kernels.read_sparse(text, pause, progress, columns, cells, row_of)
        else:
            progress = kernels.read_dense(text, pause, progress, columns, cells)
        for hard in cells.hard[: progress.n_hard].tolist():
            cells.values[hard[0]] = _hard_number(hard, content, numbers, bound.path, line)
        progress = progress._replace(n_hard=0)
    if progress.status != kernels.DONE:
        problem = _slip(progress, content, attributes)
        raise DataError(bound.path, problem, line(progress.position))
    return _trimmed(cells, progress, len(attributes), sparse, content)


def _columns(attributes: Sequence[Attribute]):  # type: ignore[no-untyped-def]
    """Return the attributes as the arrays that kernels read; equal types share a place."""
    from labelwise.data.arff._kernels import NOMINAL, NUMBER, TEXT, Columns

    kind_numbers = {"number": NUMBER, "nominal": NOMINAL, "text": TEXT, "bag": TEXT}
    kinds = {id(attribute.type): attribute.type for attribute in attributes}
    ordered: list[tuple[bytes, float]] = []
    places: dict[int, tuple[int, int]] = {}
    for key, kind in kinds.items():
        place = len(ordered)
        ordered += sorted(zip(kind.values, kind.numbers, strict=True))
        places[key] = (place, len(ordered))
    letters = b"".join(value for value, _ in ordered)
    lengths = [len(value) for value, _ in ordered]
    bounds = np.array([places[id(attribute.type)] for attribute in attributes], dtype=np.int64)
    return Columns(
        kinds=np.array(
            [kind_numbers[attribute.type.kind] for attribute in attributes], dtype=np.int8
        ),
        first=bounds[:, 0].copy(),
        last=bounds[:, 1].copy(),
        starts=np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64),
        letters=np.frombuffer(bytearray(letters), dtype=np.uint8),
        numbers=np.array([number for _, number in ordered], dtype=np.float64),
    )


def _room(  # type: ignore[no-untyped-def]
    text: np.ndarray, start: int, attributes: Sequence[Attribute], sparse: bool, bound: Bound
):
    """Allocate arrays for the most that the rows can contain; unused pages take no memory."""
    from labelwise.data.arff._kernels import Cells, count_marks

    n_columns = len(attributes)
    n_texts = sum(attribute.type.kind in ("text", "bag") for attribute in attributes)
    n_rows, n_commas, n_braces = count_marks(text, start)
    if sparse:
        # Every entry follows a brace or a comma.
        n_cells = n_commas + n_braces
        n_spans = n_cells if n_texts else 0
    else:
        # A row takes as many bytes as it has columns, even if all its cells are empty; the last
        # row may end in the middle.
        n_rows = min(n_rows, (text.size - start) // n_columns) + 1
        n_cells, n_spans = n_rows * n_columns, n_rows * n_texts
    bound.check(n_cells * (12 if sparse else 8) + n_rows * 16 + n_spans * 24, "its rows")
    return Cells(
        values=np.empty(n_cells),
        columns=np.empty(n_cells if sparse else 0, dtype=np.int32),
        ends=np.empty(n_rows if sparse else 0, dtype=np.int64),
        lines=np.empty(n_rows, dtype=np.int64),
        spans=np.empty((n_spans, 3), dtype=np.int64),
        hard=np.empty((_HARD_CELLS + n_columns, 5), dtype=np.int64),
    )


class _Numbers:
    """Map declared values to their numbers; searching a list each time would be slow."""

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self.attributes = attributes
        self.by_type: dict[int, dict[bytes, float]] = {}

    def of(self, column: int) -> dict[bytes, float]:
        """Return the numbers of a nominal attribute; equal types share them."""
        kind = self.attributes[column].type
        if id(kind) not in self.by_type:
            self.by_type[id(kind)] = dict(zip(kind.values, kind.numbers, strict=True))
        return self.by_type[id(kind)]


def _hard_number(
    hard: list[int],
    content: bytearray,
    numbers: _Numbers,
    path: str | Path,
    line: Callable[[int], int],
) -> float:
    """Return the number of a cell that the kernel left over: long, quoted, escaped or wrong."""
    _, column, start, end, quoted = hard
    raw = bytes(content[start:end])
    written = unescaped(raw) if quoted else raw
    attribute = numbers.attributes[column]
    name = shown(attribute.name)
    if attribute.type.kind == "nominal":
        declared = numbers.of(column)
        if written in declared:
            return declared[written]
        raise DataError(path, f"{shown(written)!r} is not declared for {name!r}.", line(start))
    value = number(written)
    if value is None:
        problem = f"attribute {name!r} needs a finite number, got {shown(written)!r}."
        raise DataError(path, problem, line(start))
    return value


def _slip(progress, content: bytearray, attributes: Sequence[Attribute]) -> str:  # type: ignore[no-untyped-def]
    """Say what was wrong where the kernel stopped."""
    from labelwise.data.arff import _kernels as kernels

    at, column, n_columns = progress.position, progress.column, len(attributes)
    rest = shown(bytes(content[at : at + 80]).split(b"\n", 1)[0].rstrip(), most=20)
    found = shown(re.split(rb"[,\n\t}]", bytes(content[at : at + 80]), maxsplit=1)[0].strip())
    name = shown(attributes[min(column, n_columns - 1)].name)
    return {
        kernels.TOO_FEW: f"expected {n_columns} values, got {column}.",
        kernels.TOO_MANY: f"expected {n_columns} values separated by commas, but after value "
        f"{column} comes {rest!r}.",
        kernels.OPEN_QUOTE: f"a quote is opened for {name!r} and never closed.",
        kernels.UNDECLARED: f"{found!r} is not declared for {name!r}.",
        kernels.BAD_INDEX: f"expected an index and a value, got {found!r}.",
        kernels.OUT_OF_RANGE: f"index {found.split(' ')[0]} is past the {n_columns} attributes.",
        kernels.TWICE: f"attribute {name!r} is given twice in one row.",
        kernels.BRACE: "a sparse row must be written as {index value, ...}.",
    }[progress.status]


def _trimmed(cells, progress, n_columns: int, sparse: bool, content: bytearray) -> ParsedRows:  # type: ignore[no-untyped-def]
    n_rows, n_cells = progress.n_rows, progress.n_cells
    lines, spans = cells.lines[:n_rows], cells.spans[: progress.n_spans]
    values = cells.values[:n_cells]
    if not sparse:
        return ParsedRows(values.reshape(n_rows, n_columns), lines, spans, content)
    indptr = np.concatenate(([0], cells.ends[:n_rows]))
    return ParsedRows(Entries(indptr, cells.columns[:n_cells], values), lines, spans, content)
