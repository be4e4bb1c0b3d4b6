"""Every measure of files and dask arrays, from sums over blocks of rows.

Counts and means over samples add up over blocks, in one pass. With scores, a second pass counts the
scores between the positives of each label, and between those of all labels together, which gives
average precision and the area under the ROC curve exactly, in 24 bytes for each positive (float32).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from labelwise._blocks import Blocks
from labelwise._counts import (
    Counts,
    MeasureRecord,
    count_empty_samples,
    count_matched,
    filled_and_defined,
    mean_of_sums,
)
from labelwise._curves import (
    Gaps,
    HitView,
    SortedHits,
    gaps_of,
    hits_of,
    pooled_view,
    ranks_of_hits,
)
from labelwise._measuring import Measured, RankedPositives, find_places, measured_values
from labelwise._text import NamedValues
from labelwise._validation import Outcome
from labelwise.measures._evaluation import Evaluation, label_columns


def evaluate_blocks(
    blocks: Blocks,
    given: Sequence[str],
    measures: Sequence[MeasureRecord],
    undefined: str | float,
    beta: float,
) -> Evaluation:
    """Compute the measures of rows that are read in blocks; `given` has "scores", "decided"."""
    measures = [one.under(undefined) for one in measures]
    of_block = partial(_sums_of_block, measures=measures, undefined=undefined)
    sums = blocks.reduced(of_block, _added)
    each = _values(blocks, sums, measures)
    measured = _measured_by_sample(sums, measures, undefined, blocks.n_samples)
    for one in measures:
        if one.by != "sample":
            measured[one.name] = measured_values(one, each[one.name], undefined)
    return Evaluation(
        measured=NamedValues((one.name, measured[one.name]) for one in measures),
        per_label=label_columns(
            measures,
            each,
            positives=sums.positives,
            decided=sums.counts[0] + sums.counts[1] if "decided" in given else None,
        ),
        label_names=blocks.names or tuple(map(str, range(blocks.n_labels))),
        n_samples=blocks.n_samples,
        beta=float(beta),
        undefined=undefined,
        n_empty_samples=int(sums.n_empty),
    )


class BlockSums(NamedTuple):
    """What measures of counts and means over samples need of a block; it adds up over blocks.

    Counts by label have the shape (4, n_labels), of zeros without decisions.
    """

    counts: np.ndarray
    positives: np.ndarray
    totals: np.ndarray  # of the values of samples, for each measure by sample
    n_defined: np.ndarray  # samples that have a value
    n_empty: np.ndarray  # number of samples without positives and decisions


def _sums_of_block(
    outcome: Outcome, measures: Sequence[MeasureRecord], undefined: str | float
) -> BlockSums:
    """Count the decisions of a block, and sum the values of its samples."""
    n_labels = outcome.Y.shape[1]
    counts = np.zeros((4, n_labels), dtype=np.int64)
    evidence: dict[str, Any] = {}
    if outcome.decided is not None:
        counts = np.array(count_matched(outcome.Y, outcome.decided, "label"))
        evidence["decided"] = count_matched(outcome.Y, outcome.decided, "sample")
    if outcome.scores is not None:
        evidence["scores"] = find_places(outcome.Y, outcome.scores, "sample")
    found = [
        filled_and_defined(one.function(evidence[one.needs]), undefined)
        for one in measures
        if one.by == "sample"
    ]
    return BlockSums(
        counts,
        np.diff(outcome.Y.indptr).astype(np.int64),
        np.array([values.sum() for values, _ in found]),
        np.array([is_defined.sum() for _, is_defined in found]),
        np.array(count_empty_samples(outcome)),
    )


def _added(parts: Sequence[BlockSums]) -> BlockSums:
    """Add the sums of several blocks."""
    return reduce(lambda one, other: BlockSums(*map(np.add, one, other)), parts)


def _measured_by_sample(
    sums: BlockSums, measures: Sequence[MeasureRecord], undefined: str | float, n_samples: int
) -> dict[str, Measured]:
    """Return the means over samples."""
    chosen = [one for one in measures if one.by == "sample"]
    means, of_defined = (
        mean_of_sums(sums.totals, sums.n_defined, n_samples, policy)
        for policy in (undefined, "defined")
    )
    columns = zip(means.tolist(), of_defined.tolist(), sums.n_defined.tolist(), strict=True)
    return {
        one.name: Measured(value, "sample", n_samples - n_defined, mean_of_defined=defined)
        for one, (value, defined, n_defined) in zip(chosen, columns, strict=True)
    }


class _RankingPiece(RankedPositives):
    """Some positives of a ranking; sums over positives include those of the pieces before it."""

    sum_before: np.ndarray

    def total(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum over the positives up to this piece, added one by one."""
        self.sum_before[:] = np.add.accumulate(np.append(self.sum_before, weights))[-1]
        return self.sum_before.copy()


def _values_of_rankings(
    measures: Sequence[MeasureRecord], hits: SortedHits, gaps: Gaps, n_scores: int
) -> dict[str, np.ndarray]:
    """Return the values of ranking measures for each label, one label at a time.

    Measures of labels are quotients of a sum over the positives, whose value is that of the last
    piece.
    """
    values = {one.name: np.full(hits.support.size, np.nan) for one in measures}
    for j in range(hits.support.size):
        sums = {one.name: np.zeros(1) for one in measures}
        for ranks in ranks_of_hits(hits, gaps, j):
            ranking = np.zeros(ranks[0].size, dtype=np.int64)
            piece = _RankingPiece(ranking, *ranks, hits.support[j : j + 1], n_scores)
            for one in measures:
                piece.sum_before = sums[one.name]
                values[one.name][j] = one.function(piece)[0]
    return values


def _values(blocks: Blocks, sums: BlockSums, measures: Sequence[MeasureRecord]) -> dict[str, Any]:
    """Return the values of each label, and of all cells, before averaging."""
    of_all = sums.counts.sum(axis=1, keepdims=True)
    counts = {"label": Counts(*sums.counts), "all": Counts(*of_all)}
    found: dict[str, Any] = {
        one.name: one.function(counts[one.by])
        for one in measures
        if one.needs == "decided" and one.by != "sample"
    }
    ranked = [one for one in measures if one.needs == "scores"]
    if ranked:
        hits = hits_of(blocks)
        views = [HitView(hits, blocks.n_samples), pooled_view(hits, blocks.n_samples)]
        counted = gaps_of(blocks, views, for_ranks=True)
        for by, view, gaps in zip(("label", "all"), views, counted, strict=True):
            chosen = [one for one in ranked if one.by == by]
            found |= _values_of_rankings(chosen, view.hits, gaps, view.n_scores)
    return found
