"""Files of scores, labels and decisions: reading, matching of rows and labels, and writing.

A file becomes a `NamedMatrix`, whose samples have ids and whose labels have names. The gate
(`labelwise._validation`) accepts it wherever it accepts a frame. `labelwise.data` publishes the
readers; commands also use the matching, which says what was matched by position or left out.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._matrices._matching import (
        DEFAULT_MATCHING,
        LabelColumns,
        Matching,
        are_numbers,
        label_columns,
        matched,
        position_note,
        same_labels,
    )
    from labelwise._matrices._reading import (
        is_matrix_file,
        read_decisions,
        read_label_matrix,
        read_matrix,
        read_scores,
    )
    from labelwise._matrices._writing import (
        check_format,
        check_label_names,
        check_matrix_ending,
        write_label_sets,
        write_matrix,
    )

__all__ = [
    "DEFAULT_MATCHING",
    "LabelColumns",
    "Matching",
    "are_numbers",
    "check_format",
    "check_label_names",
    "check_matrix_ending",
    "is_matrix_file",
    "label_columns",
    "matched",
    "position_note",
    "read_decisions",
    "read_label_matrix",
    "read_matrix",
    "read_scores",
    "same_labels",
    "write_label_sets",
    "write_matrix",
]

publish(__name__, [])
