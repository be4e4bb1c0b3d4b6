"""Files of scores, labels and decisions: reading and writing.

A file becomes a `NamedMatrix`, whose samples have ids and whose labels have names. The gate
(`labelwise._validation`) accepts it wherever it accepts a frame, and matches rows and labels.
`labelwise.data` publishes the readers.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._matrices._reading import (
        is_matrix_file as is_matrix_file,
        read_decisions as read_decisions,
        read_label_matrix as read_label_matrix,
        read_matrix as read_matrix,
        read_scores as read_scores,
    )
    from labelwise._matrices._writing import (
        check_format as check_format,
        check_label_names as check_label_names,
        check_matrix_ending as check_matrix_ending,
        write_label_sets as write_label_sets,
        write_matrix as write_matrix,
    )


publish(__name__)
