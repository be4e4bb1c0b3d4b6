"""The same functions for files larger than memory, and for dask arrays.

Scores and labels are read in blocks of rows; the results are those of the functions of the same
names in `labelwise.decisions`, `labelwise.measures` and `labelwise.splitting`. The engine imports
these stages; only the command line imports the engine.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.engine._assign import assign, compare_splits
    from labelwise.engine._best_thresholds import best_thresholds, micro_frontier
    from labelwise.engine._decide import DecisionCounts, decide
    from labelwise.engine._evaluate import evaluate

__all__ = [
    "DecisionCounts",
    "assign",
    "best_thresholds",
    "compare_splits",
    "decide",
    "evaluate",
    "micro_frontier",
]

publish(__name__, __all__)
