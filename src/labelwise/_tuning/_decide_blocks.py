"""Decisions on files and dask arrays of scores, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._blocks import (
    DaskRows,
    RowSource,
    check_block_output,
    is_dask,
    open_source,
    rows_together,
    write_blocks,
)
from labelwise._tuning.problem._decisions import columns_of_labels, decided_by_label
from labelwise._validation import MatchedSide, have_names, without_position


class DecisionCounts(NamedTuple):
    """How many decisions `Thresholds.decide` has written.

    Attributes
    ----------
    by_label : ndarray of int of shape (n_labels,)
        Number of decisions of each column of the output.
    n_rows : int
        Number of rows.
    n_without : int
        Number of rows without a decision.
    """

    by_label: np.ndarray
    n_rows: int
    n_without: int


class StoredScores(NamedTuple):
    """Scores that are read in blocks, and the column of each threshold, None if in order."""

    source: RowSource
    columns: np.ndarray | None

    def decisions(self, decide: Callable[[Any], Any]) -> Iterator[np.ndarray]:
        """Yield the decisions of each block."""
        for block in self.source.blocks(rows_together(self.source.row_bytes)):
            yield decided_by_label(decide, block, self.columns)


def decide_lazily(decide: Callable[[Any], Any], scores: Any) -> Any:
    """Return the decisions of a dask array, chunk by chunk of rows; nothing is computed."""
    whole_rows = scores if len(scores.chunks[1]) == 1 else scores.rechunk({1: -1})
    return whole_rows.map_blocks(decide, dtype=np.int8, meta=np.empty((0, 0), np.int8))


def decide_in_memory(decide: Callable[[Any], Any], stored: StoredScores) -> np.ndarray:
    """Return the decisions on a file, which take a byte for each score."""
    decided, start = np.empty(stored.source.shape, dtype=np.int8), 0
    for block in stored.decisions(decide):
        decided[start : start + len(block)] = block
        start += len(block)
    return decided


def write_decisions(
    decide: Callable[[Any], Any],
    stored: StoredScores,
    label_names: tuple[str, ...] | None,
    output: str | Path,
) -> DecisionCounts:
    """Write decisions block by block, and count them."""
    path, source = Path(output), stored.source
    by_label = np.zeros(source.shape[1], dtype=np.int64)
    n_without = 0

    def counted() -> Iterator[np.ndarray]:
        nonlocal n_without
        for decided in stored.decisions(decide):
            by_label[:] += np.count_nonzero(decided, axis=0)
            n_without += int((~decided.any(axis=1)).sum())
            yield decided

    names = source.names or label_names
    write_blocks(path, counted(), source.shape, names, source.id_name, source.ids())
    return DecisionCounts(by_label, source.shape[0], n_without)


def open_scores(
    scores: Any,
    label_names: tuple[str, ...] | None,
    n_labels: int,
    ids: Any,
) -> StoredScores:
    """Open scores, and match their columns with the labels of thresholds."""
    ids, by_position = without_position(ids)
    source: RowSource = (
        DaskRows(scores) if is_dask(scores) else open_source(scores, "scores", None, ids)
    )
    rule = MatchedSide("thresholds", label_names=label_names, is_array=source.is_array)
    have_names(rule, rule._replace(name="scores", label_names=source.names), by_position)
    columns = columns_of_labels(label_names, n_labels, source.names, source.shape[1])
    return StoredScores(source, columns)


def decide_stored(
    decide: Callable[[Any], Any],
    label_names: tuple[str, ...] | None,
    n_labels: int,
    scores: Any,
    output: str | Path | None,
    ids: Any,
) -> Any:
    """Decide scores that are not in memory, or write decisions; `decide` takes rows in memory."""
    if output is None and is_dask(scores):
        return decide_lazily(decide, scores)
    if output is not None:
        check_block_output(Path(output))
    stored = open_scores(scores, label_names, n_labels, ids)
    if output is None:
        return decide_in_memory(decide, stored)
    return write_decisions(decide, stored, label_names, output)
