"""Files on disk, below all stages: every file that labelwise writes is written here."""

from labelwise._io._writing import (
    check_output,
    ending_of,
    goes_to_stdout,
    is_stream,
    same_file,
    written_whole,
)

__all__ = [
    "check_output",
    "ending_of",
    "goes_to_stdout",
    "is_stream",
    "same_file",
    "written_whole",
]
