"""The public function `decide` of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._blocks import (
    BLOCK_BYTES,
    DaskRows,
    RowSource,
    check_block_output,
    is_dask,
    open_source,
    write_blocks,
)
from labelwise._validation import check_whole
from labelwise.decisions import Thresholds, columns_of_labels, decided_by_label


class DecisionCounts(NamedTuple):
    """How many decisions `decide` has written.

    Attributes
    ----------
    by_label : ndarray of int of shape (n_labels,)
        Number of decisions of each column of the output.
    n_rows : int
        Number of rows.
    n_without : int
        Number of rows without a decision.

    See Also
    --------
    decide : Decide the labels of each row block by block.
    """

    by_label: np.ndarray
    n_rows: int
    n_without: int


def decide(
    thresholds: Thresholds | str | Path,
    scores: Any,
    output: str | Path | None = None,
    *,
    block_rows: int | None = None,
    ids: str | Sequence[str] | None = None,
    by_position: bool = False,
) -> Any:
    """Decide the labels of rows block by block, and write the decisions.

    The decisions are those of `Thresholds.decide` on all rows.

    Parameters
    ----------
    thresholds : Thresholds, str or Path
        The thresholds, or the file that `Thresholds.save` wrote.
    scores : path, array or dask array of shape (n_samples, n_labels)
        Finite scores, as in `best_thresholds` of the engine. Columns with names are matched by
        name if the thresholds have names. Ids of the rows are written along to parquet files.
    output : str, Path or None, default=None
        File to write, with the ending .parquet, .npy or .zarr; decisions are int8. It appears only
        once it is complete. With None, the scores must be a dask array, and nothing is computed.
    block_rows : int, default=None
        Rows of a block; None means about 32 MB of scores.
    ids : str or sequence of str, default=None
        Name of the column of ids in parquet files, as in `best_thresholds` of the engine.
    by_position : bool, default=False
        Whether labels are matched by position if only the thresholds or only the file of scores has
        names. They are refused otherwise; arrays have no names, and go by position.

    Returns
    -------
    DecisionCounts, or dask array of int8
        The numbers of decisions in the output; without an output, the decisions as a dask array
        with the chunks of rows of the scores.

    Raises
    ------
    ValueError
        If the ending of the output is none of these, if scores are not finite, or if their labels
        are not those of the thresholds.
    DataError
        If a file cannot be read.
    OSError
        If the output cannot be written.

    See Also
    --------
    labelwise.decisions.Thresholds.decide : The same for scores in memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.engine import decide
    >>> scores = [[0.9, 0.2], [0.6, 0.4]]
    >>> tuned = best_thresholds(scores, [[1, 0], [0, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "decided.npy"
    ...     found = decide(tuned, scores, path)
    ...     np.load(path)
    array([[1, 0],
           [0, 1]], dtype=int8)
    >>> found.by_label, found.n_without
    (array([1, 1]), 0)
    """
    tuned = thresholds if isinstance(thresholds, Thresholds) else Thresholds.load(thresholds)
    if output is None:
        if not is_dask(scores):
            raise ValueError("output must be a file unless scores are a dask array, got None.")
        return _lazy_decisions(tuned, scores)
    path = Path(output)
    check_block_output(path)
    source = DaskRows(scores) if is_dask(scores) else open_source(scores, "scores", None, ids)
    n_together = max(1, BLOCK_BYTES // source.row_bytes)
    if block_rows is not None:
        n_together = check_whole(block_rows, "block_rows")
    columns = _columns_of(source, tuned, by_position)
    names = source.names or tuned.label_names
    sums = _DecidedSoFar(np.zeros(source.shape[1], dtype=np.int64))
    decisions = _decisions(source, tuned, columns, n_together, sums)
    write_blocks(path, decisions, source.shape, names, source.id_name, source.ids())
    return DecisionCounts(sums.by_label, source.shape[0], sums.n_without)


@dataclass
class _DecidedSoFar:
    """Decisions of each label, and rows without any, of the blocks so far."""

    by_label: np.ndarray
    n_without: int = 0


def _lazy_decisions(tuned: Thresholds, scores: Any) -> Any:
    """Return the decisions of a dask array, chunk by chunk of rows."""
    whole_rows = scores if len(scores.chunks[1]) == 1 else scores.rechunk({1: -1})
    return whole_rows.map_blocks(tuned.decide, dtype=np.int8, meta=np.empty((0, 0), np.int8))


def _columns_of(source: RowSource, tuned: Thresholds, by_position: bool) -> np.ndarray | None:
    """Return the column of each threshold; None if the columns are in the same order."""
    is_named = source.names is not None, tuned.label_names is not None
    if is_named[0] != is_named[1] and not (source.is_array or by_position):
        lacking, having = ("thresholds", "scores") if is_named[0] else ("scores", "thresholds")
        raise ValueError(
            f"{lacking} has no label names and {having} has: match labels by position by "
            "by_position=True (--by-position)."
        )
    return columns_of_labels(tuned.label_names, len(tuned), source.names, source.shape[1])


def _decisions(
    source: RowSource,
    tuned: Thresholds,
    columns: np.ndarray | None,
    n_together: int,
    sums: _DecidedSoFar,
) -> Iterator[np.ndarray]:
    """Yield the decisions of each block, and add up those of each label."""
    for block in source.blocks(n_together):
        decided = decided_by_label(tuned.decide, block, columns)
        sums.by_label += np.count_nonzero(decided, axis=0)
        sums.n_without += int((~decided.any(axis=1)).sum())
        yield decided
