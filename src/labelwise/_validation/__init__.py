"""Check arguments: label and score matrices, names, weights, rows and single numbers.

Public functions check each argument once by these functions, and private functions rely on it.
Every stage may import from here; this package imports only `_errors` and `_text`.
"""

from labelwise._validation._arrays import (
    as_dense as as_dense,
    check_backend as check_backend,
    check_instance as check_instance,
    check_names as check_names,
    check_readable as check_readable,
    frame_columns as frame_columns,
    frame_like as frame_like,
    frame_names as frame_names,
    is_array_per_label as is_array_per_label,
    is_frame as is_frame,
    n_rows as n_rows,
    refuse_sparse as refuse_sparse,
    scores_of_class_1 as scores_of_class_1,
    take_rows as take_rows,
)
from labelwise._validation._label_sets import (
    columns_of_sets as columns_of_sets,
    is_list_of_sets as is_list_of_sets,
    label_set_numbers as label_set_numbers,
    names_in_sets as names_in_sets,
)
from labelwise._validation._matching import (
    Matched as Matched,
    MatchedSide as MatchedSide,
    SameLabels as SameLabels,
    are_numbers as are_numbers,
    columns_like_ids as columns_like_ids,
    have_ids as have_ids,
    have_names as have_names,
    ids_hint as ids_hint,
    in_row_order as in_row_order,
    matched as matched,
    position_note as position_note,
    refuse_other_index as refuse_other_index,
    rows_in_order as rows_in_order,
    rows_of as rows_of,
    same_labels as same_labels,
    side_of as side_of,
    side_of_rows as side_of_rows,
    without_position as without_position,
)
from labelwise._validation._matrices import (
    Labels as Labels,
    Scores as Scores,
    check_labels as check_labels,
    check_scores as check_scores,
    check_states as check_states,
    columns_in_order as columns_in_order,
    dense_targets as dense_targets,
    first_cell as first_cell,
    take_columns as take_columns,
    with_nan as with_nan,
    without_cells as without_cells,
)
from labelwise._validation._model_labels import (
    ModelTruth as ModelTruth,
    labels_for as labels_for,
    truth_for as truth_for,
)
from labelwise._validation._named_matrices import NamedMatrix as NamedMatrix
from labelwise._validation._numbers import (
    check_beta as check_beta,
    check_groups as check_groups,
    check_n_bootstrap as check_n_bootstrap,
    check_random_state as check_random_state,
    check_real as check_real,
    check_share as check_share,
    check_undefined as check_undefined,
    check_weights as check_weights,
    check_whole as check_whole,
    is_real as is_real,
    is_whole as is_whole,
    relative_weights as relative_weights,
    slice_texts as slice_texts,
)
from labelwise._validation._outcome import (
    Outcome as Outcome,
    check_outcome as check_outcome,
    ids_of as ids_of,
)
