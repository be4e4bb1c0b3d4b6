"""The gate: arrays are checked here once, and trusted behind it."""

from labelwise._validation._arrays import frame_columns, is_frame
from labelwise._validation._label_sets import columns_of_sets, is_list_of_sets, names_in_sets
from labelwise._validation._matrices import (
    Labels,
    Scores,
    check_labels,
    check_matching,
    check_scores,
    columns_in_order,
)
from labelwise._validation._names import check_names

__all__ = [
    "Labels",
    "Scores",
    "check_labels",
    "check_matching",
    "check_names",
    "check_scores",
    "columns_in_order",
    "columns_of_sets",
    "frame_columns",
    "is_frame",
    "is_list_of_sets",
    "names_in_sets",
]
