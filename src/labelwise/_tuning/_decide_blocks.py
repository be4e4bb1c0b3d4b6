"""Decisions on files and dask arrays of scores, block by block."""

from __future__ import annotations

from collections.abc import Iterator
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


def decide_stored(rule: Any, scores: Any, output: str | Path | None, ids: Any) -> Any:
    """Decide scores that are not in memory by thresholds, or write decisions."""
    if output is None and is_dask(scores):
        # Chunk by chunk of rows; nothing is computed.
        whole_rows = scores if len(scores.chunks[1]) == 1 else scores.rechunk({1: -1})
        return whole_rows.map_blocks(rule.decide, dtype=np.int8, meta=np.empty((0, 0), np.int8))
    if output is not None:
        check_block_output(Path(output))
    ids, by_position = without_position(ids)
    source: RowSource = (
        DaskRows(scores) if is_dask(scores) else open_source(scores, "scores", None, ids)
    )
    labels = MatchedSide("thresholds", label_names=rule.label_names, is_array=source.is_array)
    have_names(labels, labels._replace(name="scores", label_names=source.names), by_position)
    columns = columns_of_labels(rule, source.names, source.shape[1])
    blocks = (
        decided_by_label(rule.decide, block, columns)
        for block in source.blocks(rows_together(source.row_bytes))
    )
    if output is not None:
        return _write_decisions(source, blocks, source.names or rule.label_names, Path(output))
    decided, start = np.empty(source.shape, dtype=np.int8), 0
    for block in blocks:
        decided[start : start + len(block)] = block
        start += len(block)
    return decided


def _write_decisions(
    source: RowSource, blocks: Iterator[np.ndarray], names: tuple[str, ...] | None, output: Path
) -> DecisionCounts:
    """Write decisions block by block, and count them."""
    by_label = np.zeros(source.shape[1], dtype=np.int64)
    n_without = 0

    def counted() -> Iterator[np.ndarray]:
        nonlocal n_without
        for decided in blocks:
            by_label[:] += np.count_nonzero(decided, axis=0)
            n_without += int((~decided.any(axis=1)).sum())
            yield decided

    write_blocks(output, counted(), source.shape, names, source.id_name, source.ids())
    return DecisionCounts(by_label, source.shape[0], n_without)
