"""Check arguments: label and score matrices, names, weights, rows and single numbers.

Public functions check each argument once by these functions, and private functions rely on it.
Every stage may import from here; this package imports only `_text`.
"""

from labelwise._validation._arrays import (
    as_dense,
    frame_columns,
    frame_like,
    frame_names,
    is_array_per_label,
    is_frame,
    scores_of_class_1,
)
from labelwise._validation._distinct_label_sets import labelset_numbers
from labelwise._validation._groups import check_groups
from labelwise._validation._lists_of_sets import columns_of_sets, is_list_of_sets, names_in_sets
from labelwise._validation._matrices import (
    Labels,
    Scores,
    check_labels,
    check_matching,
    check_scores,
    check_states,
    columns_in_order,
    take_columns,
)
from labelwise._validation._missing_cells import (
    dense_targets,
    first_cell,
    with_nan,
    without_cells,
)
from labelwise._validation._named_matrices import NamedMatrix
from labelwise._validation._names import check_names
from labelwise._validation._numbers import (
    check_beta,
    check_n_bootstrap,
    check_real,
    check_share,
    check_undefined,
    check_whole,
    is_real,
    is_whole,
)
from labelwise._validation._outcome import Outcome, check_outcome
from labelwise._validation._random_states import check_random_state
from labelwise._validation._readable import check_instance, check_readable, refuse_sparse
from labelwise._validation._row_index import rows_of
from labelwise._validation._rows import n_rows, take_rows
from labelwise._validation._weights import check_weights, relative_weights

__all__ = [
    "Labels",
    "NamedMatrix",
    "Outcome",
    "Scores",
    "as_dense",
    "check_beta",
    "check_groups",
    "check_instance",
    "check_labels",
    "check_matching",
    "check_n_bootstrap",
    "check_names",
    "check_outcome",
    "check_random_state",
    "check_readable",
    "check_real",
    "check_scores",
    "check_share",
    "check_states",
    "check_undefined",
    "check_weights",
    "check_whole",
    "columns_in_order",
    "columns_of_sets",
    "dense_targets",
    "first_cell",
    "frame_columns",
    "frame_like",
    "frame_names",
    "is_array_per_label",
    "is_frame",
    "is_list_of_sets",
    "is_real",
    "is_whole",
    "labelset_numbers",
    "n_rows",
    "names_in_sets",
    "refuse_sparse",
    "relative_weights",
    "rows_of",
    "scores_of_class_1",
    "take_columns",
    "take_rows",
    "with_nan",
    "without_cells",
]
