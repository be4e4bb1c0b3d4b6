"""Split multi-label data fairly, and measure how fair a split is."""

from labelwise._publishing import publish
from labelwise.splitting._assign import assign
from labelwise.splitting._assign import assign_checked as assign_checked
from labelwise.splitting._folds import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)
from labelwise.splitting._holdout import train_test_split
from labelwise.splitting._quality import SplitQuality, split_quality
from labelwise.splitting._splits import splits_of as splits_of
from labelwise.splitting.stratification._units import check_groups as check_groups

__all__ = [
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "SplitQuality",
    "assign",
    "split_quality",
    "train_test_split",
]

publish(__name__, __all__, globals())
