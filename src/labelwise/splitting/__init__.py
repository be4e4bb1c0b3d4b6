"""Split multi-label data fairly, and measure how fair a split is."""

from labelwise.splitting._assign import assign
from labelwise.splitting._folds import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)
from labelwise.splitting._holdout import train_test_split
from labelwise.splitting._quality import SplitQuality, split_quality

__all__ = [
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "SplitQuality",
    "assign",
    "split_quality",
    "train_test_split",
]
