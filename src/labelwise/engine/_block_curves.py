"""Curves of labels from blocks of rows, in this process or on a dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar

import numpy as np

from labelwise._validation import Outcome
from labelwise.decisions import (
    Cuts,
    Gaps,
    Problem,
    SortedHits,
    counts_of,
    cuts_of_label,
    every_cut,
    joined_labels,
    merged_hits,
    on_hull,
    sorted_hits,
)
from labelwise.engine.blocks._dask_blocks import dask_blocks, is_dask
from labelwise.engine.blocks._hit_views import HitView
from labelwise.engine.blocks._matched_blocks import match_blocks
from labelwise.measures import Counts

# Bytes of the scores of the labels that are read together if every cut is needed.
_COLUMN_BYTES = 2**28
Part = TypeVar("Part")


class Blocks(Protocol):
    """Rows of scores and labels that are read in blocks, wherever these are."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the labels, or None."""

    @property
    def n_samples(self) -> int:
        """Number of rows."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    def reduced(
        self, of_block: Callable[[Outcome], Part], merge: Callable[[Sequence[Part]], Part]
    ) -> Part:
        """Merge what a function returns for each block, in any grouping."""

    def gaps(self, views: Sequence[HitView], *, with_ties: bool = False) -> list[Gaps]:
        """Count the scores between positives."""

    def label_groups(self, most_bytes: int) -> Iterator[Outcome]:
        """Yield all rows of a few labels at a time."""


def open_blocks(
    given: dict[str, Any],
    label_names: Any = None,
    block_rows: int | None = None,
    columns: str | Sequence[str] | None = None,
    ids: str | Sequence[str] | None = None,
    by_position: bool = False,
    labels_of: str = "Y",
) -> Blocks:
    """Open files and arrays in blocks of rows, or take the chunks of dask arrays as blocks."""
    if any(is_dask(data) for data in given.values()):
        if columns is not None:
            raise ValueError(f"columns must be None for dask arrays, got {columns!r}.")
        return dask_blocks(given, label_names)
    return match_blocks(given, label_names, block_rows, columns, ids, by_position, labels_of)


class BlockCurves:
    """Curves of labels, computed by passes over blocks of rows when they are needed."""

    # Every sample counts once.
    weights = None
    everyone = np.ones(1, dtype=np.int64)

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self.names: tuple[str, ...] | None = blocks.names
        self.n_samples: int = blocks.n_samples
        self.n_labels: int = blocks.n_labels

    @cached_property
    def hits(self) -> SortedHits:
        """Scores of the positives, by a pass over all blocks."""
        return hits_of(self._blocks)

    @cached_property
    def gaps(self) -> Gaps:
        """How many scores lie between positives, by a second pass over all blocks."""
        return self._blocks.gaps([HitView(self.hits, self.n_samples)])[0]

    @property
    def total_weight(self) -> int:
        """Number of samples, counted by weight."""
        return self.n_samples

    @property
    def support(self) -> np.ndarray:
        """Number of positives of each label."""
        return self.hits.support

    def label_cuts(self) -> Iterator[Cuts]:
        """Yield the cuts at positives, one label at a time."""
        for j in range(self.n_labels):
            yield cuts_of_label(self.hits, self.gaps, j, self.n_samples)

    def hull_cuts(self) -> Cuts:
        """Return the cuts of all labels that the micro frontier depends on."""
        return joined_labels([on_hull(cuts) for cuts in self.label_cuts()])

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score; the rows are read once for some labels."""
        for group in self._blocks.label_groups(_COLUMN_BYTES):
            scores: Any = group.scores
            yield from every_cut(scores, group.Y)

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label, by a pass over all blocks."""
        of_block = partial(_decided_in_block, thresholds=thresholds)
        decided, hits = self._blocks.reduced(of_block, _summed)
        return counts_of(decided, hits, self.support, self.n_samples)


def hits_of(blocks: Blocks) -> SortedHits:
    """Return the scores of the positives of all blocks, by one pass."""
    return blocks.reduced(_hits_of_block, merged_hits)


def _hits_of_block(outcome: Outcome) -> SortedHits:
    scores: Any = outcome.scores
    return sorted_hits(scores, outcome.Y)


def _summed(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.asarray(np.sum(parts, axis=0))


def _decided_in_block(outcome: Outcome, thresholds: np.ndarray) -> np.ndarray:
    return np.array(Problem(outcome.scores, outcome.Y, None).decided_and_hits(thresholds))
