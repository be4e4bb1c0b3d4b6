"""The public function `evaluate` of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from labelwise._blocks import open_blocks
from labelwise._curves import HitView, gaps_of, hits_of, pooled
from labelwise._validation import check_undefined
from labelwise.engine._block_measures import (
    BlockSums,
    added,
    counts_by,
    measured_by_sample,
    sums_of_block,
    values_of_rankings,
)
from labelwise.measures import Evaluation, Measured, NamedMeasure, applicable_measures


def evaluate(
    Y: Any,
    *,
    scores: Any = None,
    decided: Any = None,
    beta: float = 1.0,
    cutoffs: Iterable[int] = (1, 3, 5),
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
    block_rows: int | None = None,
    ids: str | Sequence[str] | None = None,
    by_position: bool = False,
) -> Evaluation:
    """Compute every measure of files that are larger than memory.

    The values are those of `labelwise.measures.evaluate` on all rows: bit for bit, except for
    means over samples, whose sums are rounded in another order (differences of about 1e-16).

    Parameters
    ----------
    Y : path, array, sparse matrix, frame, list of sets or dask array
        True labels, 0/1 of shape (n_samples, n_labels), as in `best_thresholds` of the engine.
    scores : path, array, dask array or None, default=None
        Scores for the ranking measures.
    decided : path, array, sparse matrix, frame, list of sets, dask array or None, default=None
        Decisions for the measures of counts.
    beta : float, default=1.0
        Weight of recall in the F-measures: recall counts beta² as much as precision.
    cutoffs : iterable of int, default=(1, 3, 5)
        Values of k for precision and NDCG at k; those above the number of labels are left out.
    undefined : {"nan", "skip", "zero"} or float, default="nan"
        How labels and samples without a value enter a mean, as in `labelwise.measures.evaluate`.
    label_names : sequence of str or None, default=None
        Names of the labels, for data without names.
    block_rows : int, default=None
        Rows of a block; None means about 32 MB of scores. The blocks of dask arrays are their
        chunks.
    ids : str or sequence of str, default=None
        Name of the column of ids in parquet files, as in `best_thresholds` of the engine.
    by_position : bool, default=False
        Whether rows and labels are matched by position if only some files or frames have ids or
        names. They are refused otherwise; arrays have neither, and go by position.

    Returns
    -------
    Evaluation
        Values by name; prints as a table.

    Raises
    ------
    ValueError
        If neither scores nor decisions are given, if they do not match Y, or if an option is out of
        its range.
    DataError
        If a file cannot be read.

    See Also
    --------
    labelwise.measures.evaluate : The same in memory, with weights and intervals.

    Notes
    -----
    Counts and means over samples add up over blocks, in one pass. With scores, a second pass counts
    the scores between the positives of each label, and between those of all labels together, which
    gives average precision and the area under the ROC curve exactly. This takes about 80 bytes for
    each positive.

    Examples
    --------
    >>> from labelwise.engine import evaluate
    >>> found = evaluate([[1, 0], [0, 1]], decided=[[1, 0], [1, 1]], block_rows=1)
    >>> found["micro-precision"], found["hamming-loss"]
    (0.6666666666666666, 0.25)
    """
    undefined = check_undefined(undefined, allow_zero=True)
    if scores is None and decided is None:
        raise ValueError("scores or decided must be given, got neither.")
    data = {"Y": Y, "scores": scores, "decided": decided}
    blocks = open_blocks(data, label_names, block_rows, None, ids, by_position)
    given = [name for name in ("scores", "decided") if data[name] is not None]
    every = applicable_measures(blocks.n_labels, given, beta, cutoffs)
    measures = [one.under(undefined) for one in every]
    of_block = partial(sums_of_block, measures=measures, undefined=undefined)
    sums = blocks.reduced(of_block, added)
    each = _values(blocks, sums, measures)
    measured = measured_by_sample(sums, measures, undefined, blocks.n_samples)
    for one in measures:
        if one.by != "sample":
            values = each[one.name]
            n_undefined = int(np.isnan(np.atleast_2d(values)).any(axis=0).sum())
            measured[one.name] = Measured(
                float(one.averaged(values, undefined)), one.by, n_undefined
            )
    return Evaluation(
        measured={one.name: measured[one.name] for one in measures},
        per_label=_per_label(sums, measures, each, "decided" in given),
        label_names=blocks.names or tuple(map(str, range(blocks.n_labels))),
        n_samples=blocks.n_samples,
        beta=float(beta),
        undefined=undefined,
        n_empty_samples=int(sums.n_empty),
    )


def _values(blocks: Any, sums: BlockSums, measures: Sequence[NamedMeasure]) -> dict[str, Any]:
    """Return the values of each label, and of all cells, before averaging."""
    found: dict[str, Any] = {
        one.name: one.values_of(counts_by(sums, one.by))
        for one in measures
        if one.needs == "decided" and one.by != "sample"
    }
    ranked = [one for one in measures if one.needs == "scores"]
    if ranked:
        hits = hits_of(blocks)
        views = [HitView(hits, blocks.n_samples), pooled(hits, blocks.n_samples)]
        counted = gaps_of(blocks, views, with_ties=True)
        for by, view, gaps in zip(("label", "all"), views, counted, strict=True):
            chosen = [one for one in ranked if one.by == by]
            found |= values_of_rankings(chosen, view.hits, gaps, view.n_scores)
    return found


def _per_label(
    sums: BlockSums, measures: Sequence[NamedMeasure], each: dict[str, Any], has_decided: bool
) -> dict[str, np.ndarray]:
    """List the sizes of truth and decisions, then the measures, of each label."""
    columns = {"positives": sums.positives}
    if has_decided:
        columns["decided"] = sums.counts[0] + sums.counts[1]
    for one in measures:
        if one.by == "label" and one.combine_means is None:
            columns[one.name.removeprefix("macro-")] = each[one.name]
    return columns
