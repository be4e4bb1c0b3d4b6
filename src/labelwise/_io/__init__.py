"""Read files with a bound on memory, read npy and npz files, and write files atomically.

Every stage may import from here; this package imports only `_errors` and `_validation`.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._errors import DataError as DataError, DataWarning as DataWarning
    from labelwise._io._numpy_files import (
        Arrays as Arrays,
        check_npy as check_npy,
        npy_array as npy_array,
        npy_header as npy_header,
        npz_arrays as npz_arrays,
        sparse_matrix as sparse_matrix,
    )
    from labelwise._io._reading import (
        MAX_BYTES as MAX_BYTES,
        SIDE_BYTES as SIDE_BYTES,
        TEXT_BYTES as TEXT_BYTES,
        Bound as Bound,
        as_utf8 as as_utf8,
        bound_of as bound_of,
        check_lines as check_lines,
        decode as decode,
        first_line as first_line,
        line_not_utf8 as line_not_utf8,
        memory_bytes as memory_bytes,
        plain_ending as plain_ending,
        plain_name as plain_name,
        read_bytes as read_bytes,
        reading as reading,
        warn_of_assumption as warn_of_assumption,
    )
    from labelwise._io._writing import (
        check_output as check_output,
        ending_of as ending_of,
        goes_to_stdout as goes_to_stdout,
        is_stream as is_stream,
        same_file as same_file,
        written_whole as written_whole,
    )


publish(__name__)
