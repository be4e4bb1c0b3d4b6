"""Measures from sums over blocks of rows, and from ranks that are counted over blocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from labelwise._curves import Gaps, SortedHits, ranks_of_hits
from labelwise._validation import Outcome
from labelwise.measures import (
    Counts,
    Measured,
    NamedMeasure,
    count_empty_samples,
    count_matched,
    filled_and_defined,
    find_places,
    mean_of_sums,
    ranked_positives,
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


def sums_of_block(
    outcome: Outcome, measures: Sequence[NamedMeasure], undefined: str | float
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
        filled_and_defined(one.values_of(evidence[one.needs]), undefined)
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


def added(parts: Sequence[BlockSums]) -> BlockSums:
    """Add the sums of several blocks."""
    return reduce(lambda one, other: BlockSums(*map(np.add, one, other)), parts)


def measured_by_sample(
    sums: BlockSums, measures: Sequence[NamedMeasure], undefined: str | float, n_samples: int
) -> dict[str, Measured]:
    """Return the means over samples."""
    chosen = [one for one in measures if one.by == "sample"]
    means = mean_of_sums(sums.totals, sums.n_defined, n_samples, undefined)
    return {
        one.name: Measured(float(value), "sample", int(n_samples - n_defined))
        for one, value, n_defined in zip(chosen, means, sums.n_defined, strict=True)
    }


def counts_by(sums: BlockSums, by: str) -> Counts:
    """Return the counts of each label, or those of all cells as arrays of length 1."""
    return Counts(*(sums.counts if by == "label" else sums.counts.sum(axis=1, keepdims=True)))


def values_of_rankings(
    measures: Sequence[NamedMeasure], hits: SortedHits, gaps: Gaps, n_scores: int
) -> dict[str, np.ndarray]:
    """Return the values of ranking measures for each label, one label at a time."""
    found: dict[str, list[np.ndarray]] = {one.name: [] for one in measures}
    for j in range(hits.support.size):
        above, at_least = (ranks[::-1] for ranks in ranks_of_hits(hits, gaps, j))
        places = ranked_positives(above, at_least, hits.support[j : j + 1], n_scores)
        for one in measures:
            found[one.name].append(np.atleast_1d(one.values_of(places)))
    return {name: np.concatenate(parts) for name, parts in found.items()}
