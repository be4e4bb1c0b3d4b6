"""Ranks of positives: how many scores of a ranking lie above each positive.

A ranking is the scores of a sample, of a label, or of all cells. The measures of scores and the
curves of thresholds both need these counts: `find_places` returns them for every positive of a
matrix, `find_weighted_places` for samples with weights, and `add_to_gaps` counts the scores between
neighbouring positives of one ranking without sorting the scores. The kernels are imported when they
are used. This package imports only `_validation` and `_parallel`.
"""

from labelwise._ranks._gaps import add_to_gaps
from labelwise._ranks._positives import (
    RankedPositives,
    find_places,
    ranked_positives,
    ranks_by_column,
    stored_places,
)
from labelwise._ranks._weighted import WeightedPositives, find_weighted_places

__all__ = [
    "RankedPositives",
    "WeightedPositives",
    "add_to_gaps",
    "find_places",
    "find_weighted_places",
    "ranked_positives",
    "ranks_by_column",
    "stored_places",
]
