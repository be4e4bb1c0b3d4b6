"""The gate: arrays are checked here once, and trusted behind it."""

from labelwise._validation._arrays import (
    as_dense,
    frame_columns,
    is_array_per_label,
    is_frame,
    scores_of_class_1,
)
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
from labelwise._validation._readable import check_readable
from labelwise._validation._weights import check_weights, relative_weights

__all__ = [
    "Labels",
    "Scores",
    "as_dense",
    "check_labels",
    "check_matching",
    "check_names",
    "check_readable",
    "check_scores",
    "check_weights",
    "columns_in_order",
    "columns_of_sets",
    "frame_columns",
    "is_array_per_label",
    "is_frame",
    "is_list_of_sets",
    "names_in_sets",
    "relative_weights",
    "scores_of_class_1",
]
