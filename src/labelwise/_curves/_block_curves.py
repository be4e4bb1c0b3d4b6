"""Curves of labels from blocks of rows, in this process or on a dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from labelwise._blocks import Blocks
from labelwise._counts import Counts, counts_of
from labelwise._curves._cuts import Cuts, every_cut, joined
from labelwise._curves._gaps import (
    GapCounter,
    Gaps,
    HitView,
    SortedHits,
    cuts_between,
    cuts_of_label,
    merged_hits,
    on_hull,
    sorted_hits,
)
from labelwise._curves._row_curves import RowCurves
from labelwise._validation import Outcome

# Bytes of the scores of the labels that are read together if every cut is needed.
_COLUMN_BYTES = 2**28


class BlockCurves:
    """Curves of labels, computed by passes over blocks of rows when they are needed.

    The curves equal those of `RowCurves` of all rows, for any order and size of the blocks.
    """

    # Every sample counts once.
    weights: np.ndarray | None = None

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
        return gaps_of(self._blocks, [HitView(self.hits, self.n_samples)])[0]

    @property
    def total_weight(self) -> int:
        """Number of samples, counted by weight."""
        return self.n_samples

    @property
    def support(self) -> np.ndarray:
        """Number of positives of each label."""
        return self.hits.support

    def cuts_of_all(self) -> Cuts:
        """Return the cuts of all labels at positives."""
        return cuts_between(self.hits, self.gaps, self.support, self.n_samples)

    def frontier_cuts(self) -> Cuts:
        """Return the cuts that the micro frontier depends on; they are fewer than the positives."""
        return joined(list(map(on_hull, self._found())), self.support, self.n_samples)

    def _found(self) -> Iterator[tuple[np.ndarray, ...]]:
        """Yield (decided, hits, lows, thresholds) of the cuts of each label at positives."""
        for j in range(self.n_labels):
            yield cuts_of_label(self.hits, self.gaps, j)

    def pieces(self, everywhere: bool) -> Iterator[Cuts]:
        """Yield the cuts at positives or at every distinct score, one label at a time.

        For every distinct score, the rows are read once for as many labels as fit in memory.
        """
        if not everywhere:
            for j, found in enumerate(self._found()):
                yield joined([found], self.support[j : j + 1], self.n_samples)
            return
        for group in self._blocks.label_groups(_COLUMN_BYTES):
            scores: Any = group.scores
            yield from every_cut(scores, group.Y)

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score, one label at a time."""
        return self.pieces(everywhere=True)

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label, by a pass over all blocks."""
        of_block = partial(_decided_in_block, thresholds=thresholds)
        decided, hits = self._blocks.reduced(of_block, _summed)
        return counts_of(decided, hits, self.support, self.n_samples)


def hits_of(blocks: Blocks) -> SortedHits:
    """Return the scores of the positives of all blocks, by one pass."""
    return blocks.reduced(_hits_of_block, merged_hits)


def gaps_of(blocks: Blocks, views: Sequence[HitView], *, for_ranks: bool = False) -> list[Gaps]:
    """Count the scores between the positives of each view, by one pass."""
    return blocks.accumulated(GapCounter(tuple(views), for_ranks))


def _hits_of_block(outcome: Outcome) -> SortedHits:
    scores: Any = outcome.scores
    return sorted_hits(scores, outcome.Y)


def _summed(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.asarray(np.sum(parts, axis=0))


def _decided_in_block(outcome: Outcome, thresholds: np.ndarray) -> np.ndarray:
    return np.array(RowCurves(outcome.scores, outcome.Y, None).decided_and_hits(thresholds))
