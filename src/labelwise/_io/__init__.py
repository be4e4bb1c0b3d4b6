"""Read files with a bound on memory, read npy and npz files, and write files atomically.

Every stage may import from here; this package imports only `_validation`.
"""

from labelwise._io._numpy_files import Arrays, check_npy, npy_array, npz_arrays, sparse_matrix
from labelwise._io._reading import (
    MAX_BYTES,
    SIDE_BYTES,
    TEXT_BYTES,
    Bound,
    DataError,
    bound_of,
    decode,
    first_line,
    plain_name,
    read_bytes,
    reading,
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
    "bound_of",
    "check_npy",
    "check_output",
    "decode",
    "ending_of",
    "first_line",
    "goes_to_stdout",
    "is_stream",
    "npy_array",
    "npz_arrays",
    "plain_name",
    "read_bytes",
    "reading",
    "same_file",
    "sparse_matrix",
    "written_whole",
]
