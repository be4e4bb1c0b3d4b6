"""Read files with a bound on memory, read npy and npz files, and write files atomically.

Every stage may import from here; this package imports only `_errors` and `_validation`.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._errors import DataError, DataWarning
    from labelwise._io._numpy_files import (
        Arrays,
        check_npy,
        npy_array,
        npy_header,
        npz_arrays,
        sparse_matrix,
    )
    from labelwise._io._reading import (
        MAX_BYTES,
        SIDE_BYTES,
        TEXT_BYTES,
        Bound,
        as_utf8,
        bound_of,
        check_lines,
        decode,
        first_line,
        line_not_utf8,
        memory_bytes,
        plain_ending,
        plain_name,
        read_bytes,
        reading,
        warn_of_assumption,
    )
    from labelwise._io._writing import (
        check_output,
        ending_of,
        goes_to_stdout,
        is_stream,
        same_file,
        written_whole,
    )

__all__ = [
    "MAX_BYTES",
    "SIDE_BYTES",
    "TEXT_BYTES",
    "Arrays",
    "Bound",
    "DataError",
    "DataWarning",
    "as_utf8",
    "bound_of",
    "check_lines",
    "check_npy",
    "check_output",
    "decode",
    "ending_of",
    "first_line",
    "goes_to_stdout",
    "is_stream",
    "line_not_utf8",
    "memory_bytes",
    "npy_array",
    "npy_header",
    "npz_arrays",
    "plain_ending",
    "plain_name",
    "read_bytes",
    "reading",
    "same_file",
    "sparse_matrix",
    "warn_of_assumption",
    "written_whole",
]

publish(__name__, [])
