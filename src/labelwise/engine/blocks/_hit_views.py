"""Positives whose ranks are counted: those of each label, or those of all labels together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise.decisions import SortedHits


class HitView(NamedTuple):
    """Scores of positives, and the scores of a block that they are ranked among."""

    hits: SortedHits
    n_scores: int  # of each ranking, over all blocks
    is_pooled: bool = False  # whether all labels are one ranking

    def cells(self, scores: Any) -> np.ndarray:
        """Return the scores of a block, a column for each ranking."""
        return np.asarray(scores.reshape(-1, 1) if self.is_pooled else scores)


def pooled(hits: SortedHits, n_samples: int) -> HitView:
    """Return the positives of all labels as those of one ranking."""
    starts = np.array([0, hits.scores.size])
    n_cells = n_samples * hits.support.size
    return HitView(SortedHits(starts, np.sort(hits.scores)), n_cells, is_pooled=True)
