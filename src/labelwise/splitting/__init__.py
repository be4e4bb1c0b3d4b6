"""Split multi-label data into subsets with equal label ratios, and measure the quality of splits.

`_assign` is the function behind all splitters; its methods are in `_subsets` (random, label set),
`_iterative` and `_balanced`. The stage imports only the packages below the stages.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.splitting._assign import assign
    from labelwise.splitting._folds import (
        MultilabelStratifiedKFold,
        MultilabelStratifiedShuffleSplit,
        RepeatedMultilabelStratifiedKFold,
    )
    from labelwise.splitting._holdout import train_test_split
    from labelwise.splitting._quality import (
        SplitComparison as SplitComparison,
        SplitQuality as SplitQuality,
        compare_splits,
        split_quality,
    )

__all__ = [
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "assign",
    "compare_splits",
    "split_quality",
    "train_test_split",
]

publish(__name__)
