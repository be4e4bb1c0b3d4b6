"""Errors that users can cause: their exit codes and their one sentence."""

from __future__ import annotations

import errno

# Other errors are faults of the program, and end with a traceback.
FAILURES = (ValueError, TypeError, OSError, MemoryError)
FAILED, WRONG_USAGE = 1, 2
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EIO, errno.EFBIG)


def exit_code(error: Exception) -> int:
    """Return 2 for wrong arguments, 1 for files, memory and constraints that data cannot meet."""
    from labelwise._io import DataError
    from labelwise.decisions import InfeasibleError

    failures = DataError | InfeasibleError | OSError | MemoryError
    return FAILED if isinstance(error, failures) else WRONG_USAGE


def message(error: Exception) -> str:
    """Return the message of an error; a full disk without a file name is that of the output."""
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_ERRORS:
        return f"the output cannot be written ({error.strerror})."
    if isinstance(error, MemoryError):
        return f"this takes more memory than there is ({error})."
    return str(error) or type(error).__name__
