"""The public functions `best_thresholds` and `micro_frontier` of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from labelwise._blocks import open_blocks
from labelwise._curves import BlockCurves
from labelwise.decisions import (
    Frontier,
    Request,
    Thresholds,
    frontier_of,
    tune_and_correct,
    warn_of_labels_without_positives,
)

# Options of `labelwise.decisions.best_thresholds` that need the rows of all scores together.
_OF_ROWS = ("shared", "shrink", "fbr", "guarantee")


def best_thresholds(
    scores: Any,
    Y: Any,
    *,
    maximize: str | Callable[..., Any] = "micro-f",
    average: str | None = None,
    beta: float = 1.0,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_decisions: int | float | None = None,
    cost: Any = None,
    label_names: Sequence[str] | None = None,
    block_rows: int | None = None,
    ids: str | Sequence[str] | None = None,
    by_position: bool = False,
    **options: Any,
) -> Thresholds:
    """Find the thresholds that maximise a measure, for scores larger than memory.

    The thresholds and their value are those of `labelwise.decisions.best_thresholds` on all rows,
    bit for bit. Rows are read in blocks, twice.

    Parameters
    ----------
    scores : path, array or dask array of shape (n_samples, n_labels)
        Finite scores, float32 or float64: an npy file in row order, a parquet file, a folder of
        parquet files in the order of their names, a zarr array, an array or memory map, or a dask
        array. Parquet files may have a column of ids (see `ids`) beside those of numbers.
    Y : path, array, sparse matrix, frame, list of sets or dask array
        The true labels, 0 or 1. Columns with names are matched by name; the result has the order
        of the scores. Rows with ids must have the same ids in the same order as the scores.
    maximize : str or callable, default="micro-f"
        The measure to maximise: average and measure by name, or a measure of counts, as in
        `labelwise.decisions.best_thresholds`.
    average : {"micro", "macro"}, default=None
        How a measure is averaged that `maximize` gives as a function; None means "micro".
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    min_precision, min_recall : float, default=None
        Lower bounds on micro precision and micro recall on these samples; with "macro", on those
        of every label.
    max_decisions : int or float, default=None
        Upper bound on the number of decisions: an int in total, a float as the mean per sample.
    cost : pair of float or of array-like of shape (n_labels,), default=None
        Costs of a false positive and of a false negative. The total cost is minimised instead of
        maximising a measure.
    label_names : sequence of str, default=None
        Names of the labels, for data without names.
    block_rows : int, default=None
        Rows of a block; None means about 32 MB of scores. The result does not depend on it. The
        blocks of dask arrays are their chunks.
    ids : str or sequence of str, default=None
        Name of the column of ids in parquet files, or several names, of which each file uses the
        first that it has. None finds the column: the first one if it is text, or if it is called
        "id" or "row" and its numbers are neither 0 and 1 nor scores.
    by_position : bool, default=False
        Whether rows and labels are matched by position if only some files or frames have ids or
        names. They are refused otherwise; arrays have neither, and go by position.
    **options : object
        Other options of `labelwise.decisions.best_thresholds`, which need all scores in memory:
        any value but the default is refused, and so is ``shrink="auto"``, which the command
        ``labelwise tune`` replaces by 0 for such files.

    Returns
    -------
    Thresholds
        The thresholds. `ConstraintCheck.corrected_value` is NaN: what constraints reach on other
        samples is not estimated.

    Raises
    ------
    TypeError
        If an option is unknown.
    ValueError
        If an option needs all scores in memory, if scores are not finite, if ids or labels do not
        match, or if no thresholds meet the constraints.
    DataError
        If a file cannot be read.

    See Also
    --------
    labelwise.decisions.best_thresholds : The same for scores in memory, with more options.

    Notes
    -----
    The first pass collects the scores of the positives. The second one counts, for each of them,
    the scores up to the next higher positive, and keeps the highest of these. Both are exact for
    any order and size of blocks, because multisets, sums and maxima are associative.

    With P positives and blocks of B bytes, F, Jaccard and costs take 12 P bytes for float32 scores
    (20 P for float64), and about 2 B; micro averages of other measures and constraints take up to
    100 P bytes. The macro average of other measures needs the cuts at every score: labels are read
    in groups of 256 MB, with a pass over the file for each group.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from labelwise.engine import best_thresholds
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.npy"
    ...     np.save(path, [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]])
    ...     tuned = best_thresholds(path, [[1, 0], [0, 1], [1, 0], [0, 0]], block_rows=2)
    >>> tuned.values, round(tuned.value, 4)
    (array([0.25, 0.35]), 0.8571)
    """
    unknown = sorted(set(options) - set(_OF_ROWS))
    if unknown:
        raise TypeError(f"best_thresholds has no option {unknown[0]!r} in the engine.")
    curves = BlockCurves(_matched(scores, Y, label_names, block_rows, ids, by_position))
    request = Request(
        maximize=maximize,
        average=average,
        beta=beta,
        min_precision=min_precision,
        min_recall=min_recall,
        max_decisions=max_decisions,
        cost=cost,
        n_labels=curves.n_labels,
        **options,
    )
    warn_of_labels_without_positives(curves)
    return tune_and_correct(curves, request, None).thresholds


def micro_frontier(
    scores: Any,
    Y: Any,
    *,
    label_names: Sequence[str] | None = None,
    block_rows: int | None = None,
    ids: str | Sequence[str] | None = None,
    by_position: bool = False,
) -> Frontier:
    """Find the best micro precision and recall of scores larger than memory.

    The vertices are those of `labelwise.decisions.micro_frontier` on all rows, bit for bit.

    Parameters
    ----------
    scores : path, array or dask array of shape (n_samples, n_labels)
        Finite scores, as in `best_thresholds` of the engine.
    Y : path, array, sparse matrix, frame, list of sets or dask array
        The true labels, 0 or 1, as in `best_thresholds` of the engine.
    label_names : sequence of str, default=None
        Names of the labels, for data without names.
    block_rows : int, default=None
        Rows of a block; None means about 32 MB of scores.
    ids : str or sequence of str, default=None
        Name of the column of ids in parquet files, as in `best_thresholds` of the engine.
    by_position : bool, default=False
        Whether rows and labels are matched by position if only some files or frames have ids or
        names. They are refused otherwise; arrays have neither, and go by position.

    Returns
    -------
    Frontier
        Vertices from no decision to the fewest decisions that include every positive.

    Raises
    ------
    ValueError
        If scores are not finite, or if rows or labels do not match.
    DataError
        If a file cannot be read.

    See Also
    --------
    labelwise.decisions.micro_frontier : The same for scores in memory.

    Examples
    --------
    >>> from labelwise.engine import micro_frontier
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]]
    >>> micro_frontier(scores, [[1, 0], [0, 1], [1, 0]], block_rows=1).hits
    array([0, 2, 3])
    """
    curves = BlockCurves(_matched(scores, Y, label_names, block_rows, ids, by_position))
    return frontier_of(curves.frontier_cuts(), curves.names)


def _matched(
    scores: Any, Y: Any, label_names: Any, block_rows: Any, ids: Any, by_position: bool
) -> Any:
    if scores is None:
        raise TypeError("scores must be a path, an array or a dask array, got None.")
    given = {"Y": Y, "scores": scores}
    return open_blocks(given, label_names, block_rows, None, ids, by_position, "scores")
